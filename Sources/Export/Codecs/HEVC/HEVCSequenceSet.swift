// A sequence parameter set of HEVC (ITU-T H.265, 7.3.2.2).

/// The content of a sequence parameter set.
struct HEVCSequenceSet: Equatable, Sendable {
    var videoSetID = 0
    /// 0 to 15.
    var id = 0
    var maxSubLayers = 1
    /// The twelve bytes of general_profile_space to general_level_idc.
    var profileTierLevel: [UInt8] = []
    /// 0 grey, 1 4:2:0, 2 4:2:2, 3 4:4:4.
    var chromaFormat = 1
    var separateColourPlane = false
    /// In pixels, before the conformance window.
    var codedWidth = 0
    var codedHeight = 0
    /// In chroma units.
    var windowLeft = 0
    var windowRight = 0
    var windowTop = 0
    var windowBottom = 0
    /// Bits per sample.
    var lumaDepth = 8
    var chromaDepth = 8
    var log2MaxPocLsb = 4
    /// Of the highest sub-layer: maximum frames buffered, and maximum reorder delay in frames.
    var maxBuffering = 1
    var maxReorder = 0
    /// Whether its pictures are fields.
    var fields = HEVCFieldInfo()

    var profile: Int { Int(profileTierLevel.first ?? 0) & 31 }
    var isHighTier: Bool { (profileTierLevel.first ?? 0) & 0x20 != 0 }
    /// Thirty times the level.
    var level: Int { Int(profileTierLevel.last ?? 0) }
    /// In pixels, after cropping.
    var width: Int {
        codedWidth - (windowLeft + windowRight) * (chromaFormat == 1 || chromaFormat == 2 ? 2 : 1)
    }
    var height: Int { codedHeight - (windowTop + windowBottom) * (chromaFormat == 1 ? 2 : 1) }

    /// Parses a NAL unit of type 33; nil if it is damaged.
    init?(_ nal: ArraySlice<UInt8>) {
        guard nal.count > 15, let head = nal.first, head >> 1 & 63 == 33 else { return nil }
        let payload = EmulationPrevention.unescape(nal.dropFirst(2))
        guard payload.count > 13 else { return nil }
        var reader = BitReader(payload)
        videoSetID = reader.bits(4)
        maxSubLayers = reader.bits(3) + 1
        reader.skip(1)
        profileTierLevel = Array(payload[1..<13])
        reader.skip(96)
        HEVCSequenceSet.skipSubLayers(&reader, count: maxSubLayers - 1)
        id = reader.ue()
        chromaFormat = reader.ue()
        if chromaFormat == 3 { separateColourPlane = reader.bit() }
        codedWidth = reader.ue()
        codedHeight = reader.ue()
        if reader.bit() {
            windowLeft = reader.ue()
            windowRight = reader.ue()
            windowTop = reader.ue()
            windowBottom = reader.ue()
        }
        lumaDepth = reader.ue() + 8
        chromaDepth = reader.ue() + 8
        log2MaxPocLsb = reader.ue() + 4
        let isEach = reader.bit()
        for _ in 0..<(isEach ? maxSubLayers : 1) {
            maxBuffering = reader.ue() + 1
            maxReorder = reader.ue()
            _ = reader.ue()
        }
        guard !reader.isDamaged, id <= 15, chromaFormat <= 3, lumaDepth <= 16, chromaDepth <= 16,
            codedWidth <= 65_536, codedHeight <= 65_536, log2MaxPocLsb <= 16,
            [windowLeft, windowRight, windowTop, windowBottom].allSatisfy({ $0 <= 65_536 })
        else { return nil }
        fields = HEVCFieldInfo(&reader, maxPocBits: log2MaxPocLsb)
    }

    /// Skips the profiles and levels of sub-layers.
    static func skipSubLayers(_ reader: inout BitReader, count: Int) {
        guard count > 0 else { return }
        let flags = (0..<8).map { _ in (reader.bit(), reader.bit()) }
        for (hasProfile, hasLevel) in flags.prefix(count) {
            if hasProfile { reader.skip(88) }
            if hasLevel { reader.skip(8) }
        }
    }
}
