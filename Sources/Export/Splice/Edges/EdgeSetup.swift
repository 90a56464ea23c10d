// How encoders are set up so that what they make fits a track they did not make: the same picture, colours and timing, and
// no more reordering than the track has. Pure.
internal import Libav
internal import Media
internal import MediaTime

/// Set-ups of encoders for the ends of one track.
struct EdgeSetup {
    /// Pictures of a group in an encoded end: whoever looks at the seam, or seeks there, need not decode all of a long end.
    static let groupLength = 48

    let track: Track
    /// Pictures that may be held back.
    let delay: Int

    /// Whether there is a way to encode ends of a codec.
    static func canEncode(_ codec: String) -> Bool {
        BitstreamCodec(codec) != nil || ["vp8", "vp9", "av1"].contains(codec)
    }

    /// A refusal as a user is to read it.
    func refused(_ why: String) -> MediaError {
        MediaError(
            .spliceFailed,
            "the ends of track \(track.index) (\(track.codec)) cannot be encoded to fit: \(why)",
            track: track.index, remedy: "cut at sync samples, or use --render copy or --render encode")
    }

    /// libx264 with these parameters.
    func h264(_ options: H264EdgeOptions, _ sequence: H264SequenceSet) -> VideoEncoderSetup {
        // A tick of the stream's timing is half a frame.
        let timing = sequence.usability.flatMap { usability in
            usability.hasTiming && usability.unitsInTick > 0
                ? Ratio(Int64(usability.timeScale), Int64(usability.unitsInTick) * 2) : nil
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
        // At the source's own quality, coarser searches cost some bits of a few pictures, and save half the time: measured
        // on 191 pictures of 720p, SSIM 0.998 for veryfast's 0.995, 1.9 s of CPU for 3.2.
        setup.options = [("preset", "superfast"), ("profile", profile), ("x264-params", options.text)]
        return setup
    }

    /// libx265; its parameter sets are renumbered afterwards.
    func hevc(_ sequence: HEVCSequenceSet, quality: Int) -> VideoEncoderSetup {
        var setup = common("libx265", rate: nil)
        let depth = min(delay, sequence.maxReorder)
        var options = [
            "keyint=\(EdgeSetup.groupLength)", "scenecut=0", "open-gop=0", "repeat-headers=0", "info=0",
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

    /// A set-up of libx265 whose first picture is this field. What it says of the stream is the same for both.
    static func fields(_ setup: VideoEncoderSetup, _ order: EdgeEncoder.Fields) -> VideoEncoderSetup {
        var setup = setup
        let isBottom = order.isBottomFirst != order.isInFrame
        setup.options = setup.options.map { key, value in
            (key, isBottom ? value.replacing("interlace=tff", with: "interlace=bff") : value)
        }
        return setup
    }

    /// FFmpeg's own encoder, at the finest steps.
    func mpeg2() -> VideoEncoderSetup {
        var setup = common("mpeg2video", rate: nil)
        setup.hasGlobalHeader = false
        setup.keyframeInterval = EdgeSetup.groupLength
        setup.isInterlaced =
            track.video?.fieldOrder == .topFieldFirst || track.video?.fieldOrder == .bottomFieldFirst
        setup.options = [
            ("flags", "+qscale+cgop"), ("global_quality", "236"), ("bf", delay > 0 ? "2" : "0"),
            ("sc_threshold", "1000000000"),
        ]
        return setup
    }

    /// libvpx; each key frame sets the decoder up anew, and no picture is held back.
    func vpx(quality: Int) throws(MediaError) -> VideoEncoderSetup {
        if track.video?.hasAlpha == true { throw refused("its pictures have an alpha channel") }
        var setup = common(track.codec == "vp8" ? "libvpx" : "libvpx-vp9", rate: nil)
        setup.hasGlobalHeader = false
        setup.keyframeInterval = EdgeSetup.groupLength
        // For VP8 the average is the most that the quality may cost.
        if track.codec == "vp8" { setup.bitRate = max(2_000_000, setup.width * setup.height * 20) }
        setup.options = [
            ("deadline", "good"), ("cpu-used", "4"), ("crf", "\(quality)"), ("auto-alt-ref", "0"),
            ("lag-in-frames", "0"),
        ]
        if track.codec == "vp9" { setup.options.append(("row-mt", "1")) }
        return setup
    }

    /// libaom, fast; each key frame carries its own sequence header, and no picture is held back. SVT-AV1 1.4 never ends when
    /// it is closed without having been given a picture.
    func av1(quality: Int) -> VideoEncoderSetup {
        var setup = common("libaom-av1", rate: nil)
        setup.hasGlobalHeader = false
        setup.keyframeInterval = EdgeSetup.groupLength
        setup.options = [
            ("usage", "realtime"), ("cpu-used", "7"), ("crf", "\(quality)"), ("lag-in-frames", "0"),
            ("row-mt", "1"),
        ]
        return setup
    }

    private func common(_ encoder: String, rate: Ratio?) -> VideoEncoderSetup {
        let format = track.video
        let rate = rate ?? format?.frameRate ?? Ratio(25)
        let timebase =
            Timebase(
                numerator: Int32(clamping: rate.denominator), denominator: Int32(clamping: rate.numerator))
            ?? .milliseconds
        var setup = VideoEncoderSetup(
            encoder: encoder, width: format?.width ?? 0, height: format?.height ?? 0,
            pixelFormat: format?.pixelFormat ?? "yuv420p", timebase: timebase, frameRate: rate,
            keyframeInterval: 100_000)
        setup.sampleAspect = format?.sampleAspect ?? Ratio(1)
        setup.isFullRange = format?.color.range == "pc"
        setup.primaries = format?.color.primaries
        setup.transfer = format?.color.transfer
        setup.matrix = format?.color.matrix
        return setup
    }
}
