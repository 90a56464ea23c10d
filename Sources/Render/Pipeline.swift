// Executes a plan: starts the lanes, opens the container when every lane has sent its opening, and writes packets in order of
// decoding time. Runs on the caller's thread, which is the muxer's; lanes run on their own queues. Memory does not grow with the
// duration: every queue is bounded.
internal import Codecs
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
        /// Makes room for the times of its frames; nil: the container has a place for each.
        var padding: ProgramStreamPadding?
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
            if head.padding != nil {
                _ = try head.advance()
                do throws(LibavError) { try head.padding?.pad(packet, before: head.packet) } catch {
                    throw .other(MediaError(error, fallback: .encodeFailed))
                }
            }
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

// Decisions that need all tracks of an output, and data written when its media is complete.
extension Pipeline {
    /// The size of an output, by kind of track.
    package func outcome(size: Int64) -> SizeLimit.Outcome {
        SizeLimit.Outcome(size: size, video: bytes[.video] ?? 0, audio: bytes[.audio] ?? 0)
    }

    /// Why there is no output: no lane has anything in the range.
    var nothing: MediaError {
        if plan.video == nil, plan.smartTrim == nil, plan.audio.contains(where: \.isCopied) {
            return MediaError(
                .operationNotSupported,
                "no audio packet begins in the range from \(plan.segments.start), and .\(plan.fileType.rawValue) can only be cut between packets",
                time: plan.segments.start,
                remedy: "choose a longer range, or a preset that encodes, such as m4a or flac")
        }
        return MediaError(
            .undecodableMediaData,
            "nothing in the range from \(plan.segments.start) to \(plan.segments.end.map { "\($0)" } ?? "the end") decodes",
            time: plan.segments.start,
            remedy: "choose another range; `trimctl probe` shows what the file holds")
    }

    /// Whether all that was written is audio that nobody hears, such as the packet that the next one needs.
    private func holdsNothing(_ heads: [Head]) -> Bool {
        heads.allSatisfy { $0.result.kind == .audio && $0.end <= 0 }
    }

    /// Adds to the file what is known when all packets and the trailer are written.
    /// - Returns: what of the source was left out.
    func complete(
        _ heads: [Head], _ tracks: [TrackResult], _ descriptor: Int32
    ) throws(MediaError) -> [DroppedItem] {
        if plan.smartTrim?.hides == true, let length = plan.smartTrim?.outputEnd {
            // The muxer's edit list ends with the last sample; samples after the out point must stay hidden.
            let movie = EditListPatch(descriptor: descriptor)
            for head in heads where head.opening.track.kind == .video {
                let shown = min(length, head.timebase.time(ofTicks: head.end))
                try movie.setLength(ofTrack: head.output, to: shown)
            }
        }
        for head in heads where head.hidesEnd && head.result.kind == .audio {
            let shown = head.opening.timebase.time(ofTicks: head.end)
            try EditListPatch(descriptor: descriptor).setLength(
                ofTrack: head.output, to: shown, setsTimecode: false)
        }
        if plan.fileType.isMatroska { try finishMatroska(descriptor, heads) }
        let said = heads.reduce(into: [:]) {
            $0[$1.output] = labels(of: $1.opening, among: heads.map(\.opening))
        }
        return try plan.passthrough.finish(
            output: descriptor, tracks: tracks, labels: said, gapless: gapless(heads), clones: clones)
    }

    /// The playable range of an .m4a's audio.
    func gapless(_ heads: [Head]) -> GaplessNote? {
        guard plan.fileType.isAudio, plan.fileType.isISOMedia, heads.count == 1, let head = heads.first,
            AudioCodecs.named(head.result.codec).hasGaplessNote,
            case .encoded(let format) = head.opening.coding, format.frameSize > 0
        else { return nil }
        let coded = head.result.framesEncoded * Int64(format.frameSize)
        let priming = Int64(format.priming)
        return GaplessNote(priming: priming, padding: max(0, coded - priming - head.end), length: head.end)
    }

