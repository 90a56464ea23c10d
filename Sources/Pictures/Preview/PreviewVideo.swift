// The video of a preview's segment, as H.264 with one keyframe, at its beginning. Its frames are those on screen in the part: the
// first begins at its start, the last one lasts to its end, so that segments join on screen too. Runs on the caller's queue.
internal import Libav
internal import Media
internal import MediaTime
internal import Render
internal import Source

/// The video of a segment.
struct PreviewVideo {
    let track: Track
    let part: TimeSpan
    /// Seconds per tick of the output: the same for all segments of an asset.
    let timebase: Timebase
    /// Its size in pixels; even.
    let width: Int, height: Int
    private let plan: VideoPlan

    /// The video of a part, `width` pixels wide unless the track is smaller.
    init(_ track: Track, part: TimeSpan, width: Int, origin: Time) {
        self.track = track
        self.part = part
        let size = FrameRenderer(track: track).size(width: width)
        (self.width, height) = (max(16, size.width & ~1), max(16, (size.height + 1) & ~1))
        timebase = Timescale.video(
            source: track.timebase, Segments(start: .zero, end: nil), origin: origin)
        plan = VideoPlan(
            viewing: track, width: self.width, height: height, timebase: timebase,
            frameRate: track.video?.frameRate ?? Ratio(25), isConstant: false,
            settings: VideoSettings(codec: "h264", encoder: "libx264", pixelFormat: PreviewVideo.pixelFormat),
            background: "000000")
    }

    private static let pixelFormat = "yuv420p"

    /// The filters for frames of a shape, with the colours of a still.
    private static func chain(_ plan: VideoPlan, _ shape: FrameShape) -> VideoFilterChain {
        VideoFilterChain(plan, shape: shape).besideStills(pixelFormat)
    }

    /// The encoded segment: its format, and its packets.
    typealias Encoded = (format: EncodedFormat, packets: [Packet])

    /// Encodes the segment; times of packets are ticks from asset time 0.
    func encode(
        _ source: SourceFile, origin: Time, subtitles: PreviewSubtitles?, diagnostics: Diagnostics
    ) throws(MediaError) -> Encoded {
        let reader = try FrameReader(source, track, origin: origin, at: part.start, diagnostics: diagnostics)
        var stream: Stream?
        var shown: FrameReader.Shown?
        func show(until end: Time) throws(MediaError) {
            guard let frame = shown?.frame else { return }
            let start = max(shown?.time ?? part.start, part.start)
            let running: Stream
            if let begun = stream {
                running = begun
            } else {
                running = try media(.encodeFailed, track: track.index) { () throws(LibavError) in
                    try Stream(self, plan, first: frame)
                }
                running.subtitles = try subtitles?.drawing(
                    on: plan, colors: PreviewVideo.chain(plan, frame.shape), from: part.start)
            }
            stream = running
            try running.add(frame, from: ticks(start), to: ticks(end))
        }
        while let next = try reader.next(), next.time < part.end {
            // The first frame is shown also where the video begins later.
            if shown != nil, next.time > part.start { try show(until: next.time) }
            var next = next
            if shown == nil { next.time = min(next.time, part.start) }
            shown = next
        }
        try show(until: part.end)
        guard let stream else {
            throw MediaError(
                .undecodableMediaData, "no frame of track \(track.index) decodes at \(part.start.clock())",
                time: part.start, track: track.index, remedy: "the file is damaged there")
        }
        return try stream.finish()
    }

    private func ticks(_ time: Time) -> Int64 { timebase.ticks(of: time).ticks }

    /// Frames on their way to the encoder.
    private final class Stream {
        private let plan: VideoPlan
        private let encoder: Encoder
        private var graph: FilterGraph
        private var shape: FrameShape
        /// The times of the frames in the filters, by their numbers: some filters change the timebase.
        private var times: [Int64: (start: Int64, end: Int64)] = [:]
        private var durations: [Int64: Int64] = [:]
        private var count: Int64 = 0
        private var packets: [Packet] = []
        private var isFirst = true
        /// Drawn on the frames; nil: nothing is.
        var subtitles: BurnedSubtitles?
        private let start: Time

        init(_ video: PreviewVideo, _ plan: VideoPlan, first: Frame) throws(LibavError) {
            self.plan = plan
            start = video.part.start
            shape = first.shape
            let chain = PreviewVideo.chain(plan, first.shape)
            graph = try FilterGraph(
                chain: chain.filters, shape: first.shape, timebase: FilterGraph.frameNumbers, threads: 0)
            var setup = VideoEncoderSetup(
                encoder: "libx264", width: video.width, height: video.height,
                pixelFormat: PreviewVideo.pixelFormat,
                timebase: video.timebase, frameRate: plan.frameRate, keyframeInterval: 100_000)
            (setup.primaries, setup.transfer, setup.matrix) = (chain.primaries, chain.transfer, chain.matrix)
            // Without frames out of order a browser shows each as soon as it has it.
            setup.options = [
                ("preset", "veryfast"), ("crf", "23"), ("bf", "0"), ("sc_threshold", "0"),
                ("x264-params", "rc-lookahead=0:sync-lookahead=0"),
            ]
            encoder = try Encoder(setup)
        }

        /// Shows a frame from one tick to another.
        func add(_ frame: Frame, from start: Int64, to end: Int64) throws(MediaError) {
            guard start < end else { return }
            if shape != frame.shape {
                try send(nil)
                shape = frame.shape
                graph = try encoding { () throws(LibavError) in
                    try FilterGraph(
                        chain: PreviewVideo.chain(plan, shape).filters, shape: shape,
                        timebase: FilterGraph.frameNumbers, threads: 0)
                }
            }
            let input = try encoding { () throws(LibavError) in try frame.reference() }
            input.pts = count
            times[count] = (start, end)
            count += 1
            try send(input)
        }

        private func encoding<Value>(_ act: () throws(LibavError) -> Value) throws(MediaError) -> Value {
            try media(.encodeFailed, track: plan.track.index, act)
        }

        private func send(_ frame: Frame?) throws(MediaError) {
            try encoding { () throws(LibavError) in try graph.send(frame) }
            try receive()
        }

        private func receive() throws(MediaError) {
            while let frame = try encoding({ () throws(LibavError) in try graph.receive() }) {
                let unit = graph.outputTimebase
                let number = (frame.pts ?? 0) * Int64(unit.numerator) * 25 / Int64(unit.denominator)
                guard let time = times.removeValue(forKey: number) else { continue }
                frame.pts = time.start
                frame.setKeyframe(isFirst)
                isFirst = false
                durations[time.start] = time.end - time.start
                try subtitles?.draw(on: frame, at: plan.timebase.time(ofTicks: time.start) - start)
                try encoding { () throws(LibavError) in try encode(frame) }
            }
        }

        private func encode(_ frame: Frame?) throws(LibavError) {
            try encoder.send(frame)
            while let packet = try encoder.receive() {
                packet.dts = packet.pts
                packet.duration = packet.pts.flatMap { durations.removeValue(forKey: $0) } ?? 0
                packets.append(packet)
            }
        }

        func finish() throws(MediaError) -> Encoded {
            try send(nil)
            return try encoding { () throws(LibavError) in
                try encode(nil)
                return (try encoder.format(), packets)
            }
        }
    }
}
