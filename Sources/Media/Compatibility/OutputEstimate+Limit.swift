// The lower bound of an output's size at any rate; exports below it are not attempted. `check`, dry runs and exports use the
// same numbers. Pure.
internal import MediaTime

extension OutputEstimate {
    /// Fewer bits per pixel than this are unwatchable.
    public static let leastBitsPerPixel = 0.004

    /// Container overhead: fixed, per frame, and per audio packet (1024 samples), in bytes; measured on mp4.
    private static let container = 900.0, perFrame = 10.0, perPacket = 8.0

    /// Whether rates can be lowered to meet a size; encoders whose profile fixes the quality and lossless audio cannot.
    var isFlexible: Bool {
        if asset.mainVideo != nil, let settings = preset.video {
            return !VideoSettings.intraEncoders.contains(settings.encoder)
        }
        return preset.audio?.bitRate != nil
    }

    /// Bytes of video at its lowest rate. Nearly static video needs less: the bytes at the preset's own quality are enough.
    public var leastVideo: Double {
        guard let track = asset.mainVideo, let format = track.video, let settings = preset.video else {
            return 0
        }
        let output = OutputVideo(format, settings, options)
        let seconds = seconds(of: track)
        let pixels = seconds * output.rate.value * Double(output.width * output.height)
        return min(
            pixels * OutputEstimate.leastBitsPerPixel / 8, encodedVideo(output, seconds)?.low ?? .infinity)
    }

    /// Bytes that a size limit must allow for an encoded output.
    public var least: Int64 {
        guard isFlexible else { return free(.encode)?.low ?? 0 }
        var bytes = OutputEstimate.container + leastVideo
        if let track = asset.mainVideo, let format = track.video, let settings = preset.video {
            let rate = OutputVideo(format, settings, options).rate
            bytes += seconds(of: track) * rate.value * OutputEstimate.perFrame
        }
        guard let settings = preset.audio else { return Int64(min(bytes, 1e15)) }
        for track in audio {
            guard let format = track.audio else { continue }
            let channels = settings.channels(of: format)
            let rate = min(format.sampleRate, settings.maxSampleRate)
            let seconds = seconds(of: track)
            let lowest = seconds * Double(settings.leastBitRate(channels: channels, sampleRate: rate)) / 8
            // Silence needs less than the lowest rate.
            bytes += min(lowest, encodedAudio(track, settings).low)
            bytes += seconds * Double(rate) / 1024 * OutputEstimate.perPacket
        }
        return Int64(min(bytes, 1e15))
    }

    /// Why the requested size cannot be met; nil if it may be.
    public var limitObstacle: MediaError? {
        guard let limit = options.limitSize, !preset.isPassthrough, least > limit else { return nil }
        return MediaError(
            .maximumFileSizeReached,
            "the output does not fit \(limit) bytes: this range needs more than \(least) with \(preset.id)",
            remedy: "choose a shorter range, a smaller preset, or a larger --limit-size")
    }
}

extension OutputEstimate {
    /// A limit below this multiple of the minimum is likely to be missed: the lowest rate of encoders varies that much between
    /// sources.
    private static let narrow = 1.2

    /// The warning for a requested size that may be too small; nil: none.
    public var limitWarning: Reason? {
        guard let limit = options.limitSize, !preset.isPassthrough, let free = free(.encode),
            free.likely > limit
        else {
            return nil
        }
        guard !isFlexible else {
            guard Double(limit) < Double(least) * OutputEstimate.narrow else { return nil }
            return Reason(
                .limitMayNotFit,
                "the output may not fit \(limit) bytes: this range needs about \(least) at the lowest rates of \(preset.id)",
                remedy: "choose a shorter range, a smaller preset, or a larger --limit-size")
        }
        return Reason(
            .limitMayNotFit,
            "the output is likely to have \(free.likely) bytes, more than the \(limit) that it may, and \(preset.id) cannot be lowered",
            remedy: "choose a preset whose rate can be")
    }
}

extension AudioSettings {
    /// The lowest bit rate requested of the codec for these channels and sample rate; 0 if the rate follows from the content.
    public func leastBitRate(channels: Int, sampleRate: Int) -> Int {
        guard bitRate != nil else { return 0 }
        let each =
            switch codec {
            case "opus": 8_000
            case "aac": 12_000
            case "mp3": 24_000
            case "ac3", "eac3": 48_000
            default: 32_000
            }
        let share = min(1, max(0.5, Double(sampleRate) / 44_100))
        return min(
            bitRate(channels: channels, sampleRate: sampleRate), Int(Double(each * max(1, channels)) * share))
    }
}
