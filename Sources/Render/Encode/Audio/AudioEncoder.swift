// Converts audio to the encoder's format and encodes it. Output times are its running sample count. Confined to its lane's queue.
internal import Codecs
internal import Libav
internal import Media
internal import MediaTime

/// An audio encoder with its converter.
package final class AudioEncoder {
    let encoder: Encoder
    /// Seconds per sample of the output.
    let timebase: Timebase
    let sampleRate: Int
    let channels: Int
    /// FFmpeg's name of the output codec.
    let codec: String
    private let layout: String
    /// In decibels.
    private let gain: Double
    private let format: String
    /// Graphs that are replaced return as many samples as the time of those that they took.
    private let keepsTime: Bool
    /// Samples of the output; nil: as many as arrive.
    private let length: Int64?
    private let tempo: Tempo?
    /// Seconds of audio that arrived.
    private var arrived = Time.zero
    /// Output samples at which parts of the source meet.
    private let joins: [Int64]
    /// How the encoder's priming is handled.
    private let priming: AudioPriming
    /// Silence before the first sample, so that a packet begins exactly at it.
    private let lead: Int
    private var graph: FilterGraph?
    private var shape: FrameShape?
    /// Output samples returned by the converter, and samples sent to the encoder.
    private var sent: Int64 = 0, encoded: Int64
    /// Packets of which the time was counted.
    private var made: Int64 = 0
    private var isEnded = false
    /// The first packet says how much of it is priming.
    private var isPrimed = false

    /// Opens the encoder for audio in the format of the first frame.
    /// - Parameters:
    ///   - length: of the output, where it is known.
    ///   - joins: output times at which parts of the source meet.
    ///   - gain: in decibels.
    ///   - declared: what counts in place of the first frame's format; nil: that does.
    init(
        _ plan: AudioPlan, first: Frame, length: Time?, joins: [Time] = [], gain: Double = 0,
        speed: Ratio = Ratio(1), priming: AudioPriming = .declared, as declared: AudioFormat? = nil
    ) throws(LibavError) {
        let settings = plan.settings
        (sampleRate, channels, layout) = AudioEncoder.shape(plan, first: first, as: declared)
        self.gain = gain
        tempo = Tempo(speed)
        keepsTime = tempo != nil || declared != nil
        let coding = plan.coding
        (codec, format) = (coding.codec, coding.format)
        timebase = Timebase(perSecond: sampleRate) ?? .seconds
        let rate = sampleRate
        self.length = length.map {
            $0.multiplied(by: Int64(rate), over: 1).converted(to: 1, rounding: .halfAwayFromZero).value
        }
        self.joins =
            AudioCodecs.named(settings.codec).isLossless
            ? []
            : joins.map {
                $0.multiplied(by: Int64(rate), over: 1).converted(to: 1, rounding: .halfAwayFromZero).value
            }
        var setup = AudioEncoderSetup(
            encoder: coding.encoder, sampleRate: sampleRate, channelLayout: layout,
            sampleFormat: format,
            bitRate: settings.bitRate(channels: channels, sampleRate: sampleRate))
        setup.bits = coding.deepBits
        // Packets that are left out must hold no data of later packets.
        if priming == .omitted, coding.encoder == "libmp3lame" { setup.options = [("reservoir", "0")] }
        encoder = try Encoder(setup)
        self.priming = priming
        let size = encoder.frameSize
        lead = priming == .omitted && size > 0 ? (size - encoder.priming % size) % size : 0
        encoded = Int64(-lead)
    }

    /// Rate, channels and layout of the output, for audio in the format of the first frame.
    static func shape(
        _ plan: AudioPlan, first: Frame, as format: AudioFormat? = nil
    ) -> (rate: Int, channels: Int, layout: String) {
        let settings = plan.settings
        let rate = rate(
            source: format?.sampleRate ?? first.sampleRate, limit: settings.maxSampleRate,
            of: Encoder.sampleRates(of: settings.encoder), areWidths: settings.encoder == "libopus")
        let own = (format?.channels ?? first.channels, format?.channelLayout ?? first.shape.layout)
        let layout = ChannelLayout.taken(
            own.1, channels: own.0, limit: settings.maxChannels, by: settings.encoder,
            supported: Encoder.channelLayouts(of: settings.encoder))
        let channels = ChannelLayout.named(layout)?.speakers.count ?? min(own.0, settings.maxChannels)
        return (rate, channels, layout)
    }

    /// The filters that change rate and channels. Downmixing stays within full scale: it lowers the coefficients and does not
    /// clip samples.
    package static func conversion(rate: Int, layout: String) -> String {
        "aresample=\(rate):rematrix_maxval=1.0,aformat=sample_rates=\(rate):channel_layouts=\(layout)"
    }

    /// The highest rate the encoder supports that exceeds neither the source's nor the limit. Where rates only set the bandwidth
    /// (Opus, always 48 kHz), the next higher one, so that nothing is lost.
    static func rate(source: Int, limit: Int, of rates: [Int], areWidths: Bool = false) -> Int {
        let most = min(source, limit)
        guard !rates.isEmpty else { return most }
        if areWidths { return rates.filter { $0 >= most }.min() ?? 48_000 }
        return rates.filter { $0 <= most }.max() ?? rates.min() ?? most
    }

    /// Sends a frame of audio; nil marks the end.
    /// - Parameter position: where it begins in the output, before its speed is changed; nil: where the one before ends. Where its rate
    ///   is another one than before, it lies on another grid, and the difference would add up.
    func send(_ frame: Frame?, at position: Time? = nil) throws(LibavError) {
        guard let frame else {
            if let graph { try flush(graph) }
            guard !isEnded else { return }
            let done = ready.count
            if let waiting, waiting.count > 0 { try encode(try waiting.take(waiting.count)) }
            try encode(nil)
            isEnded = true
            try cutEnd(from: done)
            return
        }
        if keepsTime, let position, let rate, rate != frame.sampleRate { arrived = position }
        if graph == nil || shape != frame.shape {
            if let old = graph { try flush(old) }
            shape = frame.shape
            let louder = gain == 0 ? "" : "volume=volume=\(gain)dB:precision=double,"
            let conversion =
                tempo?.filters(rate: sampleRate, layout: layout)
                ?? AudioEncoder.conversion(rate: sampleRate, layout: layout)
            let chain =
                "\(conversion),\(louder)"
                + "aformat=sample_fmts=\(format):sample_rates=\(sampleRate):channel_layouts=\(layout)"
            graph = try FilterGraph(
                chain: chain, shape: frame.shape, timebase: Timebase(perSecond: frame.sampleRate) ?? .seconds,
                threads: 1)
            taken = 0
        }
        guard let graph else { return }
        rate = frame.sampleRate
        frame.pts = taken
        taken += Int64(frame.sampleCount)
        if keepsTime {
            arrived = arrived + Time(Int64(frame.sampleCount), Int32(clamping: frame.sampleRate))
        }
        try graph.send(frame)
        try pass(graph)
    }

    /// Samples sent to the current graph.
    private var taken: Int64 = 0

    /// The rate of the audio that arrived last.
    private var rate: Int?

    /// The audio that arrived, in samples of the output; the end of the last one may be rounded to a sample of another rate.
    private var samplesArrived: Int64 {
        let sum = arrived.multiplied(by: Int64(sampleRate), over: 1)
            .converted(to: 1, rounding: .halfAwayFromZero).value
        guard let length, rate != sampleRate, abs(length - sum) <= 1 else { return sum }
        return length
    }

    /// Takes the rest of a graph's samples. At another speed, the filter returns a few more or fewer than the time says: they are
    /// cut off, or replaced by silence, so that nothing after them moves.
    private func flush(_ graph: FilterGraph) throws(LibavError) {
        try graph.send(nil)
        guard keepsTime else { return try pass(graph) }
        let whole = tempo?.samples(of: arrived, rate: sampleRate) ?? samplesArrived
        while let frame = try graph.receive() {
            let rest = whole - sent
            guard rest > 0 else { continue }
            if Int64(frame.sampleCount) > rest { try frame.keepSamples(0..<Int(rest)) }
            try take(frame)
        }
        let end = min(whole, length ?? whole)
        while let sample, sent < end {
            try take(try Frame.silence(like: sample, samples: Int(min(end - sent, Int64(sampleRate)))))
        }
    }

    /// A sample in the encoder's format; only where it keeps the time.
    private var sample: Frame?

    /// Samples waiting until they fill a frame of the encoder's size.
    private var waiting: SampleQueue?

    private func pass(_ graph: FilterGraph) throws(LibavError) {
        while let frame = try graph.receive() { try take(frame) }
    }

    /// Encodes converted samples, as many as the output has.
    private func take(_ frame: Frame) throws(LibavError) {
        var count = isEnded ? 0 : Int64(frame.sampleCount)
        if let length { count = min(count, length - sent) }
        guard count > 0 else { return }
        if keepsTime, sample == nil { sample = try Frame.silence(like: frame, samples: 1) }
        try frame.keepSamples(0..<Int(count))
        soften(frame)
        sent += count
        let size = encoder.frameSize
        guard size > 0 else { return try encode(frame) }
        let isFirst = self.waiting == nil
        let waiting = if let queue = self.waiting { queue } else { try SampleQueue(like: frame) }
        if isFirst, lead > 0 { try waiting.append(try Frame.silence(like: frame, samples: lead)) }
        self.waiting = waiting
        try waiting.append(frame)
        while waiting.count >= size { try encode(try waiting.take(size)) }
    }

    /// Parts meet at arbitrary points of their waveforms, which would click: each fades for 1.5 ms.
    private func soften(_ frame: Frame) {
        let reach = Int64(sampleRate) * 3 / 2000
        for join in joins where join + reach > sent && join - reach < sent + Int64(frame.sampleCount) {
            let from = max(0, join - reach - sent)
            let to = min(Int64(frame.sampleCount), join + reach - sent)
            guard from < to, reach > 0 else { continue }
            frame.scaleSamples(Int(from)..<Int(to)) { index in
                let off = Int64(index) + self.sent - join
                // The last sample of a part and the first of the next are both nearly silent.
                return Float(off < 0 ? -off : off + 1) / Float(reach + 1)
            }
        }
    }

    /// An encoder takes a frame only after its packets were received.
    private func encode(_ frame: Frame?) throws(LibavError) {
        frame?.pts = encoded
        encoded += Int64(frame?.sampleCount ?? 0)
        try encoder.send(frame)
        while let packet = try encoder.receive() {
            switch priming {
            case .omitted where (packet.pts ?? 0) + Int64(encoder.frameSize) <= 0: continue
            // The packet that gives no samples has no time.
            case .delayed where AudioCodecs.named(codec).beginsSilent && packet.pts ?? 0 < 0:
                (packet.pts, packet.dts, packet.duration) = (0, 0, 0)
            // Readers that heed CodecDelay in the times alone do not discard what they decode before 0.
            case .delayed where AudioCodecs.named(codec).discardsPriming && !isPrimed:
                isPrimed = true
                try packet.setDiscardedSamples(min(encoder.priming, encoder.frameSize))
            // The encoder's own times go wrong after a last frame that is shorter than the others.
            case .tagged where encoder.frameSize > 0:
                let size = Int64(encoder.frameSize)
                let time = made * size - Int64(encoder.priming)
                (packet.pts, packet.dts, packet.duration) = (time, time, size)
                made += 1
            default: break
            }
            ready.append(packet)
        }
    }

    /// Removes the padding from the last packets, where no edit list does.
    private func cutEnd(from first: Int) throws(LibavError) {
        guard priming != .declared, encoder.frameSize > 0 else { return }
        while ready.count > first, let pts = ready.last?.pts, pts >= encoded { ready.removeLast() }
        guard priming == .delayed || priming == .tagged, AudioCodecs.named(codec).declaresPadding else {
            // Nothing hides the padding of the last packet, so that it is played. Of lossless codecs that packet is a short one, and of
            // Opus it says itself what is discarded.
            guard !AudioCodecs.named(codec).isLossless, let last = ready.last, let pts = last.pts,
                last.discardedSamples == 0
            else { return }
            padding = max(0, pts + Int64(encoder.frameSize) - encoded)
            return
        }
        for packet in ready.suffix(from: first) where priming == .tagged || packet.pts ?? 0 >= 0 {
            let end = (packet.pts ?? 0) + Int64(encoder.frameSize)
            try packet.setDiscardedSamples(Int(max(0, end - encoded)), first: packet.skippedSamples)
            if priming == .tagged { packet.duration = min(packet.duration, encoded - (packet.pts ?? 0)) }
        }
    }

    /// Samples behind the last one that are played, since the container cannot hide them; known at the end.
    private(set) var padding: Int64 = 0

    /// Samples from the first one on that decode to less than was encoded: the packet before them, which overlaps them, is left out.
    var fadeIn: Int64 { priming == .omitted ? Int64(min(encoder.priming, encoder.frameSize)) : 0 }

    /// Finished packets, oldest first; times are in samples, and priming is before 0.
    private var ready: [Packet] = []

    /// Takes the finished packets.
    func take() -> [Packet] {
        defer { ready = [] }
        return ready
    }
}