    /// The labels of a track among the others. One video and one audio track play by default: the source's first default,
    /// otherwise the first track; of text there are as many defaults as in the source.
    func labels(of opening: LaneOpening, among openings: [LaneOpening]) -> TrackLabels {
        var labels = plan.passthrough.labels(of: opening.track)
        let alike = openings.filter { $0.track.kind == opening.track.kind }.map(\.track)
        let one = alike.first { $0.dispositions.contains("default") } ?? alike.first
        labels.isDefault =
            opening.track.kind == .subtitle
            ? opening.track.dispositions.contains("default") : one?.index == opening.track.index
        return labels
    }

    /// Adds to a Matroska file what the muxer does not write: codec delays, and the index before the media.
    private func finishMatroska(_ descriptor: Int32, _ heads: [Head]) throws(MediaError) {
        let delayed = heads.filter { $0.delay > 0 }
        let tags = heads.compactMap { head in
            plan.passthrough.labels(of: head.opening.track).languageTag.map { ($0, head.output) }
        }
        guard plan.putsIndexFirst || !delayed.isEmpty || !tags.isEmpty else { return }
        guard var edit = MatroskaEdit(SourceFile(descriptor: descriptor, name: "the output")) else {
            throw MediaError(.encodeFailed, "the Matroska file that was written has no head that can be read")
        }
        edit.putsIndexFirst = plan.putsIndexFirst
        for head in delayed where head.hidesPriming { try edit.hidePriming(of: head.output) }
        let ends = heads.map { $0.opening.timebase.time(ofTicks: $0.end) }
        for (head, end) in zip(heads, ends) where head.delay > 0 {
            let delay = head.opening.timebase.rescale(
                head.delay, to: .nanoseconds, rounding: .halfAwayFromZero)
            // FFmpeg's muxer writes it only for Opus, always as if at 48 kHz, and counts it into the duration of the file.
            edit.setCodecDelay(UInt64(delay), of: head.output)
            edit.setLength(end, of: head.output)
        }
        if !delayed.isEmpty, let last = ends.max() { edit.setLength(last) }
        for (tag, output) in tags { edit.setLanguage(tag, of: output) }
        try edit.write()
    }

    /// Where the container stores no duration, readers assume that a frame is shown no longer than this.
    private static let usual = Time(1, 2)

    /// The result of a lane, with the end of its track.
    func result(_ head: Head) -> TrackResult {
        var result = head.result
        let end = head.opening.timebase.time(ofTicks: head.end)
        if result.kind == .video, !plan.fileType.isISOMedia {
            let last = head.opening.timebase.time(ofTicks: head.last)
            result.lastPicture = last
            if plan.fileType.isTransport, end - last > Pipeline.usual {
                diagnostics.warn(
                    Warning(
                        .lastPictureLength,
                        "the last frame is shown for \((end - last).seconds) s, which .\(plan.fileType.rawValue) cannot express",
                        time: plan.segments.source(last), track: result.source))
            }
        }
        let speed = plan.segments.speed
        if speed != Ratio(1) { result.speed = speed }
        guard plan.segments.all.count > 1 else {
            // Of several tracks, one that begins late has its place; one alone begins with its first sample.
            let isPlaced = plan.fileType.hasAudioTimes && !plan.fileType.holdsOneTrack
            let zero = isPlaced ? plan.segments.start : result.actual.start
            result.actual.end = zero + end.unplayed(at: speed)
            if result.kind == .video, let last = plan.smartTrim?.outputEnd, end > last {
                result.actual.end = result.actual.start + last
            }
            if let end = plan.segments.end, result.kind == .video, result.actual.end > end {
                result.actual.end = end
            }
            return result
        }
        let spans = plan.segments.all.filter { $0.at < end }.map { segment in
            let reached = segment.source(end)
            return TimeSpan(start: segment.start, end: segment.end.map { min($0, reached) } ?? reached)
        }
        result.ranges = spans
        // Parts may be in any order.
        result.actual.start = spans.dropFirst().map(\.start).reduce(result.actual.start, min)
        result.actual.end = spans.map(\.end).max() ?? result.actual.start
        return result
    }
}

// How a pipeline opens its muxer: tracks, labels, chapters and options, then the header.
extension Pipeline {
    /// A container with its header, and the heads of its lanes.
    struct Opened: ~Copyable {
        let muxer: Muxer
        let heads: [Head]
    }

