// Estimates the size of an output before it is made, with a 90 % interval. Pure; the numbers were fitted to real exports (39
// files, ranges of 0.6 to 4 s, all presets), and the intervals are the residuals.
internal import Glibc
public import MediaTime

/// The complexity of a range's video: a few frames, encoded by libx264 (quality 20) at 640x360 or less, in the sizes of its preset veryfast.
public struct Complexity: Hashable, Sendable {
    /// Bits per pixel of the first frame, and of a later one.
    public var intra: Double, inter: Double
    /// Pixels of an encoded sample frame.
    public var pixels: Double
    /// Seconds of the range before its first frame.
    public var blank: Double

    /// Creates a measurement.
    public init(intra: Double, inter: Double, pixels: Double, blank: Double = 0) {
        self.blank = blank
        self.intra = intra
        self.inter = inter
        self.pixels = pixels
    }
}

/// An estimate of one output.
public struct OutputEstimate: Sendable {
    let preset: Preset
    let asset: Asset
    var options: ExportOptions
    /// The ranges, in asset time.
    let spans: [TimeSpan]
    /// Seconds of all ranges.
    let seconds: Double
    let findings: Findings

    /// Data that has to be read from the file.
    public struct Findings: Sendable {
        /// The complexity of the range's video; nil: not measured.
        public var complexity: Complexity?
        /// The stored bytes of each track in the range, by track index.
        public var stored: [Int: StoredAmount] = [:]
        /// Frames that are encoded next to copied ones.
        public var headTailFrames = 0
        /// How each audio track of the output is encoded, by track index, nil where it is copied; nil: as the preset says.
        public var audio: [Int: AudioSettings?]?
        /// Bytes of the cover art, whatever the range.
        public var artwork = 0

        /// Creates empty findings.
        public init() {}
    }

    /// Creates an estimate for the ranges.
    public init(
        _ preset: Preset, _ asset: Asset, _ options: ExportOptions, _ spans: [TimeSpan], _ findings: Findings
    ) {
        self.preset = preset
        self.asset = asset
        self.options = options
        self.spans = spans
        self.findings = findings
        seconds = max(0, spans.reduce(0) { $0 + ($1.end - $1.start).seconds }) / (options.speed?.value ?? 1)
    }

    /// Seconds of the range in which a track has samples.
    func seconds(of track: Track) -> Double {
        spans.reduce(0) { sum, span in
            let start = max(span.start, track.start ?? .zero)
            let end = min(span.end, track.end ?? span.end)
            return sum + max(0, (end - start).seconds) / (options.speed?.value ?? 1)
        }
    }

    /// A size in bytes, as an interval.
    struct Band {
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

    /// The audio tracks of the output.
    var audio: [Track] {
        if let planned = findings.audio { return asset.tracks.filter { planned.keys.contains($0.index) } }
        let audio = TrackSelection(options, of: asset).audio.filter(\.isDecodable)
        let holdsOne = preset.fileTypes.first.flatMap(FileType.init(rawValue:))?.holdsOneTrack == true
        return holdsOne ? Array(audio.prefix(1)) : audio
    }

    /// The output's size in a render mode; nil if it cannot be estimated.
    public func bytes(_ render: RenderMode) -> SizeBand? {
        guard seconds > 0, seconds.isFinite else { return nil }
        var sum = Band()
        let audio = audio
        var frames = 0.0
        if let track = asset.mainVideo, let format = track.video, preset.video != nil || preset.isPassthrough
        {
            frames = seconds(of: track) * (format.frameRate?.value ?? 30)
            if render != .encode || preset.copiesVideo {
                sum = sum + (render == .smart ? joined(track, format) : stored(track))
            } else if let settings = preset.video {
                let output = OutputVideo(format, settings, options)
                guard let video = encodedVideo(output, seconds(of: track)) else { return nil }
                sum = sum + video
            }
        }
        for track in audio {
            if let settings = settings(track, render) {
                sum = sum + encodedAudio(track, settings)
            } else {
                // A track that cannot be cut at the in point is encoded again, at a higher quality than the source.
                sum = sum + stored(track)
                if render == .encode { sum.high += stored(track).likely }
            }
        }
        // Container overhead per sample, and fixed; measured on mp4.
        sum = sum + Band(1300 + 24 * frames + 8 * seconds * 47 * Double(audio.count), 0.3, 1.6)
        sum.high += OutputEstimate.header
        // Not every file type holds it; Ogg comments encode it in base64, a third larger.
        sum = sum + Band(Double(findings.artwork), 0, 1.37)
        if let limit = options.limitSize.map(Double.init) {
            // An output whose rates were lowered to fit fills 85 to 100 % of the limit.
            let (low, likely) = isFlexible && !preset.isPassthrough ? (0.85, 0.95) : (1, 1)
            sum = Band(
                low: min(sum.low, limit * low), likely: min(sum.likely, limit * likely),
                high: min(sum.high, limit))
        }
        func whole(_ value: Double) -> Int64 { Int64(min(value, 1e15)) }
        return SizeBand(low: whole(sum.low), likely: whole(sum.likely), high: whole(sum.high.rounded(.up)))
    }

