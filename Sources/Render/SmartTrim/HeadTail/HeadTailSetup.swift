// Sets up encoders so that their output fits a stored track: the same format, colours and timing, and no more reordering than the
// track has. Pure.
internal import Codecs
internal import Libav
internal import Media
internal import MediaTime

/// Encoder settings for head and tail of one track.
struct HeadTailSetup {
    /// GOP length of head and tail in frames: a check of the join, or a seek there, need not decode a whole long span.
    static let groupLength = 48

    /// Threads of an encoder whose output depends on their number: the same on every machine. Each holds frames of its own, and
    /// several encoders may run at once.
    static let threads = 2

    let track: Track
    /// Allowed reorder delay in frames.
    let delay: Int

    /// Whether head and tail of a codec can be encoded.
    static func canEncode(_ codec: String) -> Bool {
        VideoCodecs.named(codec) is any HeadTailCodec.Type
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
