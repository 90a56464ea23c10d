// How large an output will be, told before it is made, with the band in which nine of ten outputs lie. Pure; the numbers were
// fitted to real exports (24 films, parts of 0.6 to 2.5 s, nine presets), and the bands are what was left over (of silence and of
// stills, which cost next to nothing, they say too much).
internal import Glibc
public import MediaTime

/// How hard the pictures of a range are to code: a few of them, encoded by libx264 (veryfast, quality 20) at 640x360 or less.
public struct Complexity: Hashable, Sendable {
    /// Bits a pixel of the first picture, and of one that follows.
    public var intra: Double, inter: Double
    /// Pixels of a picture as it was tried.
    public var pixels: Double

    /// What was measured.
    public init(intra: Double, inter: Double, pixels: Double) {
        self.intra = intra
        self.inter = inter
        self.pixels = pixels
    }
}

/// An estimate of one output.
public struct OutputEstimate: Sendable {
    private let preset: Preset
    private let asset: Asset
    private let options: RenderOptions
    /// Seconds of the range.
    private let seconds: Double
    private let complexity: Complexity?
    /// Bytes that come along whatever the range is.
    private let artwork: Int

    /// An estimate for a range.
    /// - Parameters:
    ///   - complexity: of the range's pictures; nil: nobody has tried.
    ///   - artwork: bytes of the picture that comes along.
    public init(
        _ preset: Preset, _ asset: Asset, _ options: RenderOptions, length: Time, complexity: Complexity?,
        artwork: Int = 0
    ) {
        self.artwork = artwork
        self.preset = preset
        self.asset = asset
        self.options = options
        seconds = max(0, length.seconds)
        self.complexity = complexity
    }

    /// Bytes of something, as a band.
    private struct Band {
        var low = 0.0, likely = 0.0, high = 0.0

        static func + (a: Band, b: Band) -> Band {
            Band(low: a.low + b.low, likely: a.likely + b.likely, high: a.high + b.high)
        }

        init(low: Double = 0, likely: Double = 0, high: Double = 0) {
            (self.low, self.likely, self.high) = (low, likely, high)
        }

        init(_ likely: Double, _ low: Double, _ high: Double) {
            self.init(low: likely * low, likely: likely, high: likely * high)
        }
    }

    /// The size of an output that goes a way; nil where nobody can tell.
    public func bytes(_ render: RenderMode) -> SizeBand? {
        guard seconds > 0, seconds.isFinite else { return nil }
        var sum = Band()
        var audio = AudioChoice(options.audio).tracks(of: asset).filter(\.isDecodable)
        if preset.fileTypes.first.flatMap(FileType.init(rawValue:))?.holdsOneTrack == true {
            audio = Array(audio.prefix(1))
        }
        var frames = 0.0
        if let track = asset.mainVideo, let format = track.video, preset.video != nil || preset.isPassthrough
        {
            frames = seconds * (format.frameRate?.value ?? 30)
            if render != .encode || preset.isPassthrough {
                sum = sum + stored(track)
            } else if let settings = preset.video {
                guard let pictures = pictures(OutputPicture(format, settings, options)) else { return nil }
                sum = sum + pictures
            }
        }
        for track in audio {
            if render == .copy || preset.isPassthrough {
                sum = sum + stored(track)
            } else {
                sum = sum + sound(track)
            }
        }
        // What a container says of each sample, and of itself; measured on mp4.
        sum = sum + Band(1300 + 24 * frames + 8 * seconds * 47 * Double(audio.count), 0.3, 1.6)
        // Not every file type holds it; Ogg's comments spell it in a third more letters.
        sum = sum + Band(Double(artwork), 0, 1.37)
        if let limit = options.limitSize.map(Double.init) {
            sum = Band(
                low: min(sum.low, limit / 2), likely: min(sum.likely, limit * 0.95),
                high: min(sum.high, limit))
        }
        func whole(_ value: Double) -> Int64 { Int64(min(value, 1e15)) }
        return SizeBand(low: whole(sum.low), likely: whole(sum.likely), high: whole(sum.high.rounded(.up)))
    }

