// The least that an output can have, whatever its rates: what is not even tried. The same numbers for `check`, for a dry run and
// for the export. Pure.
internal import MediaTime

extension OutputEstimate {
    /// Fewer bits than these a pixel are not worth looking at.
    public static let leastBitsPerPixel = 0.004

    /// What a container says at least of itself, of a picture, and of a packet of sound (1024 samples); measured on mp4.
    private static let container = 900.0, perPicture = 10.0, perPacket = 8.0

    /// Rates can be lowered to hold a size: pictures whose quality follows from their profile, and sound without loss, cannot.
    var isFlexible: Bool {
        if asset.mainVideo != nil, let settings = preset.video {
            return !VideoSettings.intraEncoders.contains(settings.encoder)
        }
        return preset.audio?.bitRate != nil
    }

    /// Bytes that the pictures need at their lowest rate. Those that hardly differ need less than others: what the preset's
    /// own quality may take of them is enough.
    public var leastOfPictures: Double {
        guard let track = asset.mainVideo, let format = track.video, let settings = preset.video else {
            return 0
        }
        let output = OutputPicture(format, settings, options)
        let seconds = seconds(of: track)
        let pixels = seconds * output.rate.value * Double(output.width * output.height)
        return min(pixels * OutputEstimate.leastBitsPerPixel / 8, pictures(output, seconds)?.low ?? .infinity)
    }

    /// Bytes that a limit must leave an output that is encoded.
    public var least: Int64 {
        guard isFlexible else { return free(.encode)?.low ?? 0 }
        var bytes = OutputEstimate.container + leastOfPictures
        if let track = asset.mainVideo, let format = track.video, let settings = preset.video {
            let rate = OutputPicture(format, settings, options).rate
            bytes += seconds(of: track) * rate.value * OutputEstimate.perPicture
        }
        guard let settings = preset.audio else { return Int64(min(bytes, 1e15)) }
        for track in audio {
            guard let format = track.audio else { continue }
            let channels = min(format.channels, settings.maxChannels)
            let rate = min(format.sampleRate, settings.maxSampleRate)
            let seconds = seconds(of: track)
            let lowest = seconds * Double(settings.leastBitRate(channels: channels, sampleRate: rate)) / 8
            // Silence needs less than the lowest rate.
            bytes += min(lowest, sound(track).low)
            bytes += seconds * Double(rate) / 1024 * OutputEstimate.perPacket
        }
        return Int64(min(bytes, 1e15))
    }

    /// Why nothing can be made that holds the size that was asked for; nil where it may be.
    public var limitObstacle: MediaError? {
        guard let limit = options.limitSize, !preset.isPassthrough, least > limit else { return nil }
        return MediaError(
            .maximumFileSizeReached,
            "the output does not fit \(limit) bytes: this range needs at least \(least) with \(preset.id)",
            remedy: "choose a shorter range, a smaller preset, or a larger --limit-size")
    }
}

extension OutputEstimate {
    /// A limit below so many times the least is likely to be missed: how low encoders go differs from film to film by as much.
    private static let narrow = 1.2

    /// The warning of a size that was asked for, where it may be too small; nil: there is none.
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
    /// Bits a second below which the codec is not asked to go for so many channels at a rate; 0 where its rate follows from the
    /// sound.
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
