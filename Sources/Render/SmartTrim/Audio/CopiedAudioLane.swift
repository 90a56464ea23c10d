// Copies audio packets: reads them, positions them to the sample, and passes them on. Decoder preroll comes before time 0 of the
// output, where the edit list hides it. Owns its demuxer; confined to one queue.
internal import Codecs
internal import Libav
internal import Media
internal import MediaTime
internal import Source

/// One audio track that is copied.
final class CopiedAudioLane: SingleStageLane {
    let track: Track
    let opening = LaneQueue<LaneOpening>(capacity: 1)
    let packets = LaneQueue<Packet>(capacity: 256, reuses: true)
    let origin: Time
    /// Several only where packets can be cut anywhere.
    let segments: Segments
    /// Where the audio ends, if the source says so.
    private let end: Time?
    let fileType: FileType
    private let source: SourceFile
    let diagnostics: Diagnostics
    let rate: Int
    /// Until when there is silence behind the last audio; nil: the track ends with it, or the container cannot say so.
    private let silentEnd: Time?
    /// The runs of the source that the output is given; nil: none.
    let runs: StoredRuns?
    /// The last packet, which is sent once it is known to be the last, the samples from its time to its position, and its ticks.
    private typealias Last = (packet: Packet, shift: Int64, timebase: Timebase)

    /// - Parameter runs: of the source that the output is given, so that they need not be read; nil: none.
    init(
        _ track: Track, of whole: ExportPlan, _ source: SourceFile, _ diagnostics: Diagnostics,
        runs: StoredRuns?
    ) {
        self.runs = whole.segments.all.count == 1 ? runs : nil
        self.track = track
        end = track.editEnd
        (origin, segments) = (whole.origin, whole.segments)
        fileType = whole.fileType
        rate = max(1, track.audio?.sampleRate ?? 48_000)
        self.source = source
        silentEnd = fileType.hasEditLists ? source.silentEnd(of: track, origin: whole.origin) : nil
        self.diagnostics = diagnostics
    }

    var stage: String { "audio.\(track.index).copy" }

    func work() throws(MediaError) {
        // Containers without tables do not give the samples per packet, nor do some movie fragments; parsers do.
        var isQuick = track.samples != nil && track.codecTag != nil
        var isOpen = false
        var last: Last?
        for segment in segments.all {
            search: for back in LookBack.audio(track, before: segment.start) {
                while true {
                    let reader = try TrackReader.open(
                        source, track: track, origin: origin, at: segment.start, back: back,
                        quick: isQuick, staysInFilm: true)
                    switch try attempt(reader, segment, &isOpen, &last) {
                    case .done: break search
                    case .tooLate: continue search
                    case .uncounted:
                        guard isQuick else { break search }
                        isQuick = false
                    }
                }
            }
        }
        send(last)
        opening.end()
        packets.end()
    }

    /// Sends the last packet, which lasts to the end of the silence behind it.
    private func send(_ last: Last?) {
        guard let last, let silentEnd, let pts = last.packet.pts else { return }
        let end = [segments.all.last?.end, silentEnd].compactMap(\.self).min() ?? silentEnd
        let ticks = ticks(sample(end) + last.shift, last.timebase)
        last.packet.duration = max(last.packet.duration, ticks - pts)
        _ = packets.send(last.packet)
    }

    private enum Attempt {
        case done
        /// The reader is past the first packet needed.
        case tooLate
        /// Packets do not give their number of samples.
        case uncounted
    }