    /// The longest duration that meets the requested size at any point of the interval; nil if no size was requested.
    public func longest(_ render: RenderMode) -> Time? {
        guard let limit = options.limitSize else { return nil }
        guard let band = free(render), band.high > 0 else { return nil }
        let fits = seconds * Double(limit) / Double(band.high)
        let most = asset.duration?.seconds ?? .infinity
        return Time(Int64(min(fits, most, 1e9) * 1000), 1000)
    }

    // MARK: Parts

    /// Maximum bytes of codec headers, which matter in small outputs: HEVC's list the encoder settings.
    private static let header = 3000.0

    /// Maximum seconds of audio copied before the in point: ten packets of MP3.
    private static let preroll = 0.3

    /// Bytes of copied samples: as counted; else from the track's own rate, within a factor of two if the range differs from
    /// the rest.
    func stored(_ track: Track) -> Band {
        let seconds = seconds(of: track)
        if let amount = findings.stored[track.index] {
            var band = amount.isCounted ? Band(amount.bytes, 0.9, 1.1) : Band(amount.bytes, 0.6, 1.7)
            // Audio decoding starts a little before the in point.
            if track.kind == .audio {
                band.high += amount.bytes * OutputEstimate.preroll / max(0.01, seconds)
            }
            return band
        }
        let whole = asset.duration.map { Double(asset.bytes) * 8 / max(0.001, $0.seconds) }
        let rate = track.bitRate.map(Double.init) ?? whole ?? 1_000_000
        let isShort = seconds < 4 && track.kind == .video
        return Band(rate * seconds / 8, isShort ? 0.2 : 0.5, isShort ? 4 : 2)
    }

    /// Audio codecs whose rate reflects the content.
    private static let lossy: Set<String> = ["aac", "mp3", "opus", "vorbis", "ac3", "eac3"]

    /// The interval without a size limit; nil if it cannot be estimated.
    public func free(_ render: RenderMode) -> SizeBand? {
        var free = self
        free.options.limitSize = nil
        return free.bytes(render)
    }

    /// How an audio track is encoded in a render mode; nil: it is copied.
    private func settings(_ track: Track, _ render: RenderMode) -> AudioSettings? {
        if let planned = findings.audio { return planned[track.index] ?? nil }
        // A preset that copies has settings only for audio that an option changes.
        return render == .copy && !preset.isPassthrough ? nil : preset.audio
    }

    private func encodedAudio(_ track: Track, _ settings: AudioSettings) -> Band {
        guard let format = track.audio else { return Band() }
        let channels = settings.channels(of: format)
        let rate = min(format.sampleRate, settings.maxSampleRate)
        let seconds = seconds(of: track)
        let bits = settings.bitRate(channels: channels, sampleRate: rate)
        if bits > 0 {
            let bytes = Double(bits) * seconds / 8
            let band = settings.codec == "opus" ? Band(bytes, 0.05, 1.3) : Band(bytes, 0.5, 1.2)
            // Content that took one encoder few bits, such as silence, takes another no more.
            guard let source = findings.stored[track.index], OutputEstimate.lossy.contains(track.codec),
                source.bytes * 4 < bytes
            else { return band }
            return Band(
                low: min(band.low, source.bytes * 0.1), likely: source.bytes * 1.5, high: band.high)
        }
        let depth = Double(min(format.bits ?? 16, settings.maxBits ?? 16))
        let raw = Double(channels * rate) * depth / 8 * seconds
        return settings.codec == "flac" ? Band(raw * 0.6, 0.1, 1.7) : Band(raw, 0.66, 1.02)
    }
}

// The lower bound of an output's size at any rate; exports below it are not attempted. `check`, dry runs and exports use the
// same numbers. Pure.
extension OutputEstimate {
    /// Fewer bits per pixel than this are unwatchable.
    public static let leastBitsPerPixel = 0.004

    /// Container overhead: fixed, per frame, and per audio packet (1024 samples), in bytes; measured on mp4.
    private static let container = 900.0, perFrame = 10.0, perPacket = 8.0

