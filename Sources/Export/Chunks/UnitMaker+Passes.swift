// The two passes of a chunk, each a unit of its own: the first writes the statistics that the second reads. Runs on the caller's
// thread; the lane works on threads of its own.
internal import Libav
internal import Media
internal import MediaTime
internal import Render
internal import Source

extension UnitMaker {
    /// Makes the first pass of a chunk: at one quality for all chunks, so that their bits can be compared, and with one thread.
    func analyse(
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