    /// Copies from the reader's position.
    private func attempt(
        _ reader: TrackReader, _ segment: Segment, _ isOpen: inout Bool, _ last: inout Last?
    ) throws(MediaError) -> Attempt {
        // The times of raw streams are counted from their beginning.
        if !reader.isFromBeginning, Asset.bare.contains(reader.demuxer.format) { return .tooLate }
        var parameters = try media(.encodeFailed, track: track.index) { () throws(LibavError) in
            try CodecParameters(
                try reader.parameters(), extradata: nil, tag: nil, sampleRate: track.audio?.sampleRate)
        }
        let divisor = parameters.bytesPerSample
        let hasADTS =
            track.audioCodec is AACCodec.Type && ["aac", "mpegts"].contains(reader.demuxer.format)
            && parameters.extradata.isEmpty
        let vorbis = VorbisSizes(parameters)
        let start = sample(segment.start)
        let offset = sample(segment.at)
        let stop = [segment.end, end].compactMap(\.self).min()
        leaveUnread(reader, from: segment.start, to: stop)
        var hidden = HiddenStart(track, in: fileType, rate: rate)
        var timebase = hidden.timebase(fileType.timebase(ofAudio: rate))
        /// The first sample that is played; later than the range's where the source begins with priming.
        var base = start
        /// Samples to add to positions, which count from `base`: a file of one track begins with its first packet.
        var shift: Int64 = 0
        /// Samples that players skip, as the next packet tells the muxer.
        var skip = 0
        var clock = SampleClock(
            rate: rate, timebase: track.timebase, tolerance: reader.timeTolerance)
        var copy: AudioCopy?
        var isUncounted = false
        var hasBegun = false
        func read() throws(MediaError) -> Packet? {
            let packet = try emptyPacket()
            return reader.read(into: packet, diagnostics) ? packet : nil
        }
        /// The next packet, read to measure the one before.
        var upcoming: Packet?
        var (usual, lastSample): (Int64, Int64?) = (0, nil)
        while true {
            let next: Packet? = if let held = upcoming.take() { held } else { try read() }
            guard let packet = next else {
                if !hasBegun, isUncounted { return .uncounted }
                return copy != nil || reader.isFromBeginning ? .done : .tooLate
            }
            // The priming of a later part of a playlist: what is copied before takes its place.
            if packet.isDiscarded, hasBegun { continue }
            guard isFrame(packet, hasADTS: hasADTS) else {
                diagnostics.warn(
                    Warning(
                        .damagedMedia,
                        "skipped data between audio frames: not a \(track.codec) frame",
                        time: packet.pts.map { track.timebase.time(ofTicks: $0) - origin },
                        track: track.index))
                continue
            }
            var count = vorbis.map { Int64($0.samples(of: packet)) } ?? samples(of: packet, parameters)
            if count == 0 {
                // Movie fragments may not give it; the next packet's time does.
                upcoming = try read()
                count = upcoming.flatMap { gap(packet, $0) } ?? usual
            }
            usual = count
            guard count > 0 else {
                isUncounted = true
                continue
            }
            let whole = count
            if hidden.statesEnd { count = max(0, count - Int64(packet.discardedSamples)) }
            let time = packet.pts.map { track.timebase.time(ofTicks: $0) - origin }
            if copy == nil {
                let stored = track.audioCodec.movieRate(profile: track.profile, packet: whole, rate: rate)
                if stored != rate, fileType.hasEditLists {
                    timebase = fileType.timebase(ofAudio: stored)
                    parameters = try withRate(stored, parameters)
                }
                let preroll = track.audioCodec.preroll(profile: track.profile, packet: whole, rate: rate)
                if hidden.statesEnd, reader.isFromBeginning, let time {
                    base = max(start, sample(time) + Int64(track.audio?.priming ?? 0))
                }
                copy = AudioCopy(
                    start: base, end: stop.map(sample), preroll: hidden.preroll(packet: whole),
                    isDivisible: divisor != nil,
                    needsLead: track.audioCodec.beginsSilent && !fileType.hasEditLists,
                    statesEnd: hidden.statesEnd, beginsNearest: !fileType.hasAudioTimes)
                if !reader.isFromBeginning {
                    guard let time, sample(time) + count <= start - preroll || sample(time) <= start - preroll
                    else { return .tooLate }
                }
            }
            let position = clock.position(time: time, count: Int(count))
            if reader.isFromBeginning { clock.settle() }
            guard let copy else { return .done }
            if copy.isDone(position: position) { return .done }
            guard var to = copy.offer(position: position, count: count) else {
                hidden.pass(packet)
                continue
            }
            to.sample += offset
            if !hasBegun, track.audioCodec.beginsWithMajorSync, !packet.hasMajorSync { continue }
            // Two packets with one time would overlap.
            let isLead = to.count == 0
            if let lastSample, to.sample <= lastSample, !isLead {
                diagnostics.warn(
                    Warning(
                        .damagedMedia, "a packet has the time of the one before; it is left out", time: time,
                        track: track.index))
                continue
            }
            if !isLead { lastSample = to.sample }
            let first =
                isLead ? position + count - base : fileType.hasAudioTimes ? max(0, to.sample) : to.sample
            if !hasBegun {
                hasBegun = true
                clock.settle()
                // Each part begins where the ones before it end.
                shift =
                    fileType.holdsOneTrack || !fileType.hasAudioTimes
                    ? (isLead ? -first : offset - first) : base - start
            }
            // Preroll alone is no track.
            if !isOpen, !fileType.hasEditLists || to.sample + to.count > 0 {
                isOpen = true
                skip = try open(
                    parameters, timebase, first: base - start + first, hidden, packet, at: to.sample, whole)
            }
            if !isLead { to.sample += shift }
            let padding = hidden.statesPadding ? whole - to.count : 0
            let moved = to.sample - to.keep.lowerBound - position
            let length = copy.end.map { $0 - copy.start }
            guard try send(packet, to, length, timebase, divisor, parameters, padding, skip, moved, &last)
            else { return .done }
            skip = 0
        }
    }