    /// Whether rates can be lowered to meet a size; encoders whose profile fixes the quality and lossless audio cannot.
    private var isFlexible: Bool {
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

// Estimates the size of the output's video from the complexity of a few frames. Pure.
extension OutputEstimate {
    /// Copied frames plus encoded head and tail, which are encoded at high quality: as large as the frames they replace, or, if
    /// the source was coarse, as their complexity requires.
    func joined(_ track: Track, _ format: VideoFormat) -> Band {
        var band = stored(track)
        let frames = max(1, seconds(of: track) * (format.frameRate?.value ?? 30))
        let share = min(1, Double(findings.headTailFrames) / frames)
        // The range's first group of pictures is counted in full, but the part before the range is not copied.
        band.low *= 0.85 * (1 - 0.4 * share)
        if let blank = findings.complexity?.blank, blank > 0 {
            band.low *= max(0, 1 - blank / max(0.001, self.seconds))
        }
        band.high *= 1 + 0.5 * share
        if let complexity = findings.complexity, share > 0 {
            let encoder = track.codec == "hevc" ? "libx265" : "libx264"
            let bits = bits(
                encoder, crf: 16, complexity, pixels: Double(format.width * format.height),
                frames: Double(findings.headTailFrames), keys: max(1, Double(findings.headTailFrames) / 48))
            band.high = max(band.high, bits / 8 + band.likely * (1 - share))
        }
        return band
    }

    /// FFmpeg's encoders compared at the same quality value, as natural logarithms.
    private static let encoders = [
        "libx264": 2.80, "libx265": 2.66, "libvpx-vp9": 3.40, "libsvtav1": 3.638,
    ]
    /// Change of bits per quality step, as natural logarithm.
    private static let step = 0.1155

    /// Bits of frames encoded at a quality.
    private func bits(
        _ encoder: String, crf: Double, _ complexity: Complexity, pixels: Double, frames: Double, keys: Double
    ) -> Double {
        let base = (complexity.intra * keys + complexity.inter * max(0, frames - keys)) / max(1, frames)
        return pixels * frames
            * exp(
                (OutputEstimate.encoders[encoder] ?? 3) - OutputEstimate.step * crf
                    + 1.101 * log(max(1e-6, base)) - 0.499 * log(pixels / complexity.pixels))
    }

    private func encodedVideo(_ output: OutputVideo, _ range: Double) -> Band? {
        let settings = output.settings
        let seconds = min(range, self.seconds - (findings.complexity?.blank ?? 0))
        guard seconds > 0 else { return Band() }
        let pixels = Double(output.width * output.height)
        let frames = max(1, seconds * output.rate.value)
        // 256 colours, of which dithering leaves little to compress: 2 to 5 bits a pixel in most films.
        if settings.encoder == "gif" { return Band(2.8 * pixels * frames / 8, 0.1, 2.5) }
        if VideoSettings.intraEncoders.contains(settings.encoder) {
            let isFull = settings.pixelFormat.contains("444")
            guard let complexity = findings.complexity else {
                // Bits per pixel of ProRes 422; twice the chroma adds half.
                return Band((isFull ? 3.6 : 2.3) * pixels * frames / 8, 0.22, 2.6)
            }
            let bits = exp(
                (isFull ? 1.946 : 1.313) + 0.68 * log(max(1e-6, complexity.intra))
                    - 0.165 * log(pixels / complexity.pixels))
            return Band(bits * pixels * frames / 8, 0.4, 2)
        }
        let most = settings.maxBitRate.map { (Double($0) * seconds + Double(settings.bufferSize ?? 0)) / 8 }
        let keys = min(frames, (seconds / settings.keyframeInterval.value).rounded(.up))
        func bytes(crf: Double) -> Double? {
            guard let complexity = findings.complexity, OutputEstimate.encoders[settings.encoder] != nil
            else { return nil }
            return bits(
                settings.encoder, crf: crf, complexity, pixels: pixels, frames: frames, keys: keys) / 8
        }
        var band: Band?
        if let own = settings.crf.flatMap(bytes) { band = Band(own, 0.38, 2.4) }
        if let average = settings.bitRate {
            let full = Double((settings.maxWidth ?? 0) * (settings.maxHeight ?? 0))
            let share =
                full > 0
                ? min(1, pixels * output.rate.value / full / (settings.maxFrameRate?.value ?? 30)) : 1
            let whole = Double(average) * (share * share.squareRoot()).squareRoot() / 8
            var bound = Band(whole * seconds, 0.25, 1.2)
            bound.likely *= 0.85
            // The first frame has a fixed cost, and there is a highest quality.
            bound.high += min(whole, bytes(crf: 10).map { $0 / frames } ?? 0)
            if let fine = bytes(crf: 10), let finest = bytes(crf: 1), let coarse = bytes(crf: 20) {
                bound = Band(
                    low: min(bound.low, coarse), likely: min(bound.likely, fine),
                    high: min(bound.high, finest))
            }
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
}
