// A sequence parameter set of HEVC (ITU-T H.265, 7.3.2.2).

/// The content of a sequence parameter set.
package struct HEVCSequenceSet: Equatable, Sendable {
    package var videoSetID = 0
    /// 0 to 15.
    package var id = 0
    package var maxSubLayers = 1
    /// The twelve bytes of general_profile_space to general_level_idc.
    package var profileTierLevel: [UInt8] = []
    /// 0 grey, 1 4:2:0, 2 4:2:2, 3 4:4:4.
    package var chromaFormat = 1
    package var separateColourPlane = false
    /// In pixels, before the conformance window.
    package var codedWidth = 0
    package var codedHeight = 0
    /// In chroma units.
    package var windowLeft = 0
    package var windowRight = 0
    package var windowTop = 0
    package var windowBottom = 0
    /// Bits per sample.
    package var lumaDepth = 8
    package var chromaDepth = 8
    package var log2MaxPocLsb = 4
    /// Of the highest sub-layer: maximum frames buffered, and maximum reorder delay in frames.
    package var maxBuffering = 1
    package var maxReorder = 0
    /// Whether its pictures are fields.
    var fields = HEVCFieldInfo()

    package var profile: Int { Int(profileTierLevel.first ?? 0) & 31 }
    package var isHighTier: Bool { (profileTierLevel.first ?? 0) & 0x20 != 0 }
    /// Thirty times the level.
    package var level: Int { Int(profileTierLevel.last ?? 0) }
    /// In pixels, after cropping.
    package var width: Int {
        codedWidth - (windowLeft + windowRight) * (chromaFormat == 1 || chromaFormat == 2 ? 2 : 1)
    }
    package var height: Int { codedHeight - (windowTop + windowBottom) * (chromaFormat == 1 ? 2 : 1) }

    /// Parses a NAL unit of type 33; nil if it is damaged.
    package init?(_ nal: ArraySlice<UInt8>) {
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
