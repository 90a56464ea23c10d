// OutputBound: the largest possible output, from the request, the source's size and its name alone: nothing else of the source is known
// outside a worker, and a worker does not set its own limit. The kernel enforces it, so that a compromised worker cannot fill
// the disk. It is a generous upper bound: no legitimate export may reach it. For space reservation, SizeEstimate gives the
// amount. Pure.
internal import JobQueue
internal import Media
internal import MediaTime
internal import Platform

/// The largest possible output.
enum OutputBound {
    /// For a file's fixed parts, and for tiny sources: 64 MiB.
    static let base: Int64 = 64 << 20
    /// The largest ratio of output to source size for copied samples: another container, and parity of times.
    private static let copied: Int64 = 4
    /// The same for lossy codecs. 6 kbit/s of Opus become 256 of AAC, 43 times as much; video encoded again at a high quality,
    /// some thirty times.
    private static let encoded: Int64 = 64
    /// The same for lossless and intra codecs: a still image of 1080 lines at 20 kbit/s becomes 130 Mbit/s of ProRes, 6500
    /// times as much.
    private static let lossless: Int64 = 16_384
    /// The size of the media that a byte of a playlist can name: a segment takes 14 bytes of it at least, and has some 100 MiB at most.
    private static let listed: Int64 = 8 << 20
    /// The same of a list of films: a line of twenty bytes may name one of 20 GiB.
    private static let listedFilms: Int64 = 1 << 30
    /// Bits per second of video if the preset has no limit: H.264 of noise in 4K, and ProRes 4444 in 8K, both at 60 frames per
    /// second.
    private static let highestRate = (lossy: 1_500_000_000.0, intra: 12_000_000_000.0)
    /// The number of audio tracks allowed for; each is encoded at the preset's rate.
    private static let audioTracks = 32.0

    /// The largest output of a job, in bytes.
    static func bytes(_ job: Job) -> Int64 {
        let request = job.request
        let kept = [request.keep] + (request.sources ?? []).map(\.keep)
        let ranges = Int64(max(1, kept.compactMap { $0?.count }.max() ?? 1))
        let size =
            request.sourceBytes.map { (partialValue: max(0, $0), overflow: false) }
            ?? max(0, job.source.size).multipliedReportingOverflow(by: mediaPerByte(request.input))
        let source =
            size.overflow ? (.max, true) : size.partialValue.multipliedReportingOverflow(by: ranges)
        let factor = factor(request)
        let bySize = source.overflow ? nil : product(source.partialValue, factor)
        let highest = presets(request).map(rate).max() ?? 0
        let byTime = factor == copied ? nil : seconds(request).map { 2 * highest / 8 * $0 }
        let most = min(Double(bySize ?? Int64.max / 4), byTime ?? .infinity)
        return base + Int64(min(most, Double(Int64.max / 4)))
    }

    /// The bytes of media for each of a source's, by its name: those of a list are other files. Its content is the worker's to look at.
    private static func mediaPerByte(_ path: String) -> Int64 {
        let name = path.lowercased()
        if name.hasSuffix(".m3u8") || name.hasSuffix(".m3u") { return listed }
        return lists.contains { name.hasSuffix($0) } ? listedFilms : 1
    }

    /// Names of lists of films.
    private static let lists = [".ffconcat", ".concat", ".txt", ".list", ".lst"]

    private static func product(_ a: Int64, _ b: Int64) -> Int64? {
        let (product, overflow) = a.multipliedReportingOverflow(by: b)
        return overflow ? nil : product
    }

    private static func factor(_ request: ExportRequest) -> Int64 {
        if request.render == .copy { return copied }
        return presets(request).contains(where: isLossless) ? lossless : encoded
    }

    /// The presets that an export may use.
    private static func presets(_ request: ExportRequest) -> [Preset] {
        [request.preset, request.fallback].compactMap(\.self)
    }

    private static func isLossless(_ preset: Preset) -> Bool {
        let encoder = preset.video?.encoder ?? ""
        if VideoSettings.intraEncoders.contains(encoder) || encoder == "gif" || encoder == "ffv1" {
            return true
        }
        return preset.audio.map { $0.bitRate == nil } ?? false
    }

    /// The highest bit rate, in bits per second.
    private static func rate(_ preset: Preset) -> Double {
        var rate = 0.0
        if let video = preset.video {
            let highest = isLossless(preset) ? highestRate.intra : highestRate.lossy
            rate += (video.maxBitRate ?? video.bitRate).map(Double.init) ?? highest
        }
        if let audio = preset.audio {
            let stored = Double(audio.maxChannels * audio.maxSampleRate * (audio.maxBits ?? 16))
            let coded = audio.bitRate.map {
                Double(max($0 * audio.maxChannels / 2, audio.surroundBitRate ?? 0))
            }
            rate += (coded ?? stored) * audioTracks
        }
        // Copied samples have the source's rate.
        return preset.video == nil && preset.audio == nil ? highestRate.lossy : rate
    }

    /// The output's duration in seconds, if it is known without the source.
    private static func seconds(_ request: ExportRequest) -> Double? {
        guard request.toleranceBefore == nil, request.toleranceAfter == nil else { return nil }
        if let ranges = request.keep {
            let lengths = ranges.map { length($0.start, $0.end, nil) }
            return lengths.contains { $0 == nil } ? nil : lengths.compactMap(\.self).reduce(0, +)
        }
        return length(request.start, request.end, request.duration)
    }

    private static func length(
        _ start: TimeSpelling?, _ end: TimeSpelling?, _ duration: TimeSpelling?
    ) -> Double? {
        if let length = duration?.assetTime { return checked(length) }
        guard let end = end?.assetTime, let start = start == nil ? .zero : start?.assetTime else {
            return nil
        }
        return checked(end - start)
    }

    private static func checked(_ length: Time) -> Double? {
        let seconds = length.seconds
        return seconds.isFinite && seconds > 0 ? seconds + 10 : nil
    }
}
