// The audio of a preview's segment, as AAC. The AAC frames of all segments of an asset lie on one grid, frame n holding the samples
// from 1024 n on, so that segments join without a gap or an overlap. An encoder needs the audio before its first frame: it gets
// two frames more, whose packets are left out. Past the end of the track there is silence. Runs on the caller's queue.
internal import Libav
internal import Media
internal import MediaTime
internal import Render
internal import Source

/// The audio of a segment.
struct PreviewAudio {
    let track: Track
    /// Samples per second of the output: one of two rates that every browser plays.
    let rate: Int
    /// The AAC frames of the segment.
    let frames: Range<Int64>

    /// Samples of an AAC frame.
    static let frameSize: Int64 = 1024
    /// Frames that the encoder gets before the first one, of which packets are left out.
    private static let lead: Int64 = 3

    /// The frames that begin in a part; of the last part, all to its end. The first one may begin before the part.
    init(_ track: Track, part: TimeSpan, isLast: Bool) {
        self.track = track
        rate = (track.audio?.sampleRate ?? 48_000) % 11_025 == 0 ? 44_100 : 48_000
        let rate = Int64(rate)
        func frame(_ time: Time, _ rounding: RoundingMethod) -> Int64 {
            time.multiplied(by: rate, over: PreviewAudio.frameSize).converted(to: 1, rounding: rounding).value
        }
        let first = frame(part.start, .towardNegativeInfinity)
        frames =
            first..<max(
                first, frame(part.end, isLast ? .towardPositiveInfinity : .towardNegativeInfinity))
    }

    /// An encoder of a segment: all have the same parameters.
    func encoder() throws(LibavError) -> Encoder {
        try Encoder(
            AudioEncoderSetup(
                encoder: "aac", sampleRate: rate, channelLayout: "stereo", sampleFormat: "fltp",
                bitRate: 128_000))
    }

    /// Encodes the segment; times of packets are samples from asset time 0.
    func packets(
        _ encoder: Encoder, source: SourceFile, origin: Time, diagnostics: Diagnostics
    ) throws(MediaError) -> [Packet] {
        let size = PreviewAudio.frameSize
        let first = (frames.lowerBound - PreviewAudio.lead) * size
        // Two frames follow the last one, so that it is encoded as if the audio went on.
        let count = (frames.upperBound + 2) * size - first
        let scale = Int32(clamping: rate)
        // Where the rate is converted, it begins where a sample of the source is one of the output: elsewhere all would be shifted by a
        // part of a sample, each segment by another.
        let own = Int64(track.audio?.sampleRate ?? rate)
        let step = Ratio(own, Int64(rate))?.denominator ?? 1
        let begin = max(0, first) / step * step
        var stream = Stream(
            encoder: encoder, first: first, count: count, rate: rate, ahead: max(0, first) - begin)
        let audio = CutAudio(
            source: source, track: track, origin: origin, rate: rate, diagnostics: diagnostics)
        try media(.outOfMemory, track: track.index) { () throws(LibavError) in
            try stream.silence(max(0, -first))
        }
        // A resampler looks ahead; a quarter of a second is more than any does.
        try audio.read(from: Time(begin, scale), to: Time(first + count, scale) + Time(1, 4)) {
            piece throws(LibavError) in
            try stream.add(piece)
            return !stream.isFull
        }
        return try media(.encodeFailed, track: track.index) { () throws(LibavError) in
            let wanted = frames.lowerBound * size..<frames.upperBound * size
            return try stream.finish().filter { wanted.contains($0.pts ?? -1) }
        }
    }

    /// Audio on its way to the encoder.
    private struct Stream {
        let encoder: Encoder
        let first: Int64, count: Int64, rate: Int
        /// Converted samples before the first one.
        private var ahead: Int64
        private var graph: FilterGraph?
        private var shape: FrameShape?
        private var taken: Int64 = 0
        private var queue: SampleQueue?
        private var model: Frame?
        /// Silence before the first audio.
        private var owed: Int64 = 0
        /// Samples queued, and samples encoded.
        private var queued: Int64 = 0, encoded: Int64 = 0
        private var packets: [Packet] = []

        init(encoder: Encoder, first: Int64, count: Int64, rate: Int, ahead: Int64) {
            self.ahead = ahead
            self.encoder = encoder
            self.first = first
            self.count = count
            self.rate = rate
        }

        var isFull: Bool { queued >= count }

        mutating func silence(_ samples: Int64) throws(LibavError) {
            guard let model else { return owed += samples }
            var rest = samples
            while rest > 0 {
                let piece = min(rest, Int64(rate))
                try enqueue(try Frame.silence(like: model, samples: Int(piece)))
                rest -= piece
            }
        }

        mutating func add(_ frame: Frame) throws(LibavError) {
            if graph == nil || shape != frame.shape {
                try flush()
                shape = frame.shape
                taken = 0
                graph = try FilterGraph(
                    chain: AudioEncoder.conversion(rate: rate, layout: "stereo")
                        + ",aformat=sample_fmts=fltp:sample_rates=\(rate):channel_layouts=stereo",
                    shape: frame.shape, timebase: Timebase(perSecond: frame.sampleRate) ?? .seconds,
                    threads: 1)
            }
            frame.pts = taken
            taken += Int64(frame.sampleCount)
            try graph?.send(frame)
            try receive()
        }

        private mutating func flush() throws(LibavError) {
            try graph?.send(nil)
            try receive()
        }

        private mutating func receive() throws(LibavError) {
            while let converted = try graph?.receive() {
                if model == nil {
                    model = try Frame.silence(like: converted, samples: 1)
                    let owed = owed
                    try silence(owed)
                }
                let size = Int64(converted.sampleCount)
                let left = min(ahead, size)
                ahead -= left
                guard left < size else { continue }
                try converted.keepSamples(Int(left)..<Int(size))
                try enqueue(converted)
            }
        }

        private mutating func enqueue(_ frame: Frame) throws(LibavError) {
            let rest = count - queued
            guard rest > 0 else { return }
            if Int64(frame.sampleCount) > rest { try frame.keepSamples(0..<Int(rest)) }
            queued += Int64(frame.sampleCount)
            let queue: SampleQueue
            if let begun = self.queue { queue = begun } else { queue = try SampleQueue(like: frame) }
            self.queue = queue
            try queue.append(frame)
            while queue.count >= Int(PreviewAudio.frameSize) {
                let next = try queue.take(Int(PreviewAudio.frameSize))
                next.pts = first + encoded
                encoded += PreviewAudio.frameSize
                try encode(next)
            }
        }

        private mutating func encode(_ frame: Frame?) throws(LibavError) {
            try encoder.send(frame)
            while let packet = try encoder.receive() {
                let size = PreviewAudio.frameSize
                let time = first + Int64(packets.count) * size - Int64(encoder.priming)
                (packet.pts, packet.dts, packet.duration) = (time, time, size)
                packets.append(packet)
            }
        }

        /// Fills the rest with silence; all packets.
        mutating func finish() throws(LibavError) -> [Packet] {
            try flush()
            graph = nil
            if model == nil {
                // Nothing decodes here: the part is silent.
                model = try Frame.silence(rate: rate)
                let owed = owed
                try silence(owed)
            }
            try silence(count - queued)
            try encode(nil)
            return packets
        }
    }
}