    private func send(
        _ packet: Packet, _ span: AudioCopy.Span, _ end: Int64?, _ timebase: Timebase, _ divisor: Int?,
        _ parameters: CodecParameters, _ padding: Int64, _ skip: Int, _ moved: Int64,
        _ last: inout Last?
    ) throws(MediaError) -> Bool {
        let echo = try media(.encodeFailed, track: track.index) { () throws(LibavError) in
            try packet.becomePlain()
            try packet.setDiscardedSamples(Int(padding), first: skip)
            if let divisor {
                let bytes = packet.bytes
                let (low, high) = (Int(span.keep.lowerBound) * divisor, Int(span.keep.upperBound) * divisor)
                if low > 0 || high < bytes.count {
                    try packet.replaceBytes(Array(bytes[min(low, bytes.count)..<min(high, bytes.count)]))
                }
            } else if span.count < span.keep.count,
                let shorter = try LosslessTail.bytes(
                    of: packet, keeping: Int(span.count), of: track, parameters)
            {
                try packet.replaceBytes(shorter)
            }
            place(packet, at: span.sample, count: span.count, timebase)
            return silentEnd == nil ? try self.echo(of: packet, span, end: end) : nil
        }
        if let echo { return packets.send(packet) && packets.send(echo) }
        guard silentEnd != nil, divisor == nil else { return packets.send(packet) }
        defer { last = (packet, moved, timebase) }
        return last.map { packets.send($0.packet) } ?? true
    }
}

// Opens the track of a copied audio lane: what its header says of the samples that are not played.
extension CopiedAudioLane {
    /// Opens the track, and sends the packet that its first one needs before it.
    /// - Parameters:
    ///   - first: samples from the range's start to the first one that is played.
    ///   - sample: the position of the first packet.
    ///   - count: its samples.
    /// - Returns: samples to skip, which the first packet is to say.
    func open(
        _ parameters: CodecParameters, _ timebase: Timebase, first: Int64, _ hidden: HiddenStart,
        _ packet: Packet, at sample: Int64, _ count: Int64
    ) throws(MediaError) -> Int {
        let lead: Packet?
        let stored: CodecParameters
        (stored, lead) = try media(.encodeFailed, track: track.index) { () throws(LibavError) in
            let lead = try hidden.lead(before: packet, skipping: max(0, -sample))
            let stored = try hidden.parameters(parameters, skipping: max(0, -sample))
            return (try described(stored, by: lead ?? packet), lead)
        }
        open(stored, timebase, first: first, delay: hidden.delay(skipping: max(0, -sample)))
        if fileType.audioEnds == .tag, segments.start > .zero {
            let milliseconds = (max(0, -sample) + (lead == nil ? 0 : count)) * 1000 / Int64(rate)
            diagnostics.warn(
                Warning(
                    .hiddenStart,
                    "\(milliseconds) ms before the start are stored for the decoder; players that do not read the LAME tag play them",
                    time: segments.start, track: track.index))
        }
        guard let lead else { return hidden.skip(-sample) }
        try media(.encodeFailed, track: track.index) { () throws(LibavError) in
            try lead.setDiscardedSamples(0, first: hidden.skip(count - sample))
        }
        place(lead, at: min(0, sample) - count, count: count, timebase)
        _ = packets.send(lead)
        return 0
    }

    private func open(_ parameters: CodecParameters, _ timebase: Timebase, first: Int64, delay: Int64) {
        let begins = Time(sample(segments.start) + first, Int32(clamping: rate))
        var result = TrackResult(
            index: 0, source: track.index, kind: .audio, codec: track.codec, way: .copy,
            actual: TimeSpan(start: begins, end: segments.end ?? segments.start))
        let off = begins - segments.start
        result.remainder = off == .zero ? nil : off
        (result.sampleRate, result.channels) = (rate, track.audio?.channels)
        _ = opening.send(
            LaneOpening(
                coding: .stored(parameters), timebase: timebase, track: track, result: result, delay: delay))
    }
}

// Counts samples of copied audio: those of a packet, and those that times are. On the lane's queue.
extension CopiedAudioLane {
    /// Samples from one packet's time to the next one's.
    func gap(_ packet: Packet, _ next: Packet) -> Int64? {
        guard let from = packet.pts, let to = next.pts, to > from else { return nil }
        return sample(track.timebase.time(ofTicks: to)) - sample(track.timebase.time(ofTicks: from))
    }

