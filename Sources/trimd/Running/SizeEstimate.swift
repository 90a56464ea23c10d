// SizeEstimate: how large an output may become, judged before anything of the asset is known. It is used to set disk
// space aside, so it errs upwards, but never far beyond the source's own size. Pure.
internal import JobQueue
internal import Media
internal import MediaTime

/// How large an output may become.
enum SizeEstimate {
    /// Bytes for what every file has, whatever is in it.
    static let overhead: Int64 = 64 << 10

    /// Bytes that a job's output may need. By the preset's highest bit rates over the range where both are known;
    /// else, and at most, by the source: what is encoded again for a length of its own is seldom larger.
    static func bytes(_ job: Job) -> Int64 {
        let source = max(0, job.source.size)
        let most = source + source / 4 + overhead
        guard let span = job.report().requested, let rate = bitRate(job.request.preset) else { return most }
        let seconds = (span.end - span.start).seconds
        guard seconds.isFinite, seconds > 0, seconds < 1e9 else { return most }
        return min(most, Int64(seconds * Double(rate) / 8) + overhead)
    }

    /// Bits a second, at most; nil where the preset has no bound.
    private static func bitRate(_ preset: Preset) -> Int? {
        var rate = preset.audio?.bitRate ?? 0
        if let video = preset.video {
            guard let most = video.maxBitRate ?? video.bitRate else { return nil }
            rate += most
        } else if rate == 0 {
            return nil
        }
        return rate
    }
}
