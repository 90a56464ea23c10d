// Encodes frames with their output times. The encoder receives a frame's number where all last one period (so that the stream's
// timing is the frame rate, not the timescale), and its time elsewhere (so that rate control knows it); a table restores the
// exact times of the packets. Confined to the encoding queue.
internal import Libav
internal import Media
internal import MediaTime

/// An encoder with its table of times.
final class VideoEncoder {
    let encoder: Encoder
    private let countsFrames: Bool
    private let isFirstPass: Bool
    private let isConstant: Bool
    /// Its packets' decoding times are made where they are joined with others.
    private let isPart: Bool
    private let nominal: Int64
    private let keyframeTicks: Int64
    private var count: Int64 = 0
    private var lastForced: Int64?
    /// Frame times by encoder time. Kept while decoding times may refer to them.
    private var frameTimes: [Int64: (pts: Int64, duration: Int64)] = [:]
    private var oldest: Int64 = 0

    /// Opens the encoder of a plan.
    /// - Parameters:
    ///   - threads: nil: as many as the encoder likes.
    ///   - part: where it encodes a part of an output, whose packets are joined with others; nil: the whole.
    ///   - length: the duration of what it encodes; nil: unknown.
    init(
        _ plan: VideoPlan, color: VideoFilterChain?, light: LightLevels, threads: Int? = nil,
        part: VideoPart? = nil, length: Time? = nil
    ) throws(LibavError) {
        let settings = plan.settings
        countsFrames = plan.countsFrames
        isFirstPass = plan.pass?.isFirst == true
        isConstant = plan.isConstant
        let scale = Int64(plan.timebase.denominator)
        nominal = max(1, Int64((Double(scale) / plan.frameRate.value).rounded()))
        keyframeTicks = Int64(Double(scale) * settings.keyframeInterval.value)
        let rate = plan.frameRate
        let numbers = Timebase(
            numerator: Int32(clamping: rate.denominator), denominator: Int32(clamping: rate.numerator))
        var setup = VideoEncoderSetup(
            encoder: settings.encoder, width: plan.width, height: plan.height,
            pixelFormat: plan.pixelFormat,
            timebase: plan.countsFrames ? numbers ?? plan.timebase : plan.timebase, frameRate: rate,
            keyframeInterval: VideoEncoder.groupLength(rate, settings.keyframeInterval, length))
        (setup.bitRate, setup.maxBitRate, setup.bufferSize) = EncoderOptions.rates(for: plan)
        setup.light = light
        setup.primaries = color?.primaries
        setup.transfer = color?.transfer
        setup.matrix = color?.matrix
        setup.options = EncoderOptions.options(
            for: plan, light: light, threads: threads, isPart: part != nil)
        setup.threads = threads ?? LibavThreads.limit ?? 0
        setup.bufferStart = part?.buffered
        if let reserve = part?.reserve { setup.keep(reserve) }
        isPart = part != nil
        // Bytes of a whole output may differ, unless one thread is asked for: with several they do anyway.
        setup.isRepeatable = isPart || threads == 1
        setup.pass = plan.pass
        encoder = try Encoder(setup)
    }

    /// The number of frames after which the encoder must begin a GOP. A cut that begins inside a frame shows a part of it, so that one
    /// frame more begins in the same time: what is no longer than the interval needs no second keyframe for its last frame.
    static func groupLength(_ rate: Ratio, _ interval: Ratio, _ length: Time?) -> Int {
        let frames = rate.value * interval.value
        guard let length, length.seconds <= interval.value else { return max(1, Int(frames)) }
        return Int(frames.rounded(.up)) + 1
    }

    /// Sends a frame; nil marks the end.
    func send(_ element: PlacedFrame?) throws(LibavError) {
        if let element { try submit(element) } else { try encoder.send(nil) }
        if isFirstPass { return try learn(from: element) }
        var packets: [Packet] = []
        while let packet = try receive() { packets.append(packet) }
        if element == nil, delay == nil, !isPart { retimeFew(packets) }
        for packet in packets {
            if let pts = packet.pts, let dts = packet.dts, delay == nil { delay = pts - dts }
            if let held { ready.append(held) }
            held = packet
        }
        if element == nil, let held {
            if !isPart, let delay { VideoEncoder.close(held, delay: delay, end: end, lastShown: lastShown) }
            ready.append(held)
            self.held = nil
        }
    }

