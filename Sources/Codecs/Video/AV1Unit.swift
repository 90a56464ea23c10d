// Classifies an AV1 packet by its OBU headers (AV1 Bitstream & Decoding Process Specification, 5.3 and 5.9.2). Pure.

/// The facts of one temporal unit that decide where a file can be cut.
struct AV1Unit: Equatable, Sendable {
    /// It begins with a shown key frame, from which everything after it decodes. A key frame that is shown later, by reference,
    /// does not count: frames in between may refer to earlier ones.
    private(set) var isKey = false
    /// It carries a sequence header.
    private(set) var hasSequenceHeader = false

    private static let sequenceHeader: UInt8 = 1, frameHeader: UInt8 = 3, frame: UInt8 = 6

    /// Reads up to the first frame header. Damage ends it.
    init(_ bytes: ArraySlice<UInt8>) {
        var rest = bytes
        while let head = rest.popFirst() {
            // The extension gives the layer, which is not used.
            if head >> 2 & 1 == 1, rest.popFirst() == nil { return }
            let size = head >> 1 & 1 == 1 ? AV1Unit.number(&rest) : rest.count
            guard let size, size <= rest.count else { return }
            switch head >> 3 & 15 {
            case AV1Unit.sequenceHeader: hasSequenceHeader = true
            case AV1Unit.frameHeader, AV1Unit.frame:
                // show_existing_frame, frame_type (0: key frame), show_frame.
                isKey =
                    rest.first.map { size > 0 && $0 >> 7 == 0 && $0 >> 5 & 3 == 0 && $0 >> 4 & 1 == 1 }
                    ?? false
                return
            default: break
            }
            rest = rest.dropFirst(size)
        }
    }

    /// Whether a temporal unit has frames, and shows none of them: some files hold such a part of one as a sample of its own.
    static func isNonShown(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        var hasFrame = false
        while let head = rest.popFirst() {
            if head >> 2 & 1 == 1, rest.popFirst() == nil { return false }
            let size = head >> 1 & 1 == 1 ? number(&rest) : rest.count
            guard let size, size <= rest.count else { return false }
            let first = size > 0 ? rest.first : nil
            switch head >> 3 & 15 {
            // reduced_still_picture_header: its frame is shown, and does not say so.
            case sequenceHeader: if first.map({ $0 >> 3 & 1 == 1 }) ?? true { return false }
            case frameHeader, frame:
                // show_existing_frame, frame_type of two bits, show_frame.
                guard let first, first >> 7 == 0, first >> 4 & 1 == 0 else { return false }
                hasFrame = true
            default: break
            }
            rest = rest.dropFirst(size)
        }
        return hasFrame
    }

    /// Whether the OBUs of a temporal unit fill it.
    static func isWhole(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while let head = rest.popFirst() {
            // The highest bit is forbidden.
            guard head < 128 else { return false }
            if head >> 2 & 1 == 1, rest.popFirst() == nil { return false }
            let size = head >> 1 & 1 == 1 ? number(&rest) : rest.count
            guard let size, size <= rest.count else { return false }
            rest = rest.dropFirst(size)
        }
        return !bytes.isEmpty
    }

    /// A little-endian base-128 number (leb128); nil if it does not end or fit.
    private static func number(_ bytes: inout ArraySlice<UInt8>) -> Int? {
        var value = 0
        for index in 0..<5 {
            guard let byte = bytes.popFirst() else { return nil }
            value |= Int(byte & 127) << (index * 7)
            if byte < 128 { return value }
        }
        return nil
    }
}
