// The decoding stage of a video chain: decodes each part of the interval, selects the frames that are shown, and reports damage.
// Each part has its own demuxer and decoder; both are confined to the stage's thread.
internal import Libav
internal import Media
internal import MediaTime
internal import Source
internal import Synchronization
internal import Text

/// Decodes the frames of an interval and places them on the output timeline.
final class VideoDecodingStage: Sendable {
    let work: VideoWork
    let color: VideoColor
    let frames: BoundedQueue<PlacedFrame, MediaError>
    /// Packets of the current part.
    private let reading = Mutex<BoundedQueue<Packet, MediaError>?>(nil)

    /// A stage that sends its frames to a queue.
    init(_ work: VideoWork, _ color: VideoColor, to frames: BoundedQueue<PlacedFrame, MediaError>) {
        (self.work, self.color, self.frames) = (work, color, frames)
    }

    /// Makes the demuxer stop.
    func abandon() { reading.withLock { $0 }?.abandon() }

    /// Decodes all parts.
    func run() throws(MediaError) {
        // One grid for the whole output, if there is one; it is counted from the output's start.
        let length = work.segments.length.map {
            work.plan.timebase.ticks(of: $0, rounding: .halfAwayFromZero).ticks
        }
        let gridEnd = work.part.map(\.gridEnd) ?? length
        var grid = work.plan.gridPeriod.map { FrameGrid(period: $0, end: gridEnd) }
        for (index, segment) in work.segments.all.enumerated() {
            let counted = index == 0 ? work.part?.counted ?? 0 : 0
            guard try decode(segment, counted, &grid) else { break }
        }
        frames.end()
    }

    /// Decodes one part; false when the receiver takes no more frames.
    private func decode(
        _ segment: Segment, _ counted: Int, _ grid: inout FrameGrid?
    ) throws(MediaError) -> Bool {
        let preroll = VideoPreroll(before: segment.start, of: work.track)
        if let preroll, let isGoing = try decode(segment, counted, &grid, preroll) { return isGoing }
        return try decode(segment, counted, &grid, nil) ?? false
    }

