// Encodes audio: reads on one queue; decodes, cuts to the sample, converts and encodes on another, since audio is cheap. Owns its
// demuxer, decoder, filter graph and encoder.
internal import Codecs
package import Libav
package import Media
package import MediaTime
package import Source
internal import Synchronization

/// The encoding of one audio track.
package final class AudioLane: Lane {
    package let track: Track
    package let opening = LaneQueue<LaneOpening>(capacity: 1)
    /// Audio packets are small and short: this holds a few seconds, so that video never waits for audio.
    package let packets = LaneQueue<Packet>(capacity: 128)
    private let plan: AudioPlan
    private let origin: Time
    let segments: Segments
    private let fileType: FileType
    /// Where the audio ends, if the source says so.
    private let end: Time?
    /// Until when there is silence behind the last audio; nil: the track ends with it.
    let silentEnd: Time?
    private let source: SourceFile
    private let strict: Bool
    let diagnostics: Diagnostics
    /// Packets from the current part's demuxer.
    private let reading = Mutex<BoundedQueue<Packet, MediaError>?>(nil)
    private let isAbandoned = Mutex(false)

    package init(
        _ plan: AudioPlan, origin: Time, segments: Segments, fileType: FileType, source: SourceFile,
        strict: Bool, diagnostics: Diagnostics
    ) {
        self.plan = plan
        track = plan.track
        // An edit list says where the audio ends; the rest of the last packet is encoder padding.
        end = plan.track.editEnd
        (self.origin, self.segments, self.fileType) = (origin, segments, fileType)
        self.source = source
        silentEnd = source.silentEnd(of: plan.track, origin: origin)
        self.strict = strict
        self.diagnostics = diagnostics
    }

    package func start() {
        Stage.start("audio.\(track.index)") { [self] () throws(MediaError) in
            try work()
        } failed: { [self, opening, packets] in
            reading.withLock { $0 }?.abandon()
            packets.end($0)
            opening.end($0)
        }
    }

    package func abandon() {
        isAbandoned.withLock { $0 = true }
        packets.abandon()
        reading.withLock { $0 }?.abandon()
    }

    private func work() throws(MediaError) {
        let gain = try plan.loudness.map { target throws(MediaError) in try measure(target) } ?? 0
        var out = Output(gain: gain)
        try pass { piece throws(MediaError) in
            switch piece {
            case .samples(let frame, let first, let position):
                if out.first == nil { out.first = first }
                return try push(frame, at: position, &out)
            case .partEnded(let segment, let missing): return try pad(missing, segment, &out)
            }
        }
        _ = try push(nil, &out)
        opening.end()
        packets.end()
    }

    /// The output of a pass.
    private enum Piece {
        /// Audio of a part, the asset time of the part's first sample, and where it begins in the output, before its speed is changed.
        case samples(Frame, first: Time, position: Time?)
        /// The end of a part; how much it lacks, nil if it has nothing.
        case partEnded(Segment, missing: Time?)
    }
    /// Consumes each piece; returns false to stop.
    private typealias Consumer = (Piece) throws(MediaError) -> Bool

    private enum Attempt {
        case done
        /// The reader is past the first packet needed.
        case tooLate
        /// The consumer has stopped.
        case unwanted
    }

    /// The state of the audio output.
    struct Output {
        /// Said that a part has more channels than the output.
        var isDownmixed = false
        /// In decibels.
        var gain: Double
        var encoder: AudioEncoder?
        /// Asset time of the very first sample.
        var first: Time?
        /// A short silence in the audio's format, to fill parts without audio.
        var silence: Frame?
        /// Silence to insert before the first audio.
        var owed = Time.zero
    }

    /// Decodes all parts once.
    private func pass(_ consume: Consumer) throws(MediaError) {
        parts: for segment in segments.all.map(silenced) {
            for back in LookBack.audio(track, before: segment.start) {
                let reader = try TrackReader.open(
                    source, track: track, origin: origin, at: segment.start, back: back,
                    staysInFilm: true)
                switch try attempt(reader, segment, consume) {
                case .done: continue parts
                case .tooLate: break
                case .unwanted: break parts
                }
            }
        }
    }

    /// A part with its end, where there is silence behind the last audio.
    private func silenced(_ segment: Segment) -> Segment {
        guard let end = silentEnd, segment.at == segments.all.last?.at else { return segment }
        var segment = segment
        segment.end = min(segment.end ?? end, end)
        return segment
    }

    /// The gain in decibels that brings the encoded audio to a loudness; less where it would clip.
    private func measure(_ target: Double) throws(MediaError) -> Double {
        var meter: LoudnessMeter?
        func send(_ frame: Frame?) throws(MediaError) {
            try media(.encodeFailed, track: track.index) { () throws(LibavError) in
                if meter == nil, let frame { meter = try LoudnessMeter(plan, first: frame) }
                try meter?.send(frame)
            }
        }
        try pass { piece throws(MediaError) in
            guard !isAbandoned.withLock({ $0 }) else { return false }
            if case .samples(let frame, _, _) = piece { try send(frame) }
            return true
        }
        try send(nil)
        guard let meter, let loudness = meter.loudness else {
            diagnostics.warn(
                Warning(
                    .loudnessUnknown,
                    "the audio is silent or too short to measure; its loudness is unchanged",
                    track: track.index))
            return 0
        }
        let gain = target - loudness
        let room = LoudnessMeter.highestPeak - meter.peak
        if gain > room {
            diagnostics.warn(
                Warning(
                    .loudnessLimited,
                    "the audio is normalized to \(LoudnessMeter.tenths(loudness + room)) LUFS, not \(LoudnessMeter.tenths(target)): "
                        + "louder, its peaks would clip", track: track.index))
        }
        return min(gain, room)
    }

    /// Decodes one part of the track from the reader's position.
    private func attempt(
        _ reader: TrackReader, _ segment: Segment, _ consume: Consumer
    ) throws(MediaError) -> Attempt {
        let read = BoundedQueue<Packet, MediaError>(capacity: 64)
        reading.withLock { $0 = read }
        let decoder = try media(.decodeFailed, track: track.index) { () throws(LibavError) in
            try Decoder(try reader.decoderParameters(), timebase: track.timebase, threads: 1)
        }
        // The first packet shows whether the seek went back far enough.
        let first = try media(.outOfMemory, track: track.index) { () throws(LibavError) in try Packet() }
        let isThere = reader.read(into: first, diagnostics)
        var next: Packet? = isThere ? first : nil
        var seeked: Time?
        if !reader.isFromBeginning {
            seeked = AudioCutter.time(of: next, track, origin: origin, before: segment.start)
            if seeked == nil { return .tooLate }
        }
        let slot = Slot(reader)
        Stage.start("audio.\(track.index).demux") { [diagnostics] () throws(MediaError) in
            try slot.take()?.readAll(into: read, diagnostics)
            read.end()
        } failed: {
            read.end($0)
        }
        defer { read.abandon() }

        var cutter = AudioCutter(
            plan, origin: origin, segment, end: end, seeked: seeked, tolerance: reader.timeTolerance)
        var isFlushing = false
        while !isFlushing, !cutter.isDone {
            let packet: Packet?
            if let waiting = next { packet = waiting } else { packet = try read.receive() }
            next = nil
            isFlushing = packet == nil
            let (frames, damage) = try media(.decodeFailed, track: track.index) { () throws(LibavError) in
                try decode(packet, decoder)
            }
            let reach = reach(of: packet)
            for one in damage { try report(one, in: segment, reach: reach) }
            for frame in frames.map(Optional.some) + (isFlushing ? [nil] : []) where !cutter.isDone {
                cutter.take(frame)
                while true {
                    let position = cutter.position
                    let next = try media(.encodeFailed, track: track.index) { () throws(LibavError) in
                        try cutter.piece()
                    }
                    guard let piece = next else { break }
                    let first = cutter.firstSampleTime
                    guard try consume(.samples(piece, first: first, position: position)) else {
                        return .unwanted
                    }
                }
            }
        }
        return try consume(.partEnded(segment, missing: cutter.missing)) ? .done : .unwanted
    }

    private func decode(
        _ packet: Packet?, _ decoder: Decoder
    ) throws(LibavError) -> (frames: [Frame], damage: [Damage]) {
        let time = packet?.pts.map { track.timebase.time(ofTicks: $0) - origin }
        var damage: [Damage] = []
        let errors = decoder.errors
        if case .damaged(let error) = try decoder.send(packet) { damage.append(Damage(error, at: time)) }
        var frames: [Frame] = []
        while true {
            let frame = try Frame()
            switch try decoder.receive(into: frame) {
            case .frame:
                if frame.isDamaged, damage.isEmpty { damage.append(.concealed(at: time)) }
                frames.append(frame)
            case .needsInput, .ended:
                if decoder.errors > errors, damage.isEmpty { damage.append(.reported(at: time)) }
                return (frames, damage)
            case .damaged(let error): damage.append(Damage(error, at: time))
            }
        }
    }

    /// How long a packet is heard: its own audio, and that of the following ones which are decoded with it.
    private func reach(of packet: Packet?) -> Time {
        guard let packet, let rate = track.audio?.sampleRate, rate > 0 else { return .zero }
        let length = track.timebase.time(ofTicks: packet.duration)
        let samples = length.multiplied(by: Int64(rate), over: 1).converted(
            to: 1, rounding: .halfAwayFromZero
        ).value
        let preroll = track.audioCodec.preroll(profile: track.profile, packet: samples, rate: rate)
        return length + Time(preroll, Int32(clamping: rate))
    }

    /// Reports damage that is heard in the range.
    /// - Parameter reach: how long it is heard.
    private func report(_ damage: Damage, in segment: Segment, reach: Time) throws(MediaError) {
        if let time = damage.time,
            time + max(reach, Time(1, 1000)) <= segment.start || segment.end.map({ time >= $0 }) == true
        {
            return
        }
        if strict { throw damage.error(track: track.index) }
        diagnostics.warn(damage.warning(track: track.index, in: segment))
    }

    // MARK: Encoding

    /// Encodes a piece of audio, or flushes; false when the receiver takes no more packets.
    /// - Parameter position: where it begins in the output, before its speed is changed; nil: where the one before ends.
    func push(
        _ frame: Frame?, at position: Time? = nil, _ out: inout Output
    ) throws(MediaError) -> Bool {
        if out.encoder == nil, let frame {
            let end = end.map { end in
                segments.all.last.map { $0.output(min($0.end ?? end, end)) } ?? end
            }
            let (made, format) = try media(.encodeFailed, track: track.index) { () throws(LibavError) in
                out.silence = try Frame.silence(like: frame, samples: 1)
                let made = try AudioEncoder(
                    plan, first: frame, length: [segments.length, end].compactMap(\.self).min(),
                    joins: segments.all.dropFirst().map(\.at), gain: out.gain, speed: segments.speed,
                    priming: AudioPriming(of: AudioCodecs.named(plan.codec), in: fileType),
                    as: source.joinedFormat(of: track))
                return (made, try made.encoder.format())
            }
            out.encoder = made
            if let warning = plan.lostDepth { diagnostics.warn(warning) }
            let first = out.owed > .zero ? segments.start : out.first ?? segments.start
            var result = TrackResult(
                index: 0, source: track.index, kind: .audio, codec: made.codec, way: .encode,
                actual: TimeSpan(start: first, end: segments.end ?? segments.start))
            let off = first - segments.start
            result.remainder = off == .zero ? nil : off
            (result.sampleRate, result.channels) = (made.sampleRate, made.channels)
            _ = opening.send(
                LaneOpening(
                    coding: .encoded(format), timebase: made.timebase, track: track, result: result))
        }
        guard let encoder = out.encoder else { return true }
        if let frame { warn(ofChannelsIn: frame, encoder, &out) }
        if frame != nil, out.owed > .zero {
            let missing = out.owed
            out.owed = .zero
            guard try fill(missing, &out) else { return false }
        }
        return try media(.encodeFailed, track: track.index) { () throws(LibavError) in
            try encoder.send(frame, at: position)
            for packet in encoder.take() { guard packets.send(packet) else { return false } }
            if frame == nil { reportEnds(encoder) }
            return true
        }
    }

    /// Says which of the samples that are played are not the source's.
    private func reportEnds(_ encoder: AudioEncoder) {
        func milliseconds(_ samples: Int64) -> String {
            "\(max(1, samples * 1000 / Int64(max(1, encoder.sampleRate)))) ms"
        }
        let parts = [
            encoder.fadeIn > 0 ? "the first \(milliseconds(encoder.fadeIn)) of the audio fade in" : nil,
            encoder.padding > 0 ? "\(milliseconds(encoder.padding)) of silence follow its end" : nil,
        ].compactMap(\.self)
        guard !parts.isEmpty else { return }
        diagnostics.warn(
            Warning(
                .audioPadded,
                "\(parts.joined(separator: ", and ")): .\(fileType.rawValue) cannot say where encoded audio begins and ends",
                time: segments.start, track: track.index))
    }
}

