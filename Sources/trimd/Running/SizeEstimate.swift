// SizeEstimate: the estimated size of an output, from the worker's plan and limits that no worker can change. It serves to
// reserve disk space, so it errs upwards, but never far beyond the source's size. Pure.
internal import JobQueue
internal import Media
internal import MediaTime
internal import Platform
internal import Wire

/// The estimated size of an output.
enum SizeEstimate {
    /// Bytes for a file's fixed parts.
    static let overhead: Int64 = 64 << 10

    /// The bytes that a job's output may need by its worker's plan: the size of copied samples; otherwise the preset's highest
    /// bit rates times the output's duration, if both are known; otherwise, and at most, a quarter more than the source's size,
    /// which re-encoded media seldom exceeds.
    static func bytes(_ job: Job, _ plan: WorkerPlan) -> Int64 {
        let source = max(0, job.request.sourceBytes ?? job.source.size)
        let most = min(source, .max / 2) + min(source, .max / 2) / 4 + overhead
        if let planned = plan.bytes { return min(most, max(planned, overhead)) }
        guard let length = plan.length, let rate = bitRate(job.request.preset) else { return most }
        let seconds = length.seconds
        guard seconds.isFinite, seconds > 0, seconds < 1e9 else { return most }
        return min(most, Int64(seconds * Double(rate) / 8) + overhead)
    }

    /// The highest bit rate, in bits per second; nil if the preset has no limit.
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
