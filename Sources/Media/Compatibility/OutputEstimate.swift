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
    var options: RenderOptions
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
        _ preset: Preset, _ asset: Asset, _ options: RenderOptions, _ spans: [TimeSpan], _ findings: Findings
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

    func encodedAudio(_ track: Track, _ settings: AudioSettings) -> Band {
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