// Tells where audio is mixed down that is not so at the track's beginning. On the lane's queue.
extension AudioLane {
    /// Warns where a part of the track has more channels than its beginning, which the output has: broadcasts change between programs.
    func warn(ofChannelsIn frame: Frame, _ encoder: AudioEncoder, _ out: inout Output) {
        guard !out.isDownmixed, frame.channels > encoder.channels,
            track.audio.map({ $0.channels <= encoder.channels }) ?? true
        else { return }
        out.isDownmixed = true
        diagnostics.warn(
            Warning(
                .downmixed,
                "a part of track \(track.index) has \(frame.channels) channels, which are mixed down to the \(encoder.channels) of others",
                track: track.index))
    }
}

// The encoding of an audio track over a whole output, for the muxer.
extension AudioLane {
    /// A lane over all parts of a plan.
    convenience init(
        _ plan: AudioPlan, of whole: ExportPlan, source: SourceFile, strict: Bool, diagnostics: Diagnostics
    ) {
        self.init(
            plan, origin: whole.origin, segments: whole.segments, fileType: whole.fileType, source: source,
            strict: strict, diagnostics: diagnostics)
    }
}

// The silence in encoded audio, where its source has none that could be read. On the lane's queue.
extension AudioLane {
    /// Fills the missing samples of a part with silence, so that later parts keep their positions, and the last one its length where
    /// the source says that it has one.
    func pad(_ missing: Time?, _ segment: Segment, _ out: inout Output) throws(MediaError) -> Bool {
        guard segment.at < segments.all.last?.at ?? .zero || silentEnd != nil else { return true }
        guard out.silence != nil else {
            out.owed = out.owed + (segment.sourceLength ?? .zero)
            return true
        }
        return try fill(missing ?? segment.sourceLength ?? .zero, &out)
    }

    /// Encodes silence.
    func fill(_ length: Time, _ out: inout Output) throws(MediaError) -> Bool {
        guard let silence = out.silence else { return true }
        var missing = length.multiplied(by: Int64(silence.sampleRate), over: 1)
            .converted(to: 1, rounding: .halfAwayFromZero).value
        while missing > 0 {
            let count = min(missing, Int64(silence.sampleRate))
            let piece = try media(.outOfMemory, track: track.index) { () throws(LibavError) in
                try Frame.silence(like: silence, samples: Int(count))
            }
            guard try push(piece, &out) else { return false }
            missing -= count
        }
        return true
    }
}
