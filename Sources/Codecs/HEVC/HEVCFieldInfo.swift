// Field information at the end of an HEVC sequence parameter set (ITU-T H.265, 7.3.2.2 and E.2.1). Pure.

/// Whether pictures are fields, and whether each gives its parity.
struct HEVCFieldInfo: Equatable, Sendable {
    /// field_seq_flag: all pictures are fields.
    var isFieldSequence = false
    /// frame_field_info_present_flag: picture timing messages begin with pic_struct.
    var hasStructure = false

    /// All pictures are frames.
    init() {}

    /// Continues parsing after the sub-layer ordering.
    init(_ reader: inout BitReader, maxPocBits: Int) {
        for _ in 0..<6 { _ = reader.ue() }  // sizes of blocks, depths of transform hierarchies
        if reader.bit(), reader.bit() { HEVCFieldInfo.skipScalingLists(&reader) }
        reader.skip(2)  // amp, sample adaptive offset
        if reader.bit() {
            reader.skip(8)
            _ = reader.ue()
            _ = reader.ue()
            reader.skip(1)
        }
        guard HEVCFieldInfo.skipReferenceSets(&reader) else { return }
        if reader.bit() {
            for _ in 0..<min(reader.ue(), 32) { reader.skip(maxPocBits + 1) }
        }
        reader.skip(2)  // temporal motion vectors, strong intra smoothing
        guard reader.bit() else { return }
        if reader.bit(), reader.bits(8) == 255 { reader.skip(32) }  // aspect ratio
        if reader.bit() { reader.skip(1) }  // overscan
        if reader.bit() {
            reader.skip(4)
            if reader.bit() { reader.skip(24) }
        }
        if reader.bit() {
            _ = reader.ue()
            _ = reader.ue()
        }
        reader.skip(1)  // neutral chroma
        (isFieldSequence, hasStructure) = (reader.bit(), reader.bit())
        if reader.isDamaged { (isFieldSequence, hasStructure) = (false, false) }
    }

    private static func skipScalingLists(_ reader: inout BitReader) {
        for size in 0..<4 {
            for _ in stride(from: 0, to: 6, by: size == 3 ? 3 : 1) {
                guard reader.bit() else {
                    _ = reader.ue()
                    continue
                }
                if size > 1 { _ = reader.se() }
                for _ in 0..<min(64, 1 << (4 + size << 1)) { _ = reader.se() }
            }
        }
    }

    /// False if there are more than the standard allows.
    private static func skipReferenceSets(_ reader: inout BitReader) -> Bool {
        let count = reader.ue()
        guard count <= 64 else { return false }
        var pictures = 0
        for index in 0..<count {
            if index > 0, reader.bit() {
                // Predicted from the set before it.
                reader.skip(1)
                _ = reader.ue()
                var kept = 0
                for _ in 0...pictures {
                    let isUsed = reader.bit()
                    if isUsed || reader.bit() { kept += 1 }
                }
                pictures = kept
            } else {
                let (before, after) = (reader.ue(), reader.ue())
                guard before <= 16, after <= 16 else { return false }
                for _ in 0..<(before + after) {
                    _ = reader.ue()
                    reader.skip(1)
                }
                pictures = before + after
            }
            if reader.isDamaged { return false }
        }
        return true
    }
}
