// Sets up encoders so that their output fits a stored track: the same format, colours and timing, and no more reordering than the
// track has. Pure.
internal import Libav
internal import Media
internal import MediaTime

/// Encoder settings for head and tail of one track.
struct HeadTailSetup {
    /// GOP length of head and tail in frames: a check of the seam, or a seek there, need not decode a whole long span.
    static let groupLength = 48

    let track: Track
    /// Allowed reorder delay in frames.
    let delay: Int

    /// Whether head and tail of a codec can be encoded.
    static func canEncode(_ codec: String) -> Bool {
        ["h264", "hevc"].contains(codec) || HeadTailCodecs.named(codec) != nil
    }

    /// Frames per second.
    var frameRate: Ratio { track.video?.frameRate ?? Ratio(25) }
    /// In pixels.
    var size: (width: Int, height: Int) { (track.video?.width ?? 0, track.video?.height ?? 0) }
    /// Frames consist of two fields.
    var isInterlaced: Bool {
        track.video?.fieldOrder == .topFieldFirst || track.video?.fieldOrder == .bottomFieldFirst
    }

    /// Returns a refusal as shown to users.
    func refused(_ why: String) -> MediaError {
        HeadTailSetup.refusal(
            "head and tail of track \(track.index) (\(track.codec)) cannot be encoded: \(why)", track)
    }

    /// The refusal where no encoder exists for a track's codec.
    static func noEncoder(for track: Track) -> MediaError {
        refusal(
            "no encoder for \(track.codec), and track \(track.index) is not cut at its keyframes", track)
    }

    private static func refusal(_ message: String, _ track: Track) -> MediaError {
        MediaError(
            .spliceFailed, message, track: track.index,
            remedy:
                "cut at keyframes (trimctl probe --keyframes), or use --render copy or a preset that encodes")
    }

    /// The encoder's header before the first frame. Throws if the encoder refuses the settings.
    func header(of setup: VideoEncoderSetup) throws(MediaError) -> [UInt8] {
        do throws(MediaError) { return try HeadTailEncoder(setup).extradata } catch {
            throw refused("its encoder does not take such frames (\(error.message))")
        }
    }

    /// Settings for libx264 with these parameters.
    func h264(_ options: H264HeadTailOptions, _ sequence: H264SequenceSet) -> VideoEncoderSetup {
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
        // At the source's quality, coarser searches cost some bits in a few frames and save half the time: measured on 191 frames
        // of 720p, SSIM 0.998 (veryfast: 0.995), 1.9 s of CPU (3.2 s).
        setup.options = [("preset", "superfast"), ("profile", profile), ("x264-params", options.text)]
        return setup
    }

    /// Settings for libx265; its parameter sets are renumbered afterwards.
    func hevc(_ sequence: HEVCSequenceSet, quality: Int) -> VideoEncoderSetup {
        var setup = common("libx265", rate: nil)
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

    /// Settings for libx265 whose first picture is this field. Its stream headers are the same for both fields.
    static func fields(_ setup: VideoEncoderSetup, _ order: HeadTailEncoder.Fields) -> VideoEncoderSetup {
        var setup = setup
        let isBottom = order.isBottomFirst != order.isInFrame
        setup.options = setup.options.map { key, value in
            (key, isBottom ? value.replacing("interlace=tff", with: "interlace=bff") : value)
        }
        return setup
    }

    /// Settings for an encoder with a fixed quantiser. Its header, if it has one, is in the stream.
    /// - Parameters:
    ///   - flags: additional FFmpeg flags.
    ///   - steps: quantiser step, 1 is the finest.
    func quantised(
        _ encoder: String, flags: String = "", steps: Int = 2, rate: Ratio? = nil
    ) -> VideoEncoderSetup {
        var setup = common(encoder, rate: rate)
        setup.hasGlobalHeader = false
        setup.keyframeInterval = HeadTailSetup.groupLength
        setup.options = [("flags", "+qscale" + flags), ("global_quality", "\(118 * steps)")]
        return setup
    }

    /// Settings common to all encoders.
    func common(_ encoder: String, rate: Ratio? = nil) -> VideoEncoderSetup {
        let format = track.video
        let rate = rate ?? frameRate
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
