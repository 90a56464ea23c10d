// A sequence parameter set of H.264 (ITU-T H.264, 7.3.2.1.1 and annex E).

/// The content of a sequence parameter set.
package struct H264SequenceSet: Equatable, Sendable {
    /// profile_idc, the byte of constraint flags, and level_idc (ten times the level).
    package var profile = 0
    package var constraints = 0
    package var level = 0
    /// 0 to 31.
    package var id = 0
    /// 0 grey, 1 4:2:0, 2 4:2:2, 3 4:4:4.
    package var chromaFormat = 1
    package var separateColourPlane = false
    /// Bits per sample.
    package var lumaDepth = 8
    package var chromaDepth = 8
    package var losslessBypass = false
    package var hasScalingMatrix = false
    package var log2MaxFrameNum = 4
    package var pocType = 0
    package var log2MaxPocLsb = 0
    /// In frames (max_num_ref_frames).
    package var referenceFrames = 0
    package var gapsInFrameNum = false
    /// Width in macroblocks, and height in map units: rows of macroblocks, or of pairs where fields may be coded.
    package var widthInMBs = 0
    package var heightInMapUnits = 0
    package var frameMBsOnly = true
    package var mbAdaptive = false
    package var direct8x8 = false
    /// In crop units of the chroma format.
    package var cropLeft = 0
    package var cropRight = 0
    package var cropTop = 0
    package var cropBottom = 0
    package var vui: H264VUI?

    /// In pixels, cropped.
    package var width: Int {
        widthInMBs * 16 - (cropLeft + cropRight) * (chromaFormat == 1 || chromaFormat == 2 ? 2 : 1)
    }
    package var height: Int {
        heightInMapUnits * (frameMBsOnly ? 16 : 32)
            - (cropTop + cropBottom) * (chromaFormat == 1 ? 2 : 1) * (frameMBsOnly ? 1 : 2)
    }

    /// Maximum reorder delay in frames: from the set, otherwise from its level (ITU-T H.264, A.3.1).
    package var mostReordered: Int {
        if let reorder = vui?.maxReorder { return reorder }
        if pocType == 2 || profile == 66 { return 0 }
        let frame = widthInMBs * heightInMapUnits * (frameMBsOnly ? 1 : 2)
        let buffer = H264SequenceSet.buffers.first { level <= $0.level }?.macroblocks ?? 696_320
        return min(16, buffer / max(1, frame))
    }

    /// Decoded picture buffer size of a level in macroblocks (MaxDpbMbs).
    private static let buffers: [(level: Int, macroblocks: Int)] = [
        (10, 396), (11, 900), (20, 2376), (21, 4752), (30, 8100), (31, 18_000), (32, 20_480), (41, 32_768),
        (42, 34_816), (50, 110_400), (52, 184_320), (62, 696_320),
    ]

    /// Profiles whose sets include chroma format and bit depth.
    package static func isHigh(_ profile: Int) -> Bool {
        [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135].contains(profile)
    }

    /// Parses a NAL unit of type 7; nil if it is damaged.
    package init?(_ nal: ArraySlice<UInt8>) {
        guard let head = nal.first, head & 31 == 7 else { return nil }
        var reader = BitReader(EmulationPrevention.unescape(nal.dropFirst()))
        profile = reader.bits(8)
        constraints = reader.bits(8)
        level = reader.bits(8)
        id = reader.ue()
        if H264SequenceSet.isHigh(profile) {
            chromaFormat = reader.ue()
            if chromaFormat == 3 { separateColourPlane = reader.bit() }
            lumaDepth = reader.ue() + 8
            chromaDepth = reader.ue() + 8
            losslessBypass = reader.bit()
            hasScalingMatrix = reader.bit()
            if hasScalingMatrix { H264SequenceSet.skipMatrices(&reader, count: chromaFormat == 3 ? 12 : 8) }
        }
        log2MaxFrameNum = reader.ue() + 4
        pocType = reader.ue()
        if pocType == 0 {
            log2MaxPocLsb = reader.ue() + 4
        } else if pocType == 1 {
            reader.skip(1)
            _ = reader.se()
            _ = reader.se()
            let cycle = reader.ue()
            guard cycle <= 255 else { return nil }
            for _ in 0..<cycle { _ = reader.se() }
        }
        referenceFrames = reader.ue()
        gapsInFrameNum = reader.bit()
        widthInMBs = reader.ue() + 1
        heightInMapUnits = reader.ue() + 1
        frameMBsOnly = reader.bit()
        if !frameMBsOnly { mbAdaptive = reader.bit() }
        direct8x8 = reader.bit()
        if reader.bit() {
            cropLeft = reader.ue()
            cropRight = reader.ue()
            cropTop = reader.ue()
            cropBottom = reader.ue()
        }
        // Limits of the standard; values far beyond would overflow.
        guard !reader.isDamaged, id <= 31, chromaFormat <= 3, lumaDepth <= 14, chromaDepth <= 14,
            log2MaxFrameNum <= 16, log2MaxPocLsb <= 16, pocType <= 2, referenceFrames <= 16,
            widthInMBs <= 4096, heightInMapUnits <= 4096,
            [cropLeft, cropRight, cropTop, cropBottom].allSatisfy({ $0 <= 65_536 })
        else { return nil }
        if reader.bit() { vui = H264VUI(&reader) }
        if reader.isDamaged { return nil }
    }

    /// Skips scaling lists.
    static func skipMatrices(_ reader: inout BitReader, count: Int) {
        for list in 0..<count where reader.bit() {
            var last = 8
            var next = 8
            for _ in 0..<(list < 6 ? 16 : 64) where next != 0 {
                next = (last + reader.se()) & 255
                if next != 0 { last = next }
            }
        }
    }
}