    /// Shorter audio could fit one page of Ogg, which FFmpeg ends after a second.
    private static let short = Time(3, 1)

    /// Adds the tracks of all lanes and writes the header.
    func open(_ descriptor: Int32, _ openings: [(any Lane, LaneOpening)]) throws(LibavError) -> Opened {
        let codecs = openings.map(\.1.result.codec)
        let setup = try MuxerSetup(format: plan.fileType.muxer(for: codecs), descriptor: descriptor)
        if plan.isReproducible { setup.omitRandomBytes() }
        var outputs: [Int] = []
        let all = openings.map { labels(of: $0.1, among: openings.map(\.1)) }
        for ((_, opening), labels) in zip(openings, all) {
            let (language, title, isFirst) = (labels.language, labels.title, labels.isDefault)
            let parameters: CodecParameters
            switch opening.coding {
            case .encoded(let format):
                parameters = try format.parameters(
                    tag: tag(of: opening), hasPriming: priming(of: opening) != .omitted)
            case .stored(let stored): parameters = stored
            }
            outputs.append(
                try setup.addTrack(
                    parameters, timebase: opening.timebase, language: language, title: title,
                    isDefault: isFirst))
        }
        for (labels, output) in zip(all, outputs) {
            setup.setDispositions(labels.uses + (labels.isDefault ? ["default"] : []), of: output)
            guard plan.fileType.isISOMedia, let title = labels.title else { continue }
            // QuickTime reads it as Mac OS Roman.
            let isPlain = title.utf8.allSatisfy { $0 < 0x80 }
            if isPlain || plan.fileType != .mov { setup.setHandler(title, of: output) }
        }
        let timecode = plan.passthrough.timecode(rate: plan.frameRate)
        let picture = try plan.passthrough.open(
            setup, timecode: timecode, chapters: plan.chapters, codecs: codecs)
        // Movies count chapters in movie ticks, in which the range's end is whole; an end is never rounded up, since that
        // would lengthen the movie.
        let ticks =
            plan.fileType.isISOMedia
            ? Timebase(perSecond: Int(plan.movieTimescale)) ?? .microseconds : .microseconds
        for chapter in plan.chapters {
            let end =
                plan.passthrough.end.map { min(chapter.end, plan.segments.output($0)) } ?? chapter.end
            guard chapter.start < end else { continue }
            try setup.addChapter(
                start: ticks.ticks(of: chapter.start, rounding: .halfAwayFromZero).ticks,
                end: ticks.ticks(of: end, rounding: .towardZero).ticks, timebase: ticks,
                // A movie's chapters are text samples; without a title there would be none.
                title: chapter.title ?? (plan.fileType.isISOMedia ? "" : nil))
        }
        var options = plan.fileType.muxerOptions(codecs).map { ($0.name, $0.value) }
        if plan.passthrough.tags.isBroadcast, plan.fileType == .wav { options.append(("write_bext", "1")) }
        let length = plan.segments.length ?? plan.passthrough.mediaEnd.map(plan.segments.output)
        if plan.fileType.audioEnds == .position, length.map({ $0 < Pipeline.short }) ?? false {
            // From the first page's position, readers tell when the audio begins, but not if that page is also the last.
            options.append(("page_duration", "10000"))
        }
        if plan.fileType.isISOMedia {
            let video = openings.firstIndex { $0.1.result.kind == .video }
            if let timecode, let rate = plan.frameRate, let video {
                setup.setTimecode("\(timecode.timecode)", rate: rate, of: outputs[video])
                options.append(("write_tmcd", "1"))
            }
            options.append(("movie_timescale", "\(plan.movieTimescale)"))
            if let timebase = plan.video?.timebase ?? plan.smartTrim?.timebase {
                options.append(("video_track_timescale", "\(timebase.denominator)"))
            }
        }
        // Room for data written into the header of a Matroska file when it is complete.
        let room = plan.fileType.isMatroska ? max(plan.reserve, 128) : 0
        let muxer = try setup.begin(
            options: options, reserve: plan.fileType.isISOMedia ? plan.reserve : 0, room: room,
            clones: clones)
        if let picture { try plan.passthrough.writePicture(muxer, to: picture) }
        var heads: [Head] = []
        for ((lane, opening), output) in zip(openings, outputs) {
            let timebase = muxer.timebase(of: output)
            // Containers with edit lists use the requested timebase; others have fixed ones.
            guard timebase == opening.timebase || !plan.fileType.isISOMedia else {
                throw LibavError(
                    "writing the header",
                    cause: "the container counts track \(output) in \(timebase), not \(opening.timebase)")
            }
            var result = opening.result
            if result.kind == .video { result.reason = plan.reason ?? plan.smartTrim?.obstacle }
            result.index = output
            let head = Head(
                lane: lane, opening: opening, output: output, timebase: timebase, result: result)
            switch opening.coding {
            case .encoded(let format):
                if result.kind == .audio, priming(of: opening) == .delayed {
                    head.delay = Int64(format.priming)
                    head.hidesPriming =
                        head.delay > 0 && AudioCodecs.named(result.codec).discardsPriming
                }
            case .stored:
                head.delay = opening.delay
                head.isStored = CloneDecision.isStored(opening.track)
            }
            if plan.fileType.isProgramStream {
                head.delay +=
                    opening.timebase.ticks(of: plan.fileType.zero, rounding: .halfAwayFromZero).ticks
                if let length = frameLength(opening.track) {
                    head.padding = ProgramStreamPadding(
                        period: opening.timebase.ticks(of: length, rounding: .halfAwayFromZero).ticks)
                }
            }
            heads.append(head)
        }
        return Opened(muxer: muxer, heads: heads)
    }

