// Carries a plan out: starts the lanes, opens the container when every lane has said what it brings, and writes their
// packets in the order of their decoding times. Runs on the caller's thread, which is the muxer's; the lanes run on
// queues of their own. Memory does not grow with the length: every hand-off is bounded.
internal import Libav
internal import Media
internal import MediaTime

/// A plan being carried out.
final class Pipeline {
    private struct Head {
        let lane: any Lane
        let opening: LaneOpening
        let output: Int
        let timebase: Timebase
        var packet: Packet?
        var result: TrackResult
        /// The end of the last packet that is shown, in ticks of the lane.
        var end: Int64 = 0
        /// The last decoding time, in ticks of the output.
        var lastDecoded: Int64?
        /// Ticks of the lane that the container adds to times, since it says by itself how long the codec's delay is.
        var delay: Int64 = 0
    }
    private let plan: ExportPlan
    private let lanes: [any Lane]
    private let notes: Notes
    private var meter: ProgressMeter

    init(_ plan: ExportPlan, source: SourceFile, strict: Bool, notes: Notes, meter: ProgressMeter) {
        self.plan = plan
        self.notes = notes
        self.meter = meter
        var lanes: [any Lane] = []
        if let video = plan.video {
            lanes.append(VideoLane(video, of: plan, source: source, strict: strict, notes: notes))
        }
        if let splice = plan.splice {
            lanes.append(SpliceLane(splice, of: plan, source: source, notes: notes))
        }
        lanes += plan.audio.map { audio -> any Lane in
            switch audio {
            case .copy(let track): CopiedSoundLane(track, of: plan, source: source, notes: notes)
            case .encode(let audio):
                AudioLane(audio, of: plan, source: source, strict: strict, notes: notes)
            }
        }
        self.lanes = lanes
    }

    /// Writes the output to a descriptor.
    /// - Returns: its tracks, and what of the source was left out on the way.
    func run(output descriptor: Int32) throws(MediaError) -> (tracks: [TrackResult], dropped: [DroppedItem]) {
        for lane in lanes { lane.start() }
        do throws(MediaError) {
            return try write(to: descriptor)
        } catch {
            for lane in lanes { lane.abandon() }
            throw error
        }
    }

    private func write(to descriptor: Int32) throws(MediaError) -> (
        tracks: [TrackResult], dropped: [DroppedItem]
    ) {
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
        guard !openings.isEmpty else {
            throw MediaError(
                .undecodableMediaData,
                "nothing in the range from \(plan.start) to \(plan.end.map { "\($0)" } ?? "the end") decodes",
                time: plan.start, remedy: "choose another range; `trimctl probe` shows what the file holds")
        }
        let muxer = try media(.encodeFailed) { () throws(LibavError) in
            try Muxer(format: plan.fileType.muxer, descriptor: descriptor)
        }
        var heads = try open(muxer, openings)
        meter.enter(.exporting)
        while let next = try earliest(&heads) {
            guard let packet = heads[next].packet else { break }
            heads[next].packet = nil
            note(packet, in: &heads[next])
            if heads[next].timebase != heads[next].opening.timebase { retime(packet, in: &heads[next]) }
            packet.track = heads[next].output
            try media(.encodeFailed) { () throws(LibavError) in try muxer.write(packet) }
            if let limit = plan.limit, muxer.written > limit {
                throw MediaError(.maximumFileSizeReached, "the output grows beyond \(limit) bytes")
            }
            meter.reached(heads[next].opening.timebase.time(ofTicks: heads[next].end), of: heads[next].output)
        }
        meter.enter(.finishing)
        muxer.gapless = gapless(heads)
        try media(.encodeFailed) { () throws(LibavError) in try muxer.finish() }
        return (heads.map(result), dropped)
    }

