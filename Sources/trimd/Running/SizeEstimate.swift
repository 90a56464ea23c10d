// SizeEstimate: how large an output may become, by the worker's plan and by bounds that no worker can move. It is used to set
// disk space aside, so it errs upwards, but never far beyond the source's own size. Pure.
internal import JobQueue
internal import Media
internal import MediaTime
internal import Platform
internal import Wire

/// How large an output may become.
enum SizeEstimate {
    /// Bytes for what every file has, whatever is in it.
    static let overhead: Int64 = 64 << 10

    /// Bytes that a job's output may need, as its worker plans it: what the samples say that are taken over; else the preset's
    /// highest bit rates over the output's length where both are known; else, and at most, by the source: what is encoded
    /// again for a length of its own is seldom larger.
    static func bytes(_ job: Job, _ plan: WorkerPlan) -> Int64 {
        let source = max(0, job.source.size)
        let most = source + source / 4 + overhead
        if let planned = plan.bytes { return min(most, max(planned, overhead)) }
        guard let length = plan.length, let rate = bitRate(job.request.preset) else { return most }
        let seconds = length.seconds
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