    /// Whether a packet begins as the codec's frames do.
    private func isFrame(_ packet: Packet, hasADTS: Bool) -> Bool {
        if hasADTS { return AACCodec.isWholeADTS(packet.bytes) }
        return !track.audioCodec.hasFrameHeaders || track.audioCodec.isWhole(packet.bytes)
    }

    /// A copy of the packet that is hidden behind it; nil: none is needed. FFmpeg takes the last packet of a movie's track to be as
    /// long as the edit list, and finds nothing to play where a range lies further inside a packet than it is long.
    /// - Parameter end: samples from the in point to the out point.
    func echo(of packet: Packet, _ span: AudioCopy.Span, end: Int64?) throws(LibavError) -> Packet? {
        let shown = span.sample + span.count
        guard fileType.hasEditLists, shown == end, 0 < shown, shown <= -span.sample else { return nil }
        let echo = try packet.copy()
        (echo.pts, echo.dts) = (
            packet.pts.map { $0 + packet.duration }, packet.dts.map { $0 + packet.duration }
        )
        // Of one without a duration, the muxer takes the codec's.
        echo.duration = 1
        echo.isHidden = true
        return echo
    }

    func samples(of packet: Packet, _ parameters: CodecParameters) -> Int64 {
        if !track.audioCodec.staysUnread, let stated = track.audioCodec.samples(in: packet.bytes) {
            return stated
        }
        let known = parameters.samples(inBytes: packet.size)
        if known > 0 { return Int64(known) }
        return track.timebase.time(ofTicks: packet.duration).multiplied(by: Int64(rate), over: 1)
            .converted(to: 1, rounding: .halfAwayFromZero).value
    }

    func sample(_ time: Time) -> Int64 {
        time.multiplied(by: Int64(rate), over: 1).converted(to: 1, rounding: .halfAwayFromZero).value
    }

    func ticks(_ sample: Int64, _ timebase: Timebase) -> Int64 {
        timebase.ticks(of: Time(sample, Int32(clamping: rate)), rounding: .halfAwayFromZero).ticks
    }

    /// Gives a packet the time of its first sample, and the duration of its samples.
    func place(_ packet: Packet, at sample: Int64, count: Int64, _ timebase: Timebase) {
        let from = ticks(sample, timebase)
        packet.pts = from
        packet.dts = from
        packet.duration = ticks(sample + count, timebase) - from
        packet.isHidden = sample + count <= 0
    }

    /// The parameters with a header, where the source's container has none: some muxers cannot write such a track, and others write
    /// one that does not decode.
    func described(_ parameters: CodecParameters, by first: Packet) throws(LibavError) -> CodecParameters {
        guard parameters.extradata.isEmpty,
            let header = track.audioCodec.missingHeader(first.bytes, of: track)
        else { return parameters }
        return try CodecParameters(parameters, extradata: header, tag: nil)
    }

    /// The parameters of a track that counts in this rate.
    func withRate(_ rate: Int, _ parameters: CodecParameters) throws(MediaError) -> CodecParameters {
        try media(.encodeFailed, track: track.index) { () throws(LibavError) in
            try CodecParameters(parameters, extradata: nil, tag: nil, sampleRate: rate)
        }
    }
}

// Spares the reader of copied audio the packets that the output is given, where nothing looks at them. On the lane's queue.
extension CopiedAudioLane {
    /// Audio near the ends of the range is read: packets may be shortened there, and a decoder needs some before them. The longest
    /// packets, of 4096 samples, last half a second.
    private static let ends = Time(2, 1)

    /// Spares a reader, before it reads, the packets that the output is given and whose bytes tell nothing that is needed. Others read
    /// them from between those of other tracks, block by block.
    /// - Parameter stop: the end of what is copied, in asset time.
    func leaveUnread(_ reader: TrackReader, from start: Time, to stop: Time?) {
        guard let runs, let stop, track.audioCodec.staysUnread, CloneDecision.isStored(track),
            !reader.looksAtSamples
        else { return }
        let (from, to) = (
            start + origin + CopiedAudioLane.ends, stop + origin - CopiedAudioLane.ends
        )
        guard from < to,
            let places = reader.demuxer.places(of: track.index, from: from.seconds, to: to.seconds)
        else { return }
        let unread = runs.within(places.map(\.bytes)).sorted { $0.lowerBound < $1.lowerBound }
        // Samples that share bytes: an index that nobody wrote so.
        guard !zip(unread, unread.dropFirst()).contains(where: { $0.upperBound > $1.lowerBound }) else {
            return
        }
        reader.demuxer.omit(unread)
    }
}
