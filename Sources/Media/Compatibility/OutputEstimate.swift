// How large an output will be, told before it is made, with the band in which nine of ten outputs lie. Pure; the numbers were
// fitted to real exports (39 files, parts of 0.6 to 4 s, all presets), and the bands are what was left over.
internal import Glibc
public import MediaTime

/// How hard the pictures of a range are to code: a few of them, encoded by libx264 (veryfast, quality 20) at 640x360 or less.
public struct Complexity: Hashable, Sendable {
    /// Bits a pixel of the first picture, and of one that follows.
    public var intra: Double, inter: Double
    /// Pixels of a picture as it was tried.
    public var pixels: Double
    /// Seconds of the range before its first picture.
    public var blank: Double

    /// What was measured.
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
    /// The parts, in asset time.
    let spans: [TimeSpan]
    /// Seconds of all parts.
    let seconds: Double
    let findings: Findings

    /// What only the file can tell.
    public struct Findings: Sendable {
        /// How hard the range's pictures are to code; nil: nobody has tried.
        public var complexity: Complexity?
        /// What lies in the range of each track, as it is stored, by the tracks' indices.
        public var stored: [Int: StoredAmount] = [:]
        /// Pictures that are encoded where others are taken over.
        public var edges = 0
        /// Bytes of the picture that comes along, whatever the range is.
        public var artwork = 0

        /// Nothing is known.
        public init() {}
    }

    /// An estimate for the parts of a range.
    public init(
        _ preset: Preset, _ asset: Asset, _ options: RenderOptions, _ spans: [TimeSpan], _ findings: Findings
    ) {
        self.preset = preset
        self.asset = asset
        self.options = options
        self.spans = spans
        self.findings = findings
        seconds = max(0, spans.reduce(0) { $0 + ($1.end - $1.start).seconds })
    }

    /// Seconds of the range in which a track has something.
    func seconds(of track: Track) -> Double {
        spans.reduce(0) { sum, span in
            let start = max(span.start, track.start ?? .zero)
            let end = min(span.end, track.end ?? span.end)
            return sum + max(0, (end - start).seconds)
        }
    }

    /// Bytes of something, as a band.
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
        let audio = TrackSelection(options, of: asset).audio.filter(\.isDecodable)
        let holdsOne = preset.fileTypes.first.flatMap(FileType.init(rawValue:))?.holdsOneTrack == true
        return holdsOne ? Array(audio.prefix(1)) : audio
    }

    /// The size of an output that goes a way; nil where nobody can tell.
    public func bytes(_ render: RenderMode) -> SizeBand? {
        guard seconds > 0, seconds.isFinite else { return nil }
        var sum = Band()
        let audio = audio
        var frames = 0.0
        if let track = asset.mainVideo, let format = track.video, preset.video != nil || preset.isPassthrough
        {
            frames = seconds(of: track) * (format.frameRate?.value ?? 30)
            if render != .encode || preset.isPassthrough {
                sum = sum + (render == .smart ? joined(track, format) : stored(track))
            } else if let settings = preset.video {
                let output = OutputPicture(format, settings, options)
                guard let pictures = pictures(output, seconds(of: track)) else { return nil }
                sum = sum + pictures
            }
        }
        for track in audio {
            if render == .copy || preset.isPassthrough {
                // What cannot be cut where it is asked for is encoded again, more finely than it was.
                sum = sum + stored(track)
                if render == .encode { sum.high += stored(track).likely }
            } else {
                sum = sum + sound(track)
            }
        }
        // What a container says of each sample, and of itself; measured on mp4.
        sum = sum + Band(1300 + 24 * frames + 8 * seconds * 47 * Double(audio.count), 0.3, 1.6)
        sum.high += OutputEstimate.header
        // Not every file type holds it; Ogg's comments spell it in a third more letters.
        sum = sum + Band(Double(findings.artwork), 0, 1.37)
        if let limit = options.limitSize.map(Double.init) {
            // What is lowered to fit fills 85 to 100 parts of a hundred.
            let (low, likely) = isFlexible && !preset.isPassthrough ? (0.85, 0.95) : (1, 1)
            sum = Band(
                low: min(sum.low, limit * low), likely: min(sum.likely, limit * likely),
                high: min(sum.high, limit))
        }
        func whole(_ value: Double) -> Int64 { Int64(min(value, 1e15)) }
        return SizeBand(low: whole(sum.low), likely: whole(sum.likely), high: whole(sum.high.rounded(.up)))
    }

    /// How much of the source fits the size that was asked for, whatever the band allows; nil where none was asked for.
    public func longest(_ render: RenderMode) -> Time? {
        guard let limit = options.limitSize else { return nil }
        guard let band = free(render), band.high > 0 else { return nil }
        let fits = seconds * Double(limit) / Double(band.high)
        let most = asset.duration?.seconds ?? .infinity
        return Time(Int64(min(fits, most, 1e9) * 1000), 1000)
    }

    // MARK: Parts

    /// Bytes that codecs' headers take at most, which counts where there is little else: HEVC's say how it was encoded.
    private static let header = 3000.0

    /// Seconds of sound before the in point that are taken along, at most: ten packets of MP3.
    private static let preroll = 0.3

    /// Samples taken over as stored: as many as were found; else the track's own rate, where the range is not much like
    /// the rest twice or half of it.
    func stored(_ track: Track) -> Band {
        let seconds = seconds(of: track)
        if let amount = findings.stored[track.index] {
            var band = amount.isCounted ? Band(amount.bytes, 0.9, 1.1) : Band(amount.bytes, 0.6, 1.7)
            // Sound is decoded from a little before the in point.
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

    /// Codecs of sound whose rate says how much there is to hear.
    private static let lossy: Set<String> = ["aac", "mp3", "opus", "vorbis", "ac3", "eac3"]

    /// The band without a limit; nil where nobody can tell.
    public func free(_ render: RenderMode) -> SizeBand? {
        var free = self
        free.options.limitSize = nil
        return free.bytes(render)
    }

    func sound(_ track: Track) -> Band {
        guard let settings = preset.audio, let format = track.audio else { return Band() }
        let channels = min(format.channels, settings.maxChannels)
        let rate = min(format.sampleRate, settings.maxSampleRate)
        let seconds = seconds(of: track)
        let bits = settings.bitRate(channels: channels, sampleRate: rate)
        if bits > 0 {
            let bytes = Double(bits) * seconds / 8
            let band = settings.codec == "opus" ? Band(bytes, 0.05, 1.3) : Band(bytes, 0.5, 1.2)
            // What one encoder found next to nothing in, as silence, costs another no more.
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
