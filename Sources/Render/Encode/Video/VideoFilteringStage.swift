// The filtering stage of a video chain: scales, converts and tone-maps frames. Owns its filter graph, which is confined to the
// stage's thread, and rebuilds it when the shape of the frames changes.
internal import Libav
package import Media
internal import MediaTime
internal import Source
internal import Synchronization

/// The times of one frame, or of the two frames that its fields become.
struct FieldTimes {
    private var times: [(pts: Int64, duration: Int64)]

    init(_ element: PlacedFrame) {
        let end = element.pts + element.duration
        guard let middle = element.middle else {
            times = [(element.pts, element.duration)]
            return
        }
        let cut = min(max(middle, element.pts), end)
        times = [(element.pts, cut - element.pts), (cut, end - cut)]
    }

    /// All of its frames were returned.
    var isDone: Bool { times.isEmpty }

    /// The time of the next frame that the filters return; nil: a cut leaves nothing of it.
    mutating func next(_ half: Int64) -> (pts: Int64, duration: Int64)? {
        guard !times.isEmpty else { return nil }
        let time = times.removeFirst()
        return time.duration > 0 ? time : nil
    }
}

/// Filters the frames of an interval.
struct VideoFilteringStage: Sendable {
    let work: VideoWork
    let color: VideoColor
    let input: BoundedQueue<PlacedFrame, MediaError>
    let output: BoundedQueue<PlacedFrame, MediaError>

    /// Filters all frames.
    func run() throws(MediaError) {
        var graph: FilterGraph?
        var shape: FrameShape?
        var frameTimes: [Int64: FieldTimes] = [:]
        var count: Int64 = 0
        // Filters receive the frame number as time, so that none can round the time.
        let numbers = Timebase(perSecond: 25) ?? .seconds
        let halves = Timebase(perSecond: 50) ?? .seconds

        func pass(_ graph: FilterGraph) throws(LibavError) -> Bool {
            while true {
                output.waitForRoom()
                guard let frame = try graph.receive() else { return true }
                // Two numbers a frame, for its fields.
                let half = graph.outputTimebase.rescale(
                    frame.pts ?? 0, to: halves, rounding: .halfAwayFromZero)
                guard let time = frameTimes[half / 2]?.next(half) else { continue }
                if frameTimes[half / 2]?.isDone == true { frameTimes[half / 2] = nil }
                // Context of the frames that are shown.
                if let shown = work.part?.shown, !shown.contains(time.pts) { continue }
                frame.becomeProgressive()
                if let colour = color.chain.withLock({ $0 }) {
                    frame.setColor(
                        primaries: colour.primaries, transfer: colour.transfer, matrix: colour.matrix)
                }
                guard output.send(PlacedFrame(frame: frame, pts: time.pts, duration: time.duration)) else {
                    return false
                }
            }
        }
        while let element = try input.receive() {
            let goesOn = try media(.encodeFailed, track: work.track.index) { () throws(LibavError) in
                if shape != element.frame.shape {
                    if let old = graph {
                        try old.send(nil)
                        guard try pass(old) else { return false }
                    }
                    graph = try build(for: element.frame.shape, isFirst: shape == nil, timebase: numbers)
                    shape = element.frame.shape
                }
                guard let graph else { return false }
                frameTimes[count] = FieldTimes(element)
                element.frame.pts = count
                count += 1
                try graph.send(element.frame)
                return try pass(graph)
            }
            guard goesOn else { return input.abandon() }
        }
        if let graph {
            _ = try media(.encodeFailed, track: work.track.index) { () throws(LibavError) in
                try graph.send(nil)
                return try pass(graph)
            }
        }
        output.end()
    }

    private func build(for shape: FrameShape, isFirst: Bool, timebase: Timebase) throws(LibavError)
        -> FilterGraph
    {
        let chain = VideoFilterChain(work.plan, shape: shape)
        // A part of an output converts to the colours of the output's first frame.
        let isAsFirst = work.part.map { $0.color.chain.filters == chain.filters } ?? true
        if isFirst, work.part == nil { color.chain.withLock { $0 = chain } }
        if !isFirst || !isAsFirst {
            work.diagnostics.warn(
                Warning(
                    .shapeChanged,
                    "the frame size or pixel format changes; all frames are converted to those of the track",
                    track: work.track.index))
        }
        if chain.isToneMapped { work.diagnostics.warn(.toneMapped(work.track)) }
        return try FilterGraph(
            chain: chain.filters, shape: shape, timebase: timebase, threads: LibavThreads.limit ?? 0)
    }
}

extension Warning {
    /// HDR video becomes SDR.
    package static func toneMapped(_ track: Track) -> Warning {
        Warning(.toneMapped, "HDR video was tone-mapped to 8-bit SDR", track: track.index)
    }
}
