// Executes a plan: starts the lanes, opens the container when every lane has sent its opening, and writes packets in order of
// decoding time. Runs on the caller's thread, which is the muxer's; lanes run on their own queues. Memory does not grow with the
// duration: every queue is bounded.
package import Libav
package import Media
internal import MediaTime
package import Source

/// The execution of a plan.
package final class Pipeline {
    /// The muxer's state of one lane. A class: its fields change with each packet, and nobody has a copy. On the muxer's thread.
    final class Head {
        let lane: any Lane
        let opening: LaneOpening
        let output: Int
        let timebase: Timebase
        /// The next packet, and when it is decoded.
        fileprivate(set) var packet: Packet?
        fileprivate var time = Time.zero
        var result: TrackResult
        /// The end of the last shown packet, in ticks of the lane; and whether a hidden one lies behind it.
        var (end, hidesEnd): (Int64, Bool) = (0, false)
        /// The start of the last packet in presentation order.
        var last: Int64 = 0
        /// The last decoding time, in ticks of the output: that was converted to them, and that was written.
        var lastDecoded: Int64?, lastWritten: Int64?
        /// Ticks of the lane that the container adds to times, since it declares the codec delay itself.
        var delay: Int64 = 0
        /// Its first packet says how much of it is priming, and readers do not heed the delay alone.
        var hidesPriming = false
        /// Its copied packets are stored as they are.
        var isStored = false
        /// Bytes of its written packets.
        fileprivate var bytes: Int64 = 0
        /// Packets after the next one, the latest first; and written ones, which the lane gets back.
        private var (waiting, written): ([Packet], [Packet]) = ([], [])
        /// Video or audio.
        let isMedia: Bool
        /// Its packets are fields.
        fileprivate let hasFields: Bool

        init(lane: any Lane, opening: LaneOpening, output: Int, timebase: Timebase, result: TrackResult) {
            (self.lane, self.opening, self.output) = (lane, opening, output)
            (self.timebase, self.result) = (timebase, result)
            isMedia = result.kind == .video || result.kind == .audio
            hasFields = opening.track.isBottomFieldFirst != nil
        }

        /// Waits for the next packet; false: the lane has ended.
        fileprivate func advance() throws(AttemptFailure) -> Bool {
            guard packet == nil else { return true }
            if waiting.isEmpty { waiting = try lane.packets.receiveSome().reversed() }
            guard let next = waiting.popLast() else { return false }
            packet = next
            time = opening.timebase.time(ofTicks: next.dts ?? next.pts ?? 0)
            return true
        }

        /// So many written packets go back together.
        private static let batch = 16
        /// Bytes of a packet that goes back to its lane with them: those of larger ones would fill memory for nothing.
        private static let small = 64 << 10

        /// Gives a packet back that is written.
        fileprivate func giveBack(_ packet: Packet) {
            if packet.size > Head.small { packet.clear() }
            written.append(packet)
            guard written.count >= Head.batch else { return }
            lane.packets.giveBack(written)
            written.removeAll(keepingCapacity: true)
        }
    }
    let plan: ExportPlan
    private let lanes: [any Lane]
    /// The lane whose heads and tails are encoded, if there are any.
    private let headTail: SmartTrimLane?
    let diagnostics: Diagnostics
    private var meter: ProgressMeter
    /// Bytes of the written packets, by kind of track.
    private(set) var bytes: [TrackKind: Int64] = [:]
    /// The source's frames where head and tail of the output are encoded.
    package let recordedFrames = HeadTailFrames()
    /// Leaves out what the output is given of its source; nil: it is given nothing.
    let clones: CloneWriter?
    /// Whether lanes work one after the other on the caller's thread.
    private let isSerial: Bool

    /// - Parameters:
    ///   - units: finished parts of the output, which are copied; nil: everything is made.
    ///   - clones: leaves out what the output is given of its source; nil: it is given nothing.
    ///   - isSerial: lanes that copy work one after the other on the caller's thread, and none on another. Only for a handful of
    ///     samples, since each lane's are held at once.
    package init(
        _ plan: ExportPlan, source: SourceFile, strict: Bool, diagnostics: Diagnostics, meter: ProgressMeter,
        units: JoinedUnits? = nil, clones: CloneWriter? = nil, isSerial: Bool = false
    ) {
        self.clones = clones
        self.isSerial = isSerial
        self.plan = plan
        self.diagnostics = diagnostics
        self.meter = meter
        var lanes: [any Lane] = []
        if let video = plan.video {
            lanes.append(
                units?.lane(video, plan.segments)
                    ?? VideoLane(video, of: plan, source: source, strict: strict, diagnostics: diagnostics))
        }
        var headTail: SmartTrimLane?
        if let smartTrim = plan.smartTrim {
            let lane = SmartTrimLane(
                smartTrim, of: plan, source: source, strict: strict, diagnostics: diagnostics,
                recordedFrames: recordedFrames, runs: clones?.runs)
            if smartTrim.hasHeadOrTail { headTail = lane }
            lanes.append(lane)
        }
        self.headTail = headTail
        lanes += plan.audio.map { audio -> any Lane in
            switch audio {
            case .copy(let track): CopiedAudioLane(track, of: plan, source, diagnostics, runs: clones?.runs)
            case .encode(let audio):
                units?.lane(audio)
                    ?? AudioLane(audio, of: plan, source: source, strict: strict, diagnostics: diagnostics)
            }
        }
        lanes += plan.passthrough.text.map {
            TextLane($0, of: plan, source: source, diagnostics: diagnostics)
        }
        lanes += plan.passthrough.data.map {
            DataLane($0.track, of: plan, source: source, diagnostics: diagnostics)
        }
        self.lanes = lanes
    }

    /// Writes the output to a descriptor.
    /// - Parameter onlyCopies: called once all heads and tails are encoded; not called if there are none.
    /// - Returns: its tracks, and the items of the source that were left out.
    package func run(
        output descriptor: Int32, onlyCopies: () -> Void = {}
    ) throws(AttemptFailure) -> (tracks: [TrackResult], dropped: [DroppedItem]) {
        for lane in lanes {
            if isSerial, let lane = lane as? any SingleStageLane { lane.workToEnd() } else { lane.start() }
        }
        do throws(AttemptFailure) {
            return try write(to: descriptor, onlyCopies)
        } catch {
            for lane in lanes { lane.abandon() }
            throw error
        }
    }

    private func write(to descriptor: Int32, _ onlyCopies: () -> Void) throws(AttemptFailure) -> (
        tracks: [TrackResult], dropped: [DroppedItem]
    ) {
        var encodes = headTail != nil
        var openings: [(any Lane, LaneOpening)] = []
        var dropped: [DroppedItem] = []
        for lane in lanes {
            if let opening = try lane.opening.receive() {
                openings.append((lane, opening))
            } else {
                dropped.append(
                    DroppedItem(
                        what: ExportPlan.name(lane.track), reason: "it has nothing in the range",
                        track: lane.track.index))
            }
        }
        guard openings.contains(where: { $0.1.result.kind == .video || $0.1.result.kind == .audio }) else {
            throw .other(nothing)
        }
        let opened: Opened
        do throws(LibavError) {
            opened = try open(descriptor, openings)
        } catch {
            throw .other(MediaError(error, fallback: .encodeFailed))
        }
        let muxer = opened.muxer
        let heads = opened.heads
        meter.enter(.exporting)
        while let next = try earliest(heads) {
            let head = heads[next]
            guard let packet = head.packet else { break }
            head.packet = nil
            if encodes, headTail?.isOnlyCopying == true {
                encodes = false
                onlyCopies()
            }
            note(packet, in: head)
            if head.timebase != head.opening.timebase || head.delay != 0 || !plan.fileType.hasNegativeTimes {
                retime(packet, in: head)
            }
            if let least = plan.fileType.shortestFrame { muxer.setLastDelay(max(least, packet.duration)) }
            if let pause = movieOverflow(packet, in: head) { throw .other(pause) }
            packet.track = head.output
            head.bytes += Int64(packet.size)
            let isStored = head.isStored && (packet.isCopied || head.result.way == .copy)
            do throws(LibavError) {
                try muxer.write(packet, isStored: isStored) { areInOneRun(heads, with: packet) }
            } catch {
                throw .other(MediaError(error, fallback: .encodeFailed))
            }
            head.giveBack(packet)
            if let limit = plan.limit, muxer.written > limit {
                throw .other(
                    MediaError(.maximumFileSizeReached, "the output grows beyond \(limit) bytes"))
            }
            // Other tracks have long pauses and say nothing about progress.
            guard head.isMedia else { continue }
            meter.reached(head.opening.timebase.time(ofTicks: head.end), of: head.output)
        }
        // The last frame is on screen for its empty chunks, too.
        for head in heads
        where plan.fileType == .avi && head.result.kind == .video && head.last + 1 < head.end {
            do throws(LibavError) {
                let empty = try Packet()
                (empty.pts, empty.dts, empty.duration) = (head.end - 1, head.end - 1, 1)
                empty.track = head.output
                try muxer.write(empty)
            } catch {
                throw .other(MediaError(error, fallback: .encodeFailed))
            }
        }
        for head in heads { bytes[head.result.kind, default: 0] += head.bytes }
        if encodes { onlyCopies() }
        if holdsNothing(heads) { throw .other(nothing) }
        meter.enter(.finishing)
        let tracks = heads.map(result)
        do throws(LibavError) { try muxer.finish() } catch {
            throw .other(MediaError(error, fallback: .encodeFailed))
        }
        dropped += try AttemptFailure.other { () throws(MediaError) in
            try complete(heads, tracks, descriptor)
        }
        return (tracks, dropped)
    }

    /// The head whose packet is decoded first; nil when all lanes have ended.
    private func earliest(_ heads: [Head]) throws(AttemptFailure) -> Int? {
        var best: (index: Int, time: Time)?
        for (index, head) in heads.enumerated() {
            guard try head.advance() else {
                meter.ended(head.output)
                continue
            }
            // Text comes before the video it belongs to: FFmpeg's muxer would write a gap for late text.
            let isFirst = best.map { head.time < $0.time || (head.time == $0.time && !head.isMedia) }
            if isFirst ?? true { best = (index, head.time) }
        }
        guard let best, let clones, let packet = heads[best.index].packet, let run = clones.run(of: packet)
        else { return best?.index }
        return inSourceOrder(heads, best, run, clones)
    }

    /// Whether the next packets of all video and audio are in the run of the source's samples that holds this one.
    private func areInOneRun(_ heads: [Head], with packet: Packet) -> Bool {
        guard let clones, let run = clones.run(of: packet) else { return false }
        return heads.allSatisfy { head in
            guard head.isMedia, let next = head.packet else { return true }
            return clones.run(of: next) == run
        }
    }

    /// How much earlier than its turn a packet may be written so that the output has the order of its source.
    private static let early = Time(5, 1)

    /// The head whose packet comes first in the source's file, of those whose packets are in the same run of samples as the one that is
    /// decoded first.
    private func inSourceOrder(
        _ heads: [Head], _ best: (index: Int, time: Time), _ run: Int, _ clones: CloneWriter
    ) -> Int {
        var (first, least) = (best.index, heads[best.index].packet?.place?.lowerBound ?? 0)
        for (index, head) in heads.enumerated() where index != best.index {
            guard let packet = head.packet, let place = packet.place, place.lowerBound < least,
                clones.run(of: packet) == run, head.time - best.time <= Pipeline.early
            else { continue }
            (first, least) = (index, place.lowerBound)
        }
        return first
    }

    /// Converts a packet's times to the container's ticks. Decoding times never decrease or exceed the presentation time.
    private func retime(_ packet: Packet, in head: Head) {
        func ticks(_ time: Int64) -> Int64 {
            head.opening.timebase.rescale(time + head.delay, to: head.timebase, rounding: .halfAwayFromZero)
        }
        let end = packet.pts.map { ticks($0 + packet.duration) }
        packet.pts = packet.pts.map(ticks)
        var wanted = packet.dts.map(ticks) ?? packet.pts ?? 0
        if !plan.fileType.hasNegativeTimes { wanted = max(0, wanted) }
        let dts =
            head.lastDecoded.map { max(wanted, $0 + (head.opening.track.kind == .video ? 1 : 0)) } ?? wanted
        packet.dts = min(dts, packet.pts ?? dts)
        head.lastDecoded = packet.dts
        if let end, let pts = packet.pts { packet.duration = max(0, end - pts) }
    }

    private func note(_ packet: Packet, in head: Head) {
        // Two fields are one frame, which counts as copied where both are.
        let count: Int64 = !head.hasFields || packet.isSecondField ? 1 : 0
        if packet.isCopied || head.result.way == .copy {
            if packet.isHidden {
                head.result.framesHidden = (head.result.framesHidden ?? 0) + count
            } else {
                head.result.framesCopied += count
            }
            head.result.bytesCopied = (head.result.bytesCopied ?? 0) + Int64(packet.size)
        } else {
            head.result.framesEncoded += count
        }
        guard let pts = packet.pts else { return }
        if packet.isHidden { return head.hidesEnd = pts > 0 && pts >= head.end }
        head.end = max(head.end, pts + packet.duration)
        if !packet.isSecondField { head.last = max(head.last, pts) }
        if head.result.firstSyncSample == nil, packet.isKey {
            head.result.firstSyncSample = plan.segments.source(
                head.opening.timebase.time(ofTicks: max(0, pts)))
        }
    }
}
