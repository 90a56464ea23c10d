// The parameter sets of an H.264 track: their ids, what an encoder must match, and the avcC that holds several. Pure.
// Syntax: ITU-T H.264 7.3.2.1, 7.3.2.2 and annex E; avcC: ISO/IEC 14496-15 5.3.3.

/// Sequence and picture parameter sets, as NAL units.
struct H264ParameterSets: Hashable, Sendable {
    var sps: [[UInt8]] = []
    var pps: [[UInt8]] = []

    /// The sets of avcC, or of Annex B initialisation data or a sample.
    init(_ bytes: [UInt8], _ framing: NALFraming? = nil) {
        if framing == nil, bytes.first == 1, bytes.count > 6 {
            readAVCC(bytes)
            return
        }
        for unit in NALUnits(bytes, framing ?? .annexB) {
            switch (unit.first ?? 0) & 31 {
            case 7: if !sps.contains(Array(unit)) { sps.append(Array(unit)) }
            case 8: if !pps.contains(Array(unit)) { pps.append(Array(unit)) }
            default: break
            }
        }
    }

    private mutating func readAVCC(_ bytes: [UInt8]) {
        var at = 5
        func list(_ count: Int) -> [[UInt8]] {
            var sets: [[UInt8]] = []
            for _ in 0..<count {
                guard at + 2 <= bytes.count else { return sets }
                let size = Int(bytes[at]) << 8 | Int(bytes[at + 1])
                guard size > 0, at + 2 + size <= bytes.count else { return sets }
                sets.append(Array(bytes[(at + 2)..<(at + 2 + size)]))
                at += 2 + size
            }
            return sets
        }
        let sequences = Int(bytes[at] & 31)
        at += 1
        sps = list(sequences)
        guard at < bytes.count else { return }
        let pictures = Int(bytes[at])
        at += 1
        pps = list(pictures)
    }

    /// Ids of both kinds that are taken.
    var ids: Set<Int> {
        var ids = Set(sps.compactMap { H264Sequence($0)?.id })
        for set in pps {
            var bits = BitReader(set.dropFirst())
            ids.insert(bits.ue())
        }
        return ids
    }

    /// avcC with these sets, lengths in four bytes. The first sequence set says what the track is.
    var avcC: [UInt8] {
        guard let first = sps.first, first.count > 3 else { return [] }
        let level = sps.compactMap { $0.count > 3 ? $0[3] : nil }.max() ?? first[3]
        var bytes: [UInt8] = [1, first[1], first[2], level, 0xFF, 0xE0 | UInt8(sps.count & 31)]
        for set in sps { bytes += [UInt8(set.count >> 8 & 255), UInt8(set.count & 255)] + set }
        bytes.append(UInt8(pps.count & 255))
        for set in pps { bytes += [UInt8(set.count >> 8 & 255), UInt8(set.count & 255)] + set }
        if ![66, 77, 88].contains(first[1]), let facts = H264Sequence(first) {
            bytes += [
                0xFC | UInt8(facts.chromaFormat & 3), 0xF8 | UInt8((facts.bitDepth - 8) & 7),
                0xF8 | UInt8((facts.chromaBitDepth - 8) & 7), 0,
            ]
        }
        return bytes
    }
}

/// What a sequence parameter set says, as far as an encoder must match it.
struct H264Sequence: Hashable, Sendable {
    var profile = 0, constraints = 0, level = 0, id = 0
    var chromaFormat = 1, bitDepth = 8, chromaBitDepth = 8
    var pocType = 0, refFrames = 0
    /// In macroblocks; the height of a frame.
    var widthInBlocks = 0, heightInBlocks = 0
    var isFrameOnly = true
    /// Units and scale of a tick; half a frame's time.
    var timing: (units: Int, scale: Int, isFixed: Bool)? { _timing.map { ($0.units, $0.scale, $0.isFixed) } }
    var reorderFrames: Int?, bufferedFrames: Int?
    var hasHRD = false
    private struct Timing: Hashable { var units: Int, scale: Int, isFixed: Bool }
    private var _timing: Timing?

