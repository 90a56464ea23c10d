// Makes one unit of an export: encodes an interval of the video or an audio track to the unit's file. Runs on the caller's thread;
// the lane works on threads of its own.
internal import Libav
internal import Media
internal import MediaTime
internal import Render
internal import Source

/// The making of one unit.
struct UnitMaker {
    let source: SourceFile
    /// The file of subtitles to draw.
    var subtitles: SourceFile?
    let divided: DividedExport
    let unit: ExportUnit
    /// The files of the unit's inputs.
    var inputs: [SourceFile] = []

    /// Makes the unit.
    /// - Parameter output: its file, empty.
    func run(
        output: SourceFile, progress: @escaping @Sendable (Progress) -> Void
    ) throws(MediaError) -> UnitReport {
        try divided.checkBuild()
        switch try UnitCoding.read(unit.work, UnitWork.self) {
        case .video(let chunk):
            guard let rate = chunk.rate else {
                return try make(chunk, divided.video, to: output, progress)
            }
            return try share(chunk, rate, to: output, progress)
        case .statistics(let chunk): return try analyse(chunk, to: output, progress)
        case .audio(let track):
            let diagnostics = Diagnostics()
            let lane = try audioLane(track, diagnostics)
            return try make(lane, divided.segments, .zero, to: output, diagnostics, progress)
        }
    }

    /// Encodes a chunk.
    func make(
        _ chunk: Chunk, _ plan: VideoPlan, to output: SourceFile,
        _ progress: @escaping @Sendable (Progress) -> Void
    ) throws(MediaError) -> UnitReport {
        let diagnostics = Diagnostics()
        let lane = videoLane(
            chunk, plan, diagnostics, encodingThreads: unit.mayUseThreads ? nil : 1)
        return try make(lane, chunk.segments, begin(chunk), to: output, diagnostics, progress)
    }

    /// The output time at which a chunk begins.
    func begin(_ chunk: Chunk) -> Time { divided.video.timebase.time(ofTicks: chunk.shown.lowerBound) }

    private func make(
        _ lane: any Lane, _ segments: Segments, _ first: Time, to output: SourceFile,
        _ diagnostics: Diagnostics, _ progress: @escaping @Sendable (Progress) -> Void
    ) throws(MediaError) -> UnitReport {
        diagnostics.limit(to: segments.hull)
        let meter = ProgressMeter(
            segments, from: first, length: Time(Int64(unit.seconds * 1000), 1000), report: progress)
        lane.start()
        do throws(AttemptFailure) {
            let opening = try lane.opening.receive()
            return try AttemptFailure.other { () throws(MediaError) in
                meter.enter(.exporting)
                return try write(lane, opening, to: output, first, meter, diagnostics)
            }
        } catch {
            lane.abandon()
            throw error.error
        }
    }

    /// A lane that encodes a chunk.
    func videoLane(
        _ chunk: Chunk, _ plan: VideoPlan, _ diagnostics: Diagnostics, encodingThreads: Int?
    ) -> VideoLane {
        let part = VideoPart(
            counted: chunk.counted, gridEnd: chunk.gridEnd, shown: chunk.shown, color: divided.color,
            buffered: chunk.buffered, reserve: chunk.reserve)
        return VideoLane(
            VideoWork(
                plan: plan, segments: chunk.segments, origin: divided.origin, source: source,
                strict: divided.strict, diagnostics: diagnostics, part: part,
                subtitles: subtitles, encodingThreads: encodingThreads))
    }

    private func audioLane(_ track: Int, _ diagnostics: Diagnostics) throws(MediaError) -> any Lane {
        guard let plan = divided.audio.first(where: { $0.track.index == track }) else {
            throw MediaError(.invalidRequest, "the export has no audio track \(track) to encode")
        }
        return AudioLane(
            plan, origin: divided.origin, segments: divided.segments, fileType: divided.fileType,
            source: source, strict: divided.strict, diagnostics: diagnostics)
    }

    private func write(
        _ lane: any Lane, _ opening: LaneOpening?, to output: SourceFile, _ first: Time,
        _ meter: ProgressMeter,
        _ diagnostics: Diagnostics
    ) throws(MediaError) -> UnitReport {
        var head = UnitHead(timebase: opening?.timebase ?? divided.video.timebase)
        if let opening, case .encoded(let format) = opening.coding {
            (head.format, head.result) = (format, lane.track.kind == .video ? nil : opening.result)
        }
        // Each chunk has a rate of its own; the stream has that of all.
        if lane.track.kind == .video, let rate = divided.video.averageBitRate {
            head.format?.bitRate = Int64(rate)
        }
        var writer = try UnitFileWriter(output, head)
        var details = UnitDetails(packets: 0, delay: 0, warnings: [])
        var order = ReorderMeasure()
        var sizes: [Int64] = [], times: [Int64] = []
        while true {
            let packet: Packet?
            do throws(AttemptFailure) { packet = try lane.packets.receive() } catch { throw error.error }
            guard let packet else { break }
            details.packets += 1
            details.bytes += Int64(packet.size)
            if let pts = packet.pts {
                order.add(pts)
                if lane.track.kind == .video {
                    sizes.append(Int64(packet.size) * 8)
                    times.append(pts)
                }
                let end = max(pts + packet.duration, details.shown?.upperBound ?? .min)
                details.shown = min(pts, details.shown?.lowerBound ?? pts)..<end
                meter.reached(head.timebase.time(ofTicks: end) - first, of: 0)
            }
            try writer.add(packet)
        }
        let bytes = try writer.finish()
        details.delay = max(order.depth, lane.track.kind == .video ? head.format?.reorderDepth ?? 0 : 0)
        details.warnings = diagnostics.counted
        if let shown = details.shown, let buffer = divided.video.decoderBuffer, !sizes.isEmpty {
            // Frames leave the buffer at even distances, in the order in which they are stored.
            let leaving = zip(sizes, times.sorted()).map { (bits: $0, time: $1) }
            details.buffer = buffer.passage(leaving, end: shown.upperBound)
        }
        return UnitReport(number: unit.number, bytes: bytes, details: try UnitCoding.value(details))
    }
}

/// Measures by how many positions frames are stored before others that are shown earlier. Keeps only the frames that may still
/// matter.
struct ReorderMeasure {
    /// Presentation times seen that are later than one still to come may be, ascending.
    private var later: [Int64] = []
    /// The reorder delay that the packets so far need, in frames.
    private(set) var depth = 0
    /// No codec reorders by more.
    private static let most = 64

    /// Adds the next packet in decoding order.
    mutating func add(_ pts: Int64) {
        let place = later.partitioningIndex { $0 > pts }
        depth = max(depth, later.count - place)
        later.insert(pts, at: place)
        if later.count > ReorderMeasure.most { later.removeFirst() }
    }
}
