// The frames of one file for comparison: decoded and scaled down on their own queue, some ahead of the consumer. For the source,
// the frames that an output should have, in its order and at its times, with two frames before and after each part, which a wrong
// cut would show; for the output, every frame.
internal import Libav
internal import Media
internal import MediaTime
internal import Render
internal import Source
internal import Synchronization

/// A stream of frames of one track.
final class FrameStream: Sendable {
    /// A frame with its output position.
    struct Seen: Sendable {
        /// Its first moment and its end, in output time.
        var time: Time, end: Time
        /// The asset time of the source shown then.
        var sourceTime: Time
        /// The part of the source it belongs to, from 0.
        var part: Int
        /// False: it is only a neighbour of the expected frames.
        var isExpected: Bool
        var small: Thumbnail
        /// Equal where all samples are equal.
        var checksum: UInt32?
        var frame: Frame
    }

    private let queue = BoundedQueue<Seen, MediaError>(capacity: 3)
    private let faults = Mutex<Int64>(0)

    /// Number of damaged packets and frames so far.
    var damaged: Int64 { faults.withLock { $0 } }

    /// The next frame; nil after the last one.
    func next() throws(MediaError) -> Seen? { try queue.receive() }

    /// Stops the stream.
    func abandon() { queue.abandon() }

    private init() {}

    /// The frames that an output should have.
    /// - Parameters:
    ///   - cadence: which of the source's frames it should contain.
    ///   - edit: the crop and the rotation that it should have.
    ///   - splitsFields: each field of an interlaced frame is a frame of the output.
    static func expected(
        _ source: SourceFile, _ track: Track, origin: Time, _ segments: Segments, cadence: FrameCadence,
        edit: FrameEdit, splitsFields: Bool = false, diagnostics: Diagnostics
    ) -> FrameStream {
        let stream = FrameStream()
        Stage.start("compare.source") { () throws(MediaError) in
            let small = Shrinker(track, edit: edit)
            for (part, segment) in segments.all.enumerated() {
                guard
                    try stream.pass(
                        segment, part: part, source, track, origin: origin, cadence: cadence, small,
                        splitsFields, diagnostics)
                else { return }
            }
            stream.queue.end()
        } failed: {
            stream.queue.end($0)
        }
        return stream
    }

    /// The frames of a file; its 0 is at a given container time.
    /// - Parameter last: where its video ends, whatever the last frame's duration; nil: unknown.
    static func found(
        _ output: SourceFile, _ track: Track, zero: Time, until last: Time?, diagnostics: Diagnostics
    ) -> FrameStream {
        let stream = FrameStream()
        Stage.start("compare.output") { () throws(MediaError) in
            let small = Shrinker(track)
            let reader = try FrameReader(output, track, origin: zero, at: .zero, diagnostics: diagnostics)
            defer { stream.faults.withLock { $0 = reader.damaged } }
            var next = try reader.next()
            while let shown = next {
                next = try reader.next()
                // The last one is on screen as long as the track lasts.
                let own = shown.time + shown.duration
                let end = next == nil ? last.map { max($0, shown.time) } ?? own : own
                // Hidden by an edit list.
                if end <= .zero { continue }
                let time = max(.zero, shown.time)
                let seen = try small.seen(
                    shown.frame, time: time, end: end, sourceTime: time, part: 0, isExpected: true)
                stream.faults.withLock { $0 = reader.damaged }
                guard stream.queue.send(seen) else { return }
            }
            stream.queue.end()
        } failed: {
            stream.queue.end($0)
        }
        return stream
    }

    /// Sends one part of the source; false when the consumer has stopped.
    private func pass(
        _ segment: Segment, part: Int, _ source: SourceFile, _ track: Track, origin: Time,
        cadence: FrameCadence, _ small: Shrinker, _ splitsFields: Bool, _ diagnostics: Diagnostics
    ) throws(MediaError) -> Bool {
        // The output was made by the nearest sync sample: what a seek finds is compared, too.
        let reader = try FrameReader(
            source, track, origin: origin, at: segment.start, diagnostics: diagnostics, isApart: true)
        defer { faults.withLock { $0 += reader.damaged } }
        var before: [FrameReader.Shown] = []
        var current = try reader.next()
        var (count, after) = (0, 0)
        var kept: Time?
        // An edit list may end within the last frame.
        let last = track.editEnd
        while let frame = current {
            let next = try reader.next()
            defer { current = next }
            let own = frame.time + frame.duration
            let ends = next?.time ?? last.map { max(frame.time, min($0, own)) } ?? own
            if ends <= segment.start {
                before = before.suffix(1) + [frame]
                continue
            }
            let isIn = segment.end.map { frame.time < $0 } ?? true
            for frame in before {
                guard try send(frame, from: frame.time, until: frame.time, segment, part, false, small)
                else { return false }
            }
            before = []
            let isKept = isIn && cadence.keeps(count, at: frame.time, after: kept)
            if isKept { kept = frame.time }
            if isIn { count += 1 } else { after += 1 }
            let middle = frame.time + (ends - frame.time).multiplied(by: 1, over: 2)
            if splitsFields, frame.frame.isInterlaced {
                // A cut may leave one field.
                let hasFirst = middle > segment.start
                let hasSecond = segment.end.map { middle < $0 } ?? true
                if hasFirst {
                    guard
                        try send(frame, from: frame.time, until: middle, segment, part, isKept, small, .first)
                    else { return false }
                }
                guard
                    try send(
                        frame, from: middle, until: ends, segment, part, isKept && hasSecond, small, .second)
                else { return false }
            } else {
                guard try send(frame, from: frame.time, until: ends, segment, part, isKept, small) else {
                    return false
                }
            }
            if after == 2 { break }
        }
        return true
    }

    private func send(
        _ shown: FrameReader.Shown, from begin: Time, until end: Time, _ segment: Segment, _ part: Int,
        _ isExpected: Bool, _ small: Shrinker, _ field: Shrinker.Field? = nil
    ) throws(MediaError) -> Bool {
        let time = max(begin, segment.start)
        let stop = segment.end.map { min($0, end) } ?? end
        return queue.send(
            try small.seen(
                shown.frame, time: segment.output(time), end: segment.output(stop), sourceTime: time,
                part: part, isExpected: isExpected, field: field))
    }
}

extension Shrinker {
    fileprivate func seen(
        _ frame: Frame, time: Time, end: Time, sourceTime: Time, part: Int, isExpected: Bool,
        field: Field? = nil
    ) throws(MediaError) -> FrameStream.Seen {
        FrameStream.Seen(
            time: time, end: end, sourceTime: sourceTime, part: part, isExpected: isExpected,
            small: try small(frame, field), checksum: frame.signature?.checksum, frame: frame)
    }
}