    /// Decodes one part; nil if the frame on screen at its beginning may have been skipped: then it has sent nothing.
    private func decode(
        _ segment: Segment, _ counted: Int, _ grid: inout FrameGrid?, _ skipped: VideoPreroll?
    ) throws(MediaError) -> Bool? {
        var preroll = skipped
        let (first, begun) = try VideoStart(
            source: work.source, track: work.track, origin: work.origin, start: segment.start,
            end: segment.end,
            diagnostics: work.diagnostics, staysInFilm: true
        ).find()
        let read = BoundedQueue<Packet, MediaError>(capacity: 16)
        reading.withLock { $0 = read }
        color.stored.withLock { $0 = begun.light }
        let reader = Slot(begun.reader)
        Stage.start("video.demux") { [diagnostics = work.diagnostics] () throws(MediaError) in
            try reader.take()?.readAll(into: read, diagnostics)
            read.end()
        } failed: {
            read.end($0)
        }
        defer { read.abandon() }

        var timeline = FrameTimeline<Frame>(
            segment, timebase: work.plan.timebase, cadence: work.plan.cadence, counted: counted,
            editEnd: work.track.editEnd)
        var clock = FrameClock(track: work.track, origin: work.origin)
        var isGoing = true
        /// The frame on screen at the beginning was not skipped.
        var isKnown = true
        /// Damage that is not reported yet.
        var found: [Damage] = []
        var watch = begun.watch
        // A frame shorter than viewers can show gives its time to the next.
        var carried: Int64?
        func show(_ whole: FrameTimeline<Frame>.Placed) throws(LibavError) {
            var placed = whole
            if let begin = carried {
                (placed.pts, placed.duration) = (begin, whole.pts + whole.duration - begin)
            }
            carried = nil
            if !timeline.isDone, placed.duration < work.plan.shortestFrame {
                carried = placed.pts
                return
            }
            let slots =
                grid?.slots(pts: placed.pts, duration: placed.duration) ?? [(placed.pts, placed.duration)]
            for (index, slot) in slots.enumerated() where isGoing {
                // A repeated frame shares its buffers.
                let frame = index + 1 < slots.count ? try placed.payload.reference() : placed.payload
                let splits = work.plan.deinterlace == .field && frame.isInterlaced
                isGoing = frames.send(
                    PlacedFrame(
                        frame: frame, pts: slot.pts, duration: slot.duration,
                        middle: splits ? placed.middle : nil))
            }
        }
        func take(_ frame: Frame) throws(LibavError) {
            let (time, duration) = clock.time(of: frame)
            found += watch.show(frame, at: time, by: begun.decoder)
            guard preroll?.offer(time) ?? true else {
                isKnown = false
                return
            }
            if let placed = timeline.offer(frame, at: time, duration: duration) { try show(placed) }
        }
        if let time = first.first?.bestEffort.map({ work.track.timebase.time(ofTicks: $0) - work.origin }) {
            warnWhereNothingDecodes(from: segment.start, before: time)
        }
        try media(.decodeFailed, track: work.track.index) { () throws(LibavError) in
            for frame in first { try take(frame) }
        }
        let decoder = begun.decoder
        var isFlushing = begun.isFlushing
        if watch.hasDamage { preroll = nil }
        while isGoing, isKnown, !timeline.isDone {
            if preroll?.isKnown ?? true {
                for one in found { try report(one, in: segment) }
                found = []
            }
            let packet = isFlushing ? nil : try read.receive()
            if packet == nil, isFlushing { break }
            isFlushing = packet == nil
            if let packet { watch.give(packet, number: decoder.packets) }
            decoder.skipsUnreferenced = packet.flatMap { preroll?.skips(time($0.pts)) } ?? false
            try media(.decodeFailed, track: work.track.index) { () throws(LibavError) in
                if case .damaged(let error) = try decoder.send(packet) {
                    watch.refused(error, by: decoder, isFlushing: isFlushing)
                }
                try drain(decoder) { result throws(LibavError) in
                    switch result {
                    case .frame(let frame): try take(frame)
                    case .refused(let error): watch.refused(error, by: decoder, isFlushing: isFlushing)
                    }
                    return isGoing && isKnown && !timeline.isDone
                }
            }
            if watch.hasDamage, preroll?.suffersFromDamage ?? false { return nil }
        }
        guard isKnown, preroll?.isKnown ?? true else { return nil }
        for one in found + watch.finish(decoder) { try report(one, in: segment) }
        if isGoing, let placed = timeline.finish() {
            try media(.decodeFailed, track: work.track.index) { () throws(LibavError) in try show(placed) }
        }
        if timeline.cutsFirstFrame {
            work.diagnostics.warn(
                Warning(
                    .firstFrameCut,
                    "the start falls inside a frame: the first frame is shorter than the others; --snap frame moves it to the frame's beginning",
                    time: segment.start, track: work.track.index))
        }
        if timeline.outOfOrder > 0 {
            work.diagnostics.warn(
                Warning(
                    .timestamps,
                    "left out \(quantity(timeline.outOfOrder, "frame")): another frame has the same time",
                    track: work.track.index))
        }
        return isGoing
    }

    /// A stream that was cut after its first keyframe shows nothing at first.
    private func warnWhereNothingDecodes(from start: Time, before time: Time) {
        let begins = max(work.track.start ?? .zero, start)
        guard time - begins > Time(1, 1000) else { return }
        work.diagnostics.warn(
            Warning(
                .damagedMedia,
                "the frames from \(begins.clock()) to \(time.clock()) cannot be decoded and are missing: there is no keyframe before them",
                time: begins, track: work.track.index))
    }

    /// Something that a decoder returns.
    private enum Result {
        case frame(Frame)
        case refused(LibavError)
    }

    /// Receives frames until the decoder needs input, or `body` returns false.
    private func drain(
        _ decoder: Decoder, _ body: (Result) throws(LibavError) -> Bool
    ) throws(LibavError) {
        while true {
            // A decoded frame is large: it stays in the decoder until the next stage has room for it.
            frames.waitForRoom()
            let frame = try Frame()
            switch try decoder.receive(into: frame) {
            case .frame: guard try body(.frame(frame)) else { return }
            case .needsInput, .ended: return
            case .damaged(let error): guard try body(.refused(error)) else { return }
            }
        }
    }

    private func time(_ ticks: Int64?) -> Time? {
        ticks.map { work.track.timebase.time(ofTicks: $0) - work.origin }
    }

    /// Reports damage that shows in a part.
    private func report(_ damage: Damage, in segment: Segment) throws(MediaError) {
        if work.strict { throw damage.error(track: work.track.index) }
        // A chunk is not the range that was asked for.
        let range = work.part == nil ? segment : nil
        work.diagnostics.warn(damage.warning(track: work.track.index, in: range))
    }
}