    /// A first pass only gathers statistics: an empty packet reports its progress.
    private func learn(from element: PlacedFrame?) throws(LibavError) {
        while try encoder.receive() != nil {}
        frameTimes = [:]
        guard let element else { return try encoder.endPass() }
        let packet = try Packet()
        (packet.pts, packet.dts, packet.duration) = (element.pts, element.pts, element.duration)
        ready.append(packet)
    }

    /// Takes the finished packets, in decoding order.
    func take() -> [Packet] {
        defer { ready = [] }
        return ready
    }

    private var ready: [Packet] = []
    /// The last packet is held back: it must complete the sample table.
    private var held: Packet?
    /// Ticks between decoding and presentation of the first packet.
    private var delay: Int64?
    /// Where the last shown frame ends, and when it begins.
    private var end: Int64 = 0, lastShown: Int64 = 0

    /// x265 learns its reorder delay from the third frame on; for fewer frames its decoding times are meaningless. Where nothing
    /// was returned before the end, all packets are here and get decoding times from their presentation times.
    private func retimeFew(_ packets: [Packet]) {
        guard packets.count <= VideoEncoder.few else { return }
        let shown = packets.compactMap(\.pts)
        guard shown.count == packets.count, let first = shown.min() else { return }
        var times = DecodingTimes(delay: DecodingTimes.delay(of: shown), step: nominal, first: first)
        for packet in packets {
            guard let pts = packet.pts, let dts = try? times.next(pts: pts) else { return }
            packet.dts = dts
        }
    }

    /// Number of frames an encoder may need to learn it.
    private static let few = 4

    /// A container's table stores durations between decoding times, and readers take their sum as the track's duration. The last
    /// packet is often not the last frame shown: its duration, and if necessary its decoding time, make the sum exact.
    /// - Parameters:
    ///   - delay: ticks between decoding and presentation of the first packet.
    ///   - end: where the last shown frame ends.
    ///   - lastShown: when it begins.
    static func close(_ packet: Packet, delay: Int64, end: Int64, lastShown: Int64) {
        guard let pts = packet.pts, let dts = packet.dts else { return }
        let target = end - delay
        if pts < lastShown { packet.duration = min(max(1, target - dts), end - pts) }
        if dts + packet.duration < target { packet.dts = max(dts, min(pts, target - packet.duration)) }
    }

    private func submit(_ element: PlacedFrame) throws(LibavError) {
        let key = countsFrames ? count : element.pts
        frameTimes[key] = (element.pts, element.duration)
        end = element.pts + element.duration
        lastShown = element.pts
        element.frame.pts = key
        var isForced = false
        if !isConstant {
            // A still scene has few frames: the interval is in time, not in frames.
            if let last = lastForced, element.pts + element.duration - last > keyframeTicks {
                isForced = true
            }
            if isForced || lastForced == nil { lastForced = element.pts }
        }
        element.frame.setKeyframe(isForced)
        count += 1
        try encoder.send(element.frame)
    }

    /// Receives a packet with its exact times, in ticks of the output.
    private func receive() throws(LibavError) -> Packet? {
        guard let packet = try encoder.receive() else { return nil }
        guard let key = packet.pts, let time = frameTimes[key] else {
            throw LibavError("encoding", cause: "the encoder returned a frame that was not sent")
        }
        packet.pts = time.pts
        packet.duration = time.duration
        if countsFrames {
            let number = packet.dts ?? key
            packet.dts =
                number < 0
                ? (frameTimes[0]?.pts ?? 0) &+ number &* nominal : frameTimes[number]?.pts ?? time.pts
            // Decoding times never decrease: earlier entries are no longer needed.
            while oldest < min(number, count) - 1, number > 1 {
                if oldest > 0 { frameTimes[oldest] = nil }
                oldest += 1
            }
        } else {
            frameTimes[key] = nil
        }
        return packet
    }
}
