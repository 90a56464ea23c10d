// Decodes one audio track to mono samples at one rate, cut to the sample by the rules of an export. Runs on the caller's queue;
// keeps nothing.
internal import Libav
internal import Media
internal import MediaTime

/// The mono audio of a track.
struct MonoAudio {
    let source: SourceFile
    let track: Track
    let origin: Time
    /// Output samples per second.
    let rate: Int
    /// How its channels become one.
    var mixing = ChannelMixing.mix
    let diagnostics: Diagnostics
    /// Another speed of the audio.
    var tempo: Tempo?

    /// Passes all audio of a part to `body` in pieces, from its first sample on, with silence in gaps, until `body` returns
    /// false.
    /// - Parameter end: nil: to the end of the track.
    /// - Returns: number of damaged packets.
    @discardableResult
    func read(from start: Time, to end: Time?, _ body: ([Float]) -> Bool) throws(MediaError) -> Int64 {
        let segment = Segment(start: start, end: end)
        for back in LookBack.audio {
            let reader = try TrackReader.open(
                source, track: track, origin: origin, at: start, back: back)
            if let damaged = try attempt(reader, segment, body) { return damaged }
        }
        return 0
    }

    /// Nil: the reader is past the first packet needed.
    private func attempt(
        _ reader: TrackReader, _ segment: Segment, _ body: ([Float]) -> Bool
    ) throws(MediaError) -> Int64? {
        let settings = AudioSettings(
            codec: "pcm_f32le", encoder: "pcm_f32le", bitRate: nil, maxChannels: 1, maxSampleRate: rate)
        let plan = AudioPlan(track: track, settings: settings)
        let own = track.edits == nil ? nil : track.duration.map { (track.start ?? .zero) + $0 }
        var cutter = AudioCutter(
            plan, origin: origin, segment, end: own, isFromBeginning: reader.isFromBeginning)
        var damaged: Int64 = 0
        return try media(.decodeFailed, track: track.index) { () throws(LibavError) -> Int64? in
            let decoder = try Decoder(
                try CodecParameters(reader.demuxer, track: track.index), timebase: track.timebase, threads: 1)
            var converter = MonoConverter(rate: rate, mixing: mixing, tempo: tempo)
            let packet = try Packet()
            var isFirst = true
            while !cutter.isDone {
                let isPacket = reader.read(into: packet, diagnostics)
                if isFirst, !reader.isFromBeginning {
                    guard isPacket, let ticks = packet.pts ?? packet.dts else { return nil }
                    let length =
                        packet.duration > 0 ? track.timebase.time(ofTicks: packet.duration) : Time(1, 4)
                    if track.timebase.time(ofTicks: ticks) - origin + length > segment.start { return nil }
                }
                isFirst = false
                if case .damaged = try decoder.send(isPacket ? packet : nil) { damaged += 1 }
                receiving: while true {
                    let frame = try Frame()
                    switch try decoder.receive(into: frame) {
                    case .frame:
                        for piece in try cutter.cut(frame) {
                            guard body(try converter.convert(piece)) else { return damaged }
                        }
                    case .needsInput, .ended: break receiving
                    case .damaged: damaged += 1
                    }
                }
                if !isPacket {
                    for piece in try cutter.cut(nil) where !body(try converter.convert(piece)) {
                        return damaged
                    }
                    break
                }
            }
            _ = body(try converter.finish())
            return damaged
        }
    }
}

/// How the channels of audio become one.
enum ChannelMixing {
    /// Mixed.
    case mix
    /// The largest magnitude of any, which mixing may cancel.
    case peak
}

/// Converts audio to one channel and one rate.
struct MonoConverter {
    private let rate: Int
    private let mixing: ChannelMixing
    private let tempo: Tempo?
    private var graph: FilterGraph?
    private var shape: FrameShape?
    private var count: Int64 = 0

    init(rate: Int, mixing: ChannelMixing, tempo: Tempo? = nil) {
        (self.rate, self.mixing, self.tempo) = (rate, mixing, tempo)
    }

    /// The samples of a frame; some may be returned with the next one.
    mutating func convert(_ frame: Frame) throws(LibavError) -> [Float] {
        var samples: [Float] = []
        if shape != frame.shape {
            samples = try finish()
            shape = frame.shape
            count = 0
            graph = try FilterGraph(
                chain: "aresample=\(rate):rematrix_maxval=1.0,\(tempo?.filters ?? "")"
                    + "aformat=sample_fmts=flt:sample_rates=\(rate)"
                    + (mixing == .mix ? ":channel_layouts=mono" : ""),
                shape: frame.shape, timebase: Timebase(perSecond: frame.sampleRate) ?? .seconds, threads: 1)
        }
        guard let graph else { return samples }
        frame.pts = count
        count += Int64(frame.sampleCount)
        try graph.send(frame)
        while let out = try graph.receive() { samples += self.samples(of: out) }
        return samples
    }

    private func samples(of frame: Frame) -> [Float] {
        mixing == .mix ? frame.monoSamples : frame.peakSamples
    }

    /// Flushes the remaining samples.
    mutating func finish() throws(LibavError) -> [Float] {
        guard let graph else { return [] }
        try graph.send(nil)
        var samples: [Float] = []
        while let out = try graph.receive() { samples += self.samples(of: out) }
        self.graph = nil
        shape = nil
        return samples
    }
}
