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
    private func videoLane(
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

// The two passes of a chunk, each a unit of its own: the first writes the statistics that the second reads. Runs on the caller's
// thread; the lane works on threads of its own.
extension UnitMaker {
    /// Makes the first pass of a chunk: at one quality for all chunks, so that their bits can be compared, and with one thread.
    private func analyse(
        _ chunk: Chunk, to output: SourceFile, _ progress: @escaping @Sendable (Progress) -> Void
    ) throws(MediaError) -> UnitReport {
        var plan = divided.video
        let log = try media(.outOfMemory, track: plan.track.index) { () throws(LibavError) in try PassLog() }
        plan.pass = EncodingPass(log, isFirst: true)
        if let quality = divided.sharing?.quality {
            (plan.averageBitRate, plan.settings.bitRate, plan.settings.crf) = (nil, nil, quality)
        }
        // The second pass reports warnings about the source.
        let diagnostics = Diagnostics()
        let lane = videoLane(chunk, plan, diagnostics, encodingThreads: 1)
        let length = plan.timebase.time(ofTicks: chunk.shown.upperBound - chunk.shown.lowerBound)
        let share = length.seconds > 0 ? unit.seconds / length.seconds : 1
        let meter = ProgressMeter(chunk.segments, length: length) { own in
            // The times of the output are passed by the second pass.
            var own = own
            own.time = nil
            own.speed = own.speed.map { $0 * share }
            progress(own)
        }
        var details = UnitDetails(packets: 0, delay: 0, warnings: [])
        lane.start()
        do throws(AttemptFailure) {
            _ = try lane.opening.receive()
            meter.enter(.exporting)
            while let packet = try lane.packets.receive() {
                details.packets += 1
                let end = plan.timebase.time(ofTicks: (packet.pts ?? 0) + packet.duration)
                meter.reached(end - begin(chunk), of: 0)
            }
        } catch {
            lane.abandon()
            throw error.error
        }
        guard details.packets == 0 || log.isComplete else {
            throw MediaError(
                .encodeFailed, "the first pass left no statistics", track: plan.track.index,
                remedy: "encode in one pass: --one-pass")
        }
        details.statistics = ChunkStatistics(log, frames: details.packets)
        let bytes = try UnitStatistics.write(log, to: output, timebase: plan.timebase)
        return UnitReport(number: unit.number, bytes: bytes, details: try UnitCoding.value(details))
    }

    /// Encodes a chunk with its share of the bits: by the statistics of its first pass, or without where the encoder refuses them.
    func share(
        _ chunk: Chunk, _ rate: ChunkRate, to output: SourceFile,
        _ progress: @escaping @Sendable (Progress) -> Void
    ) throws(MediaError) -> UnitReport {
        guard let input = inputs.first else {
            throw MediaError(.invalidRequest, "encode \(unit.name): its first pass is missing")
        }
        var plan = divided.video
        plan.averageBitRate = rate.told
        plan.pass = EncodingPass(
            try UnitStatistics.read(input, of: UnitName(.statistics, unit.index)), isFirst: false)
        do throws(MediaError) {
            return try make(chunk, plan, to: output, progress)
        } catch {
            guard error.code == .encodeFailed else { throw error }
            try media(.inputOutput) { () throws(LibavError) in
                try output.truncate(to: 0, "emptying the file of \(unit.name)")
            }
            plan.pass = nil
            var report = try make(chunk, plan, to: output, progress)
            var details = try UnitCoding.read(report.details, UnitDetails.self)
            details.onePass = "\(error)"
            report.details = try UnitCoding.value(details)
            return report
        }
    }
}