    private func open(_ muxer: Muxer, _ openings: [(any Lane, LaneOpening)]) throws(MediaError) -> [Head] {
        try media(.encodeFailed) { () throws(LibavError) in
            var outputs: [Int] = []
            var hasDefault: Set<TrackKind> = []
            for (_, opening) in openings {
                let isFirst = hasDefault.insert(opening.track.kind).inserted
                let (language, title) = (opening.track.language, opening.track.title)
                switch opening.coding {
                case .encoder(let encoder):
                    outputs.append(
                        try muxer.addTrack(
                            encoder, timebase: opening.timebase, language: language, title: title,
                            isDefault: isFirst, tag: tag(of: opening)))
                case .stored(let parameters):
                    outputs.append(
                        try muxer.addTrack(
                            parameters, timebase: opening.timebase, language: language, title: title,
                            isDefault: isFirst))
                }
            }
            muxer.setMetadata(plan.metadata)
            let millisecond = Timebase.milliseconds
            for chapter in plan.chapters {
                try muxer.addChapter(
                    start: millisecond.ticks(of: chapter.start, rounding: .halfAwayFromZero).ticks,
                    end: millisecond.ticks(of: chapter.end, rounding: .halfAwayFromZero).ticks,
                    title: chapter.title)
            }
            var options: [(String, String)] = []
            if plan.fileType.hasEditLists {
                options.append(("movie_timescale", "\(plan.movieTimescale)"))
                if let timebase = plan.video?.timebase ?? plan.splice?.timebase {
                    options.append(("video_track_timescale", "\(timebase.denominator)"))
                }
            }
            try muxer.begin(options: options, reserve: plan.reserve)
            var heads: [Head] = []
            for ((lane, opening), output) in zip(openings, outputs) {
                let timebase = muxer.timebase(of: output)
                // Containers with edit lists count as they are told; the others have ticks of their own.
                guard timebase == opening.timebase || !plan.fileType.hasEditLists else {
                    throw LibavError(
                        "writing the header",
                        cause: "the container counts track \(output) in \(timebase), not \(opening.timebase)")
                }
                var result = opening.result
                result.index = output
                var head = Head(
                    lane: lane, opening: opening, output: output, timebase: timebase, result: result)
                if case .encoder(let encoder) = opening.coding, opening.result.codec == "opus",
                    ["matroska", "webm"].contains(plan.fileType.muxer)
                {
                    head.delay = Int64(encoder.priming)
                }
                heads.append(head)
            }
            return heads
        }
    }

    /// The head whose packet is decoded first; nil when all lanes have ended.
    private func earliest(_ heads: inout [Head]) throws(MediaError) -> Int? {
        var best: (index: Int, time: Time)?
        for index in heads.indices {
            if heads[index].packet == nil { heads[index].packet = try heads[index].lane.packets.receive() }
            guard let packet = heads[index].packet else {
                meter.ended(heads[index].output)
                continue
            }
            let time = heads[index].opening.timebase.time(ofTicks: packet.dts ?? packet.pts ?? 0)
            if best.map({ time < $0.time }) ?? true { best = (index, time) }
        }
        return best?.index
    }

    /// Where the sound of an .m4a begins and ends.
    private func gapless(_ heads: [Head]) -> GaplessNote? {
        guard plan.fileType == .m4a, heads.count == 1, let head = heads.first, head.result.codec == "aac",
            case .encoder(let encoder) = head.opening.coding, encoder.frameSize > 0
        else { return nil }
        let coded = head.result.framesEncoded * Int64(encoder.frameSize)
        let priming = Int64(encoder.priming)
        return GaplessNote(priming: priming, padding: max(0, coded - priming - head.end), length: head.end)
    }

    /// Players take HEVC for what it is by this code alone.
    private func tag(of opening: LaneOpening) -> String? {
        plan.fileType.hasEditLists && opening.result.codec == "hevc" ? "hvc1" : nil
    }

    /// Brings a packet's times to the container's own ticks. Decoding times never go back, nor beyond the presentation.
    private func retime(_ packet: Packet, in head: inout Head) {
        func ticks(_ time: Int64) -> Int64 {
            head.opening.timebase.rescale(time + head.delay, to: head.timebase, rounding: .halfAwayFromZero)
        }
        let end = packet.pts.map { ticks($0 + packet.duration) }
        packet.pts = packet.pts.map(ticks)
        let wanted = packet.dts.map(ticks) ?? packet.pts ?? 0
        let dts =
            head.lastDecoded.map { max(wanted, $0 + (head.opening.track.kind == .video ? 1 : 0)) } ?? wanted
        packet.dts = min(dts, packet.pts ?? dts)
        head.lastDecoded = packet.dts
        if let end, let pts = packet.pts { packet.duration = max(0, end - pts) }
    }

    private func note(_ packet: Packet, in head: inout Head) {
        if packet.isCopied || head.result.way == .copy {
            head.result.framesCopied += 1
            head.result.bytesCopied = (head.result.bytesCopied ?? 0) + Int64(packet.size)
        } else {
            head.result.framesEncoded += 1
        }
        guard let pts = packet.pts else { return }
        head.end = max(head.end, pts + packet.duration)
        if head.result.firstSyncSample == nil, packet.isKey {
            head.result.firstSyncSample = plan.start + head.opening.timebase.time(ofTicks: max(0, pts))
        }
    }

    private func result(_ head: Head) -> TrackResult {
        var result = head.result
        result.actual.end = result.actual.start + head.opening.timebase.time(ofTicks: head.end)
        if let end = plan.end, result.kind == .video, result.actual.end > end { result.actual.end = end }
        return result
    }
}
