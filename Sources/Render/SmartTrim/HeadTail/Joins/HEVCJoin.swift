// Head and tail of HEVC: x265, whose parameter sets get ids that the source does not use.
internal import Codecs
internal import Libav
internal import Media
internal import MediaTime
internal import Source

extension HEVCCodec: HeadTailCodec {
    /// Constant quality of head and tail: slightly better than common settings, since they are short.
    private static let quality = 16

    static func join(
        _ setup: HeadTailSetup, to stored: StoredStream, _ options: JoinOptions
    ) throws(MediaError) -> HeadTailJoin {
        let sets = HEVCParameterSets(extradata: stored.header[...])
        guard let sequence = sets.sequences.first.flatMap({ HEVCSequenceSet($0[...]) }),
            let ids = sets.unusedIDs
        else {
            throw setup.refused("its parameter sets are damaged or use all ids")
        }
        guard sequence.chromaFormat == 1, [8, 10].contains(sequence.lumaDepth),
            sequence.lumaDepth == sequence.chromaDepth
        else { throw setup.refused("its pixels are \(setup.track.video?.pixelFormat ?? "unusual")") }
        let made = setup.hevc(sequence, quality: quality)
        let extradata = try HeadTailEncoder(made).extradata
        let own = HEVCParameterSets(extradata: extradata[...]).sequences
        return HeadTailJoin(
            setup: made, scheme: .ids, extradata: extradata,
            renumber: { ids.apply($0, framing: .annexB) },
            delay: own.compactMap { HEVCSequenceSet($0[...])?.maxReorder }.max() ?? 0)
    }

    /// The first picture is this field. The stream headers are the same for both fields.
    static func beginning(
        _ setup: VideoEncoderSetup, with fields: HeadTailEncoder.Fields
    ) -> VideoEncoderSetup {
        var setup = setup
        let isBottom = fields.isBottomFirst != fields.isInFrame
        setup.options = setup.options.map { key, value in
            (key, isBottom ? value.replacing("interlace=tff", with: "interlace=bff") : value)
        }
        return setup
    }
}

extension HeadTailSetup {
    /// Settings for libx265; its parameter sets are renumbered afterwards.
    fileprivate func hevc(_ sequence: HEVCSequenceSet, quality: Int) -> VideoEncoderSetup {
        var setup = common("libx265", rate: nil)
        // Frames at once; the rows of each use what processors there are, which changes no bit.
        setup.threads = 2
        let depth = min(delay, sequence.maxReorder)
        var options = [
            "keyint=\(HeadTailSetup.groupLength)", "scenecut=0", "open-gop=0", "repeat-headers=0", "info=0",
            "hrd=0", "aud=0",
            "log-level=1",
            "bframes=\(depth == 0 ? 0 : 3)", "b-pyramid=\(depth > 1 ? 1 : 0)",
            "ref=\(max(1, min(sequence.maxBuffering - 1 - (depth > 1 ? 1 : 0), 5)))", "crf=\(quality)",
            "high-tier=\(sequence.isHighTier ? 1 : 0)",
        ]
        if track.isBottomFieldFirst != nil {
            options.append("interlace=tff")
            setup.height /= 2
            if let fields = setup.frameRate.multiplied(by: Ratio(2)) {
                setup.frameRate = fields
                setup.timebase =
                    Timebase(
                        numerator: Int32(clamping: fields.denominator),
                        denominator: Int32(clamping: fields.numerator)) ?? setup.timebase
            }
        }
        setup.options = [("preset", "veryfast"), ("x265-params", options.joined(separator: ":"))]
        return setup
    }
}

extension HEVCParameterSets: TimedParameterSets {
    static func retimed(
        _ parameters: CodecParameters, scale: Int64, tag: String?
    ) throws(LibavError) -> CodecParameters {
        let retimed = try BitstreamFilter(
            "hevc_metadata", parameters, options: [("tick_rate", "\(scale)/1")]
        ).extradata
        return try CodecParameters(
            parameters, extradata: HEVCParameterSets(extradata: retimed[...]).hvcC(), tag: tag)
    }
}
