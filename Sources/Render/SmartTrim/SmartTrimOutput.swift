// The output of a smart-trimmed track: assigns decoding times for the whole output, and sets the last packet so that the track
// has its exact duration. Confined to the lane's queue.
internal import Libav
internal import Media
internal import MediaTime
internal import Source

/// Assigns decoding times to packets and completes the sample table at the end.
struct SmartTrimOutput {
    private var times: DecodingTimes
    private let packets: LaneQueue<Packet>
    /// The container stores times, of which readers take the sum.
    private let hasTimes: Bool
    /// Held back: the last packet must complete the table.
    private var held: Packet?
    private var lead: Int64?
    /// The latest end of a frame, in output ticks.
    private(set) var end: Int64 = 0
    private var lastShown: Int64 = 0
    /// When the latest frames begin, in arrival order.
    private var latest: [Int64] = []
    /// Nothing was sent yet.
    var isEmpty: Bool { lead == nil }
    /// The decoding times did not suffice: the muxer knows, and nothing more is sent.
    private(set) var hasFailed = false

    init(times: DecodingTimes, packets: LaneQueue<Packet>, hasTimes: Bool) {
        self.times = times
        self.hasTimes = hasTimes
        self.packets = packets
    }

    /// Returns false when the receiver takes no more packets.
    mutating func send(_ packet: Packet, pts: Int64, duration: Int64, isCopied: Bool) -> Bool {
        guard !hasFailed else { return false }
        // Frames with the same source time are placed one tick apart.
        var pts = pts
        while latest.contains(pts) { pts += 1 }
        latest.append(pts)
        if latest.count > 2 * ReorderDepth.deepest { latest.removeFirst() }
        do throws(DecodingTimes.DelayTooSmall) {
            packet.dts = try times.next(pts: pts)
        } catch {
            hasFailed = true
            held = nil
            packets.end(.reordering)
            return false
        }
        packet.pts = pts
        packet.duration = duration
        packet.isCopied = isCopied
        end = max(end, pts + duration)
        lastShown = max(lastShown, pts)
        if lead == nil, let dts = packet.dts { lead = pts - dts }
        defer { held = packet }
        return held.map { packets.send($0) } ?? true
    }

    /// Sends the last packet. Readers take the sum of the table's decoding time deltas as the track's duration: the last delta
    /// makes the sum exact.
    mutating func finish(end: Int64) {
        guard let packet = held, let pts = packet.pts, let dts = packet.dts, let lead else { return }
        held = nil
        if pts + packet.duration > end || pts == lastShown { packet.duration = max(1, end - pts) }
        let target = end - lead
        if pts < lastShown { packet.duration = min(max(1, target - dts), end - pts) }
        if hasTimes, dts + packet.duration < target {
            packet.dts = max(dts, min(pts, target - packet.duration))
        }
        _ = packets.send(packet)
    }
}
