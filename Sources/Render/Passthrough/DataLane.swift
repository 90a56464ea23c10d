// Copies timed data (GoPro telemetry, Apple's timed metadata, camera motion) where the container can hold it. Owns its demuxer;
// confined to one queue.
internal import Libav
internal import Media
internal import MediaTime
internal import Source

/// One data track.
final class DataLane: SingleStageLane {
    let track: Track
    let opening = LaneQueue<LaneOpening>(capacity: 1)
    let packets = LaneQueue<Packet>(capacity: 64, reuses: true)
    private let range: (origin: Time, start: Time, end: Time?)
    private let timebase: Timebase
    private let source: SourceFile
    private let diagnostics: Diagnostics

    /// FFmpeg's muxer knows one tag for data; the real sample entry is written to the header afterwards.
    static let standIn = "gpmd"

    init(_ track: Track, of whole: ExportPlan, source: SourceFile, diagnostics: Diagnostics) {
        self.track = track
        range = (whole.origin, whole.segments.start, whole.passthrough.end)
        timebase = Timebase(perSecond: Int(whole.movieTimescale)) ?? .milliseconds
        self.source = source
        self.diagnostics = diagnostics
    }

    var stage: String { "data.\(track.index)" }

    private func ticks(_ time: Int64) -> Int64 {
        timebase.ticks(
            of: track.timebase.time(ofTicks: time) - range.origin - range.start, rounding: .halfAwayFromZero
        ).ticks
    }

    func work() throws(MediaError) {
        let reader = try TrackReader.open(
            source, track: track, origin: range.origin, at: range.start, back: .zero)
        let limit =
            range.end.map { timebase.ticks(of: $0 - range.start, rounding: .towardNegativeInfinity).ticks }
            ?? .max
        var isOpen = false
        var last: Int64 = -1
        var extends = false
        while true {
            let packet = try emptyPacket()
            guard reader.read(into: packet, diagnostics) else { break }
            guard let pts = packet.pts ?? packet.dts else { continue }
            let (from, to) = (ticks(pts), ticks(pts &+ packet.duration))
            guard from < limit else { break }
            guard to > 0 || (packet.duration == 0 && from >= 0), packet.size > 0 else { continue }
            if !isOpen {
                isOpen = true
                try open(reader)
            }
            extends = extends || from < 0 || to > limit
            try media(.outOfMemory) { () throws(LibavError) in try packet.becomePlain() }
            let start = max(max(from, 0), last + 1)
            guard start < limit else { break }
            (packet.pts, packet.dts, packet.duration) = (start, start, max(0, min(to, limit) - start))
            packet.setKey(true)
            packet.isCopied = true
            last = start
            guard packets.send(packet) else { return }
        }
        if extends {
            diagnostics.warn(
                Warning(
                    .dataUncut,
                    "data is copied in whole samples, and those at the cut points extend past them",
                    track: track.index))
        }
        opening.end()
        packets.end()
    }

    private func open(_ reader: TrackReader) throws(MediaError) {
        let parameters = try media(.encodeFailed, track: track.index) { () throws(LibavError) in
            try CodecParameters(data: DataLane.standIn)
        }
        let result = TrackResult(
            index: 0, source: track.index, kind: .data, codec: track.codecTag ?? track.codec, way: .copy,
            actual: TimeSpan(start: range.start, end: range.end ?? range.start))
        _ = opening.send(
            LaneOpening(coding: .stored(parameters), timebase: timebase, track: track, result: result))
    }
}