    /// How much of the source fits the size that was asked for, whatever the band allows; nil where none was asked for.
    public func longest(_ render: RenderMode) -> Time? {
        guard let limit = options.limitSize else { return nil }
        var free = self.options
        free.limitSize = nil
        let estimate = OutputEstimate(
            preset, asset, free, length: Time(Int64(seconds * 1000), 1000), complexity: complexity,
            artwork: artwork)
        guard let band = estimate.bytes(render), band.high > 0 else { return nil }
        let fits = seconds * Double(limit) / Double(band.high)
        let most = asset.duration?.seconds ?? .infinity
        return Time(Int64(min(fits, most, 1e9) * 1000), 1000)
    }

    // MARK: Parts

    /// Samples taken over as stored: the track's own rate, where the range is not much like the rest twice or half of it.
    private func stored(_ track: Track) -> Band {
        let whole = asset.duration.map { Double(asset.bytes) * 8 / max(0.001, $0.seconds) }
        let rate = track.bitRate.map(Double.init) ?? whole ?? 1_000_000
        let isShort = seconds < 4 && track.kind == .video
        return Band(rate * seconds / 8, isShort ? 0.2 : 0.5, isShort ? 4 : 2)
    }

    /// How FFmpeg's encoders compare at the same number of quality, as natural logarithms.
    private static let encoders = [
        "libx264": 2.996, "libx265": 2.828, "libvpx-vp9": 3.548, "libsvtav1": 3.638,
    ]
    /// By how much of its bits a step of quality changes, as natural logarithm.
    private static let step = 0.1155

    private func pictures(_ output: OutputPicture) -> Band? {
        let settings = output.settings
        let pixels = Double(output.width * output.height)
        let frames = max(1, seconds * output.rate.value)
        if VideoSettings.intraEncoders.contains(settings.encoder) {
            // Bits a pixel of ProRes 422; with twice the chroma, half as much again.
            let bits = settings.pixelFormat.contains("444") ? 3.6 : 2.3
            return Band(bits * pixels * frames / 8, 0.22, 2.6)
        }
        let most = settings.maxBitRate.map { (Double($0) * seconds + Double(settings.bufferSize ?? 0)) / 8 }
        var band: Band?
        if let crf = settings.crf, let complexity, let encoder = OutputEstimate.encoders[settings.encoder] {
            let keys = min(frames, (seconds / settings.keyframeInterval.value).rounded(.up))
            let base = (complexity.intra * keys + complexity.inter * (frames - keys)) / frames
            let bits = exp(
                encoder - OutputEstimate.step * crf + 1.101 * log(max(1e-6, base))
                    - 0.499 * log(pixels / complexity.pixels))
            band = Band(bits * pixels * frames / 8, 0.35, 2.4)
        }
        if let average = settings.bitRate {
            let full = Double((settings.maxWidth ?? 0) * (settings.maxHeight ?? 0))
            let share =
                full > 0
                ? min(1, pixels * output.rate.value / full / (settings.maxFrameRate?.value ?? 30)) : 1
            let bytes = Double(average) * (share * share.squareRoot()).squareRoot() * seconds / 8
            let bound = Band(low: bytes * 0.25, likely: bytes * 0.85, high: bytes * 1.2)
            band =
                band.map { own in
                    Band(
                        low: min(own.low, bound.low), likely: min(own.likely, bound.likely),
                        high: min(own.high, bound.high * 1.3))
                } ?? bound
        }
        guard var band else { return nil }
        if let most {
            band = Band(
                low: min(band.low, most), likely: min(band.likely, most), high: min(band.high, most * 1.05))
        }
        return band
    }

    private func sound(_ track: Track) -> Band {
        guard let settings = preset.audio, let format = track.audio else { return Band() }
        let channels = min(format.channels, settings.maxChannels)
        let rate = min(format.sampleRate, settings.maxSampleRate)
        let bits = settings.bitRate(channels: channels, sampleRate: rate)
        if bits > 0 {
            let bytes = Double(bits) * seconds / 8
            return settings.codec == "opus" ? Band(bytes, 0.05, 1.3) : Band(bytes, 0.5, 1.2)
        }
        let depth = Double(min(format.bits ?? 16, settings.maxBits ?? 16))
        let raw = Double(channels * rate) * depth / 8 * seconds
        return settings.codec == "flac" ? Band(raw * 0.6, 0.1, 1.7) : Band(raw, 0.66, 1.02)
    }
}