    /// How long a frame of the output is shown, where they are evenly spaced; nil: unknown, or not video.
    private func frameLength(_ track: Track) -> Time? {
        guard track.kind == .video, let rate = plan.video?.frameRate else { return track.video?.usualLength }
        return rate.reciprocal.map { Time($0.numerator, Int32(clamping: $0.denominator)) }
    }

    /// How the priming of an encoded track is handled.
    private func priming(of opening: LaneOpening) -> AudioPriming {
        AudioPriming(of: AudioCodecs.named(opening.result.codec), in: plan.fileType)
    }

    /// The sample entry of an encoded track; nil: the muxer's.
    func tag(of opening: LaneOpening) -> String? {
        plan.fileType.isISOMedia ? VideoCodecs.named(opening.result.codec).movieTag : nil
    }

    /// The error of a packet that is too long after the one before, or too long, for a movie, which counts the ticks between two
    /// samples in 32 bits; nil: the container can express it.
    private func movieOverflow(_ packet: Packet, in head: Head) -> MediaError? {
        guard plan.fileType.isISOMedia, let dts = packet.dts ?? packet.pts else { return nil }
        let before = head.lastWritten
        head.lastWritten = dts
        let most = Int64(Int32.max)
        let isShort = { (from: Int64, to: Int64) in to &- from <= most }
        let (shown, end) = (packet.pts ?? dts, dts &+ packet.duration)
        if isShort(before ?? dts, dts), isShort(dts, shown), isShort(dts, end) { return nil }
        // Where frames are reordered, one that is decoded before the pause is shown after it.
        let pauses = [
            (from: before ?? dts, to: dts), (from: dts, to: shown), (from: dts, to: end),
        ]
        guard let pause = pauses.max(by: { $0.to &- $0.from < $1.to &- $1.from }) else { return nil }
        let timebase = head.timebase
        let from = plan.segments.source(timebase.time(ofTicks: max(0, pause.from)))
        let length = timebase.time(ofTicks: pause.to &- pause.from)
        let longest = timebase.time(ofTicks: most)
        let type = plan.fileType.rawValue
        return MediaError(
            .operationNotSupported,
            "track \(head.result.source) pauses for \(length.clock(digits: 0)) at \(from.clock()), and .\(type) holds no pause beyond \(longest.clock(digits: 0))",
            time: from, track: head.result.source,
            remedy: "leave the pause out with --remove, or choose .mkv")
    }
}