    /// Reads a set; nil where it is damaged.
    init?(_ set: [UInt8]) {
        guard set.count > 4, set[0] & 31 == 7 else { return nil }
        (profile, constraints, level) = (Int(set[1]), Int(set[2]), Int(set[3]))
        var bits = BitReader(set.dropFirst(4))
        id = bits.ue()
        if [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135].contains(profile) {
            chromaFormat = bits.ue()
            if chromaFormat == 3 { _ = bits.bit() }
            bitDepth = 8 + bits.ue()
            chromaBitDepth = 8 + bits.ue()
            _ = bits.bit()
            if bits.bit() { H264Sequence.skipMatrices(&bits, chromaFormat == 3 ? 12 : 8) }
        }
        _ = bits.ue()
        pocType = bits.ue()
        if pocType == 0 {
            _ = bits.ue()
        } else if pocType == 1 {
            _ = bits.bit()
            _ = (bits.se(), bits.se())
            for _ in 0..<min(bits.ue(), 255) { _ = bits.se() }
        }
        refFrames = bits.ue()
        _ = bits.bit()
        widthInBlocks = bits.ue() + 1
        heightInBlocks = bits.ue() + 1
        isFrameOnly = bits.bit()
        if !isFrameOnly {
            heightInBlocks *= 2
            _ = bits.bit()
        }
        _ = bits.bit()
        if bits.bit() { for _ in 0..<4 { _ = bits.ue() } }
        if bits.bit() { readUsability(&bits) }
        guard !bits.isBeyond, id < 32, bitDepth <= 14, refFrames <= 16 else { return nil }
    }

    private static func skipMatrices(_ bits: inout BitReader, _ count: Int) {
        for list in 0..<count where bits.bit() {
            var (last, next) = (8, 8)
            for _ in 0..<(list < 6 ? 16 : 64) {
                if next != 0 { next = (last + bits.se() + 256) % 256 }
                if next != 0 { last = next }
            }
        }
    }

    private mutating func readUsability(_ bits: inout BitReader) {
        if bits.bit(), bits.bits(8) == 255 { _ = bits.bits(32) }
        if bits.bit() { _ = bits.bit() }
        if bits.bit() {
            _ = bits.bits(4)
            if bits.bit() { _ = bits.bits(24) }
        }
        if bits.bit() { _ = (bits.ue(), bits.ue()) }
        if bits.bit() { _timing = Timing(units: bits.bits(32), scale: bits.bits(32), isFixed: bits.bit()) }
        var hasAny = false
        for _ in 0..<2 where bits.bit() {
            hasAny = true
            let count = min(bits.ue(), 31)
            _ = bits.bits(8)
            for _ in 0...count {
                _ = (bits.ue(), bits.ue())
                _ = bits.bit()
            }
            _ = bits.bits(20)
        }
        hasHRD = hasAny
        if hasAny { _ = bits.bit() }
        _ = bits.bit()
        if bits.bit() {
            _ = bits.bit()
            for _ in 0..<4 { _ = bits.ue() }
            reorderFrames = bits.ue()
            bufferedFrames = bits.ue()
        }
    }
}

/// What a picture parameter set says, as far as an encoder must match it.
struct H264Picture: Hashable, Sendable {
    var id = 0
    var usesCABAC = false, usesWeightedPrediction = false
    var weightedBiprediction = 0, initialQP = 26, chromaOffset = 0
    var isConstrainedIntra = false, uses8x8 = false, hasSliceGroups = false

    /// Reads a set; nil where it is damaged.
    init?(_ set: [UInt8]) {
        guard set.count > 1, set[0] & 31 == 8 else { return nil }
        var bits = BitReader(set.dropFirst())
        id = bits.ue()
        _ = bits.ue()
        usesCABAC = bits.bit()
        _ = bits.bit()
        hasSliceGroups = bits.ue() > 0
        guard !hasSliceGroups else { return }
        _ = (bits.ue(), bits.ue())
        usesWeightedPrediction = bits.bit()
        weightedBiprediction = bits.bits(2)
        initialQP = 26 + bits.se()
        _ = bits.se()
        chromaOffset = bits.se()
        _ = bits.bit()
        isConstrainedIntra = bits.bit()
        _ = bits.bit()
        guard !bits.isBeyond else { return nil }
        // What follows is there only for High.
        uses8x8 = bits.hasMore && bits.bit()
    }
}
