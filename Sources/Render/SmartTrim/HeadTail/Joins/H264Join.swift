// Head and tail of H.264: x264 with options that make the source's parameter sets, or sets with other ids.
internal import Codecs
internal import Libav
internal import Media
internal import MediaTime

extension H264Codec: HeadTailCodec {
    /// Constant quality of head and tail: slightly better than common settings, since they are short.
    private static let quality = 16

    static func join(
        _ setup: HeadTailSetup, to stored: StoredStream, _ options: JoinOptions
    ) throws(MediaError) -> HeadTailJoin {
        let sets = H264ParameterSets(extradata: stored.header[...])
        let said = SEIFilter.options(stored.first[...], codec: H264Codec.self, framing: options.framing)
        if let refusal = H264HeadTailOptions.refusal(sets) { throw setup.refused(refusal.sentence) }
        guard let sequence = sets.sequences.first?.set, let id = sets.unusedID else {
            throw setup.refused("all ids of parameter sets are taken")
        }
        if !options.avoidsMatch, !options.avoidsFaults, sets.sequences.count == 1, sets.pictures.count == 1 {
            for candidate in H264HeadTailOptions.matching(sets, said: said) {
                let made = setup.h264(candidate, sequence)
                guard let encoder = try? HeadTailEncoder(made) else { continue }
                let own = H264ParameterSets(extradata: encoder.extradata[...])
                if own.sequences == sets.sequences, own.pictures == sets.pictures {
                    return join(made, .match, encoder.extradata)
                }
            }
        }
        guard
            var renumbered = H264HeadTailOptions.renumbered(sets, id: id, crf: quality, said: said)
        else {
            throw setup.refused("its parameter sets are damaged")
        }
        if options.avoidsFaults { renumbered.avoidFaultsOfOldBuilds() }
        let made = setup.h264(renumbered, sequence)
        return join(made, .ids, try HeadTailEncoder(made).extradata)
    }

    private static func join(
        _ setup: VideoEncoderSetup, _ scheme: JoinScheme, _ extradata: [UInt8]
    ) -> HeadTailJoin {
        let own = H264ParameterSets(extradata: extradata[...])
        return HeadTailJoin(
            setup: setup, scheme: scheme, extradata: extradata,
            delay: own.sequences.compactMap(\.set.vui?.maxReorder).max() ?? 0)
    }
}

extension HeadTailSetup {
    /// Settings for libx264 with these parameters.
    fileprivate func h264(_ options: H264HeadTailOptions, _ sequence: H264SequenceSet) -> VideoEncoderSetup {
        // A tick of the stream's timing is half a frame.
        let timing = sequence.vui.flatMap { vui in
            vui.hasTiming && vui.unitsInTick > 0
                ? Ratio(Int64(vui.timeScale), Int64(vui.unitsInTick) * 2) : nil
        }
        var setup = common("libx264", rate: timing)
        let profile =
            switch sequence.profile {
            case 66: "baseline"
            case 77: "main"
            case 110: "high10"
            case 122: "high422"
            case 244: "high444"
            default: "high"
            }
        setup.isInterlaced = !sequence.frameMBsOnly
        setup.threads = HeadTailSetup.threads
        // At the source's quality, coarser searches cost some bits in a few frames and save half the time: measured on 191 frames
        // of 720p, SSIM 0.998 (veryfast: 0.995), 1.9 s of CPU (3.2 s).
        setup.options = [("preset", "superfast"), ("profile", profile), ("x264-params", options.text)]
        return setup
    }
}

extension H264HeadTailOptions.Refusal {
    /// The reason, as the end of a sentence.
    var sentence: String {
        switch self {
        case .noSets: "its parameter sets are damaged or missing"
        case .severalSizes: "it has several frame sizes"
        case .layers: "it has layers or views"
        case .sliceGroups: "it has slice groups"
        case .profile(let number): "its profile is number \(number)"
        case .separateColourPlanes: "its colour planes are coded apart"
        case .rgb: "its pixels are red, green and blue"
        case .depth(let bits): "its frames have \(bits) bits"
        }
    }
}

extension H264ParameterSets: TimedParameterSets {
    static func retimed(
        _ parameters: CodecParameters, scale: Int64, tag: String?
    ) throws(LibavError) -> CodecParameters {
        // FFmpeg's filter cannot clear fixed_frame_rate in a set, so this does.
        let sets = H264ParameterSets(extradata: parameters.extradata[...])
        let loose = sets.retimed(fieldsPerSecond: Int(scale) * 2)
        let retimed = try BitstreamFilter(
            "h264_metadata", try CodecParameters(parameters, extradata: loose.avcC(), tag: tag),
            options: [("tick_rate", "\(scale * 2)/1"), ("fixed_frame_rate_flag", "0")]
        ).extradata
        // The filters return Annex B (start codes).
        return try CodecParameters(
            parameters, extradata: H264ParameterSets(extradata: retimed[...]).avcC(), tag: tag)
    }
}
