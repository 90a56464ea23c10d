// Gives the packets of finished units to the muxer in place of a lane that encodes: reads their files one after another. Video gets
// decoding times for the whole output, whatever those of the chunks were. Reads on a thread of its own; owns no descriptor.
internal import Libav
internal import Media
internal import MediaTime
internal import Source

/// The files of a track's units, in order.
struct UnitFiles: Sendable {
    var files: [(name: UnitName, file: SourceFile)]
    /// Reorder delay of the track in frames.
    var delay: Int
}

/// A track made from units.
final class UnitLane: SingleStageLane {
    let track: Track
    let opening = LaneQueue<LaneOpening>(capacity: 1)
    let packets = LaneQueue<Packet>(capacity: 64)
    let stage: String
    private let units: UnitFiles
    /// The plan of a video track and the parts of the source; nil for audio.
    private let video: (plan: VideoPlan, segments: Segments)?

    /// A video track.
    init(_ plan: VideoPlan, _ segments: Segments, _ units: UnitFiles) {
        (track, video, self.units) = (plan.track, (plan, segments), units)
        stage = "video.units"
    }

    /// An audio track.
    init(_ plan: AudioPlan, _ units: UnitFiles) {
        (track, video, self.units) = (plan.track, nil, units)
        stage = "audio.\(plan.track.index).units"
    }

    func work() throws(MediaError) {
        var isOpen = false
        var seam = video.map { Seam($0.plan, delay: units.delay) }
        for (name, file) in units.files {
            var reader = try UnitFileReader(file, of: name)
            if !isOpen, let opened = self.opening(reader.head) {
                isOpen = true
                _ = opening.send(opened)
            }
            while let packet = try reader.next() {
                let ready = seam == nil ? packet : try seam?.pass(packet, of: name)
                if let ready, !packets.send(ready) { return opening.end() }
            }
        }
        if let last = seam?.finish(), !packets.send(last) { return opening.end() }
        opening.end()
        packets.end()
    }

    private func opening(_ head: UnitHead) -> LaneOpening? {
        guard let format = head.format else { return nil }
        if let video { return VideoLane.opening(of: video.plan, video.segments, with: format) }
        guard let result = head.result else { return nil }
        return LaneOpening(coding: .encoded(format), timebase: head.timebase, track: track, result: result)
    }

    /// The decoding times of a video track over all of its chunks.
    private struct Seam {
        private let delay: Int
        private let step: Int64
        private var times: DecodingTimes?
        /// The last packet is held back: it must complete the sample table.
        private var held: Packet?
        private var end: Int64 = 0, lastShown: Int64 = 0
        /// Ticks between decoding and presentation of the first packet.
        private var lag: Int64 = 0

        init(_ plan: VideoPlan, delay: Int) {
            self.delay = delay
            step = max(1, Int64((Double(plan.timebase.denominator) / plan.frameRate.value).rounded()))
        }

        /// Takes the next packet and returns the one before it.
        mutating func pass(_ packet: Packet, of unit: UnitName) throws(MediaError) -> Packet? {
            guard let pts = packet.pts else { throw Seam.broken(unit) }
            if times == nil {
                times = DecodingTimes(delay: delay, step: step, first: pts)
                lag = Int64(delay) * step
            }
            guard let dts = try? times?.next(pts: pts) else { throw Seam.broken(unit) }
            packet.dts = dts
            if pts >= lastShown { (lastShown, end) = (pts, pts + packet.duration) }
            defer { held = packet }
            return held
        }

        /// The last packet.
        mutating func finish() -> Packet? {
            guard let held else { return nil }
            VideoEncoder.close(held, delay: lag, end: end, lastShown: lastShown)
            return held
        }

        private static func broken(_ unit: UnitName) -> MediaError {
            MediaError(.encodeFailed, "join \(unit): its frames are out of order")
        }
    }
}
