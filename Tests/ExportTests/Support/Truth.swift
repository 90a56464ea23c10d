// Facts of a file according to ffprobe and ffmpeg: times as exact rationals, video and audio. Uses nothing of Export.
import Export
import MediaTime
import Signals
import Testing

/// A stream according to ffprobe.
struct Stream: Decodable {
    var index: Int
    var codec_type: String
    var time_base: Ratio
    var start_pts: Int64?
    var duration_ts: Int64?
    var width: Int?, height: Int?
    var sample_aspect_ratio: String?
    var sample_rate: String?
    var channels: Int?
    var level: Int?
    var avg_frame_rate: String?
    var color_space: String?
    var side_data_list: [SideData]?

    /// The report of ffprobe about a display matrix.
    struct SideData: Decodable { var rotation: Int? }

    /// Ticks of this stream as a time.
    func time(_ ticks: Int64) -> Time {
        Time(ticks * time_base.numerator, Int32(clamping: time_base.denominator))
    }

    var start: Time { time(start_pts ?? 0) }
    var duration: Time { time(duration_ts ?? 0) }
}

/// A decoded frame in asset time.
struct Shown: Equatable {
    var time: Time
    var duration: Time
}

/// The reports of independent programs about a file.
struct Truth {
    let file: String
    let streams: [Stream]
    /// Every decoded frame, in the order of its track.
    let decoded: [Decoded]

    /// A decoded frame according to ffprobe.
    struct Decoded: Decodable {
        /// Missing for what is no frame: an event of text.
        var stream_index: Int?
        var best_effort_timestamp: Int64?
        /// Its duration has the first name up to ffprobe 5.1, and later the second.
        var pkt_duration: Int64?, duration: Int64?
        var nb_samples: Int?
    }

    /// - Parameter seconds: how much of the file is decoded; nil: all of it.
    init(_ file: String, seconds: Int? = nil) throws {
        struct Answer: Decodable {
            var streams: [Stream]
            var frames: [Decoded]?
        }
        self.file = file
        let entries = "frame=stream_index,best_effort_timestamp,pkt_duration,duration,nb_samples"
        // Nothing here depends on pixels.
        let words = ["-skip_loop_filter", "all"] + (seconds.map { ["-read_intervals", "%+\($0)"] } ?? [])
        let answer = try Tool.ffprobe(
            words + ["-show_streams", "-show_entries", entries, file], as: Answer.self)
        (streams, decoded) = (answer.streams, answer.frames ?? [])
    }

    var video: Stream? { streams.first { $0.codec_type == "video" } }
    var audio: Stream? { streams.first { $0.codec_type == "audio" } }

    /// Asset time 0: the earliest presentation time.
    var origin: Time {
        streams.filter { ["video", "audio"].contains($0.codec_type) && $0.start_pts != nil }.map(\.start)
            .min() ?? .zero
    }

    /// The decoded frames of the video track, in the order of presentation, in asset time.
    func frames() throws -> [Shown] { try frames(of: try #require(video)) }

    private func frames(of stream: Stream) throws -> [Shown] {
        try decoded.filter { $0.stream_index == stream.index }.map {
            let ticks = try #require($0.best_effort_timestamp, "a frame of \(file) has no time")
            return Shown(
                time: stream.time(ticks) - origin,
                duration: stream.time($0.pkt_duration ?? $0.duration ?? 0))
        }
    }

    /// The first decoded sample of an audio track, in samples of `rate` from asset time 0: the position that agrees best with all
    /// its timestamps, each of which is rounded to a tick.
    func firstSample(of stream: Stream, rate: Int) throws -> Double {
        let source = Double(stream.sample_rate ?? "") ?? 1
        var (low, high) = (-Double.infinity, Double.infinity)
        var count = 0
        for frame in decoded where frame.stream_index == stream.index {
            guard let ticks = frame.best_effort_timestamp else { continue }
            let position = (stream.time(ticks) - origin).seconds * source - Double(count)
            let tick = source * stream.time_base.value
            // The first may have lost samples that are not to be played, and give its time in ticks of its own.
            if count > 0 || tick <= 1 {
                (low, high) = (max(low, position - tick / 2), min(high, position + tick / 2))
            }
            count += frame.nb_samples ?? 0
        }
        try #require(
            low <= high + 1 && low.isFinite, "the timestamps of \(file) do not agree: \(low) \(high)")
        return (low + high) / 2 * Double(rate) / source
    }

    /// The times of the decoded frames of the first audio track.
    func frameTimes() throws -> [Time] { try frames(of: try #require(audio)).map(\.time) }

    /// The frames, upright, as small grey thumbnails.
    func thumbnails() throws -> [[UInt8]] {
        let bytes = try Tool.ffmpeg([
            "-i", file, "-map", "0:v:0", "-fps_mode", "passthrough", "-vf",
            "scale=40:30:flags=area,format=gray", "-f",
            "rawvideo", "-",
        ])
        return stride(from: 0, to: bytes.count, by: 1200).map {
            Array(bytes[$0..<min($0 + 1200, bytes.count)])
        }
    }

    /// The audio of a track in one channel at a rate, as ffmpeg decodes it.
    func samples(track: Int = 0, rate: Int) throws -> [Int16] {
        let bytes = try Tool.ffmpeg(
            FFmpegFaults.decoder(of: file, rate) + [
                "-i", file, "-map", "0:a:\(track)", "-ac", "1", "-ar", "\(rate)", "-f", "s16le", "-",
            ])
        return Signals.samples(bytes)
    }
}

/// The frames of [start, end) as the contract means them, moved to 0, and where the last one ends.
func expected(
    _ frames: [Shown], start: Time, end: Time?, every: Int = 1
) throws -> (indices: [Int], times: [Time], end: Time) {
    let first = frames.lastIndex { $0.time <= start }
    let after = frames.indices.filter {
        frames[$0].time > start && frames[$0].time < end ?? .positiveInfinity
    }
    let all = [first].compactMap(\.self) + after
    let kept = all.enumerated().filter { $0.offset % every == 0 }.map(\.element)
    let last = try #require(frames.last)
    let stop = [end, last.time + last.duration].compactMap(\.self).min() ?? .zero
    return (kept, kept.map { max(.zero, frames[$0].time - start) }, stop - start)
}

/// By how many samples `part` lies off `whole[at...]`, by correlation; positive: it begins too late in the source.
func lag(of part: [Int16], in whole: [Int16], at position: Int, reach: Int = 40) throws -> Int {
    let length = min(part.count, 12_000)
    // The part before the source's first sample is silence, and like nothing.
    let skipped = reach + max(0, -position)
    try #require(length > 2000)
    let lags = (-reach...reach).filter {
        position + skipped + $0 >= 0 && position + $0 + length <= whole.count
    }
    let best = Signals.lag(of: part, skipped..<length, in: whole, at: position, among: lags)
    return try #require(best, "\(part.count) samples at \(position) of \(whole.count)")
}
