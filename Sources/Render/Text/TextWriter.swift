// Writes text events in the container's form: individually, or without gaps and overlaps. Belongs to a lane, confined to its
// queue.
internal import Libav
internal import Media
internal import Source

/// The content of an event.
enum TextPayload {
    /// As stored.
    case bytes(Packet)
    /// ASS lines.
    case lines([String])
}

/// Writes events in the container's form.
final class TextWriter {
    private unowned let lane: TextLane
    private let plan: TextPlan
    private let parameters: CodecParameters
    private let encoder: SubtitleEncoder?
    private var timeline = TextTimeline<TextPayload>()
    private var isOpen = false
    private var last: Int64 = 0

    init(
        _ lane: TextLane, _ plan: TextPlan, _ stored: CodecParameters, _ encoder: SubtitleEncoder?
    ) throws(MediaError) {
        self.lane = lane
        self.plan = plan
        self.encoder = encoder
        let isISOMedia = plan.isContinuous
        parameters = try media(.encodeFailed, track: lane.track.index) { () throws(LibavError) in
            let own = try encoder?.parameters() ?? stored
            guard isISOMedia else { return own }
            var head = own.extradata
            // The sample entry begins with the flags; all samples of a forced track are displayed.
            if lane.track.dispositions.contains("forced"), !head.isEmpty { head[0] |= 0xc0 }
            return try CodecParameters(own, extradata: head, tag: "tx3g")
        }
    }

    /// Writes an event; false when the receiver takes no more packets.
    func event(_ start: Int64, _ end: Int64, _ payload: TextPayload) throws(MediaError) -> Bool {
        guard end > start else { return true }
        guard plan.isContinuous else { return try send(start, end, [payload]) }
        for segment in timeline.add(start: max(start, last), end: end, payload) {
            guard try send(segment.start, segment.end, segment.payloads) else { return false }
        }
        last = max(start, last)
        return true
    }

    func finish() throws(MediaError) {
        for segment in timeline.finish() {
            guard try send(segment.start, segment.end, segment.payloads) else { return }
        }
    }

    private func send(_ start: Int64, _ end: Int64, _ payloads: [TextPayload]) throws(MediaError) -> Bool {
        let packet = try media(.encodeFailed, track: lane.track.index) { () throws(LibavError) in
            let lines = payloads.flatMap { payload -> [String] in
                if case .lines(let lines) = payload { lines } else { [] }
            }
            let packet: Packet
            if let encoder {
                packet = try Packet()
                try packet.replaceBytes(
                    lines.isEmpty ? [0, 0] : try encoder.encode([StyledLine.joined(lines)]))
            } else if !plan.isContinuous, case .bytes(let own)? = payloads.last {
                // Keeps the event's side data: WebVTT stores settings there.
                packet = own
            } else if case .bytes(let own)? = payloads.last {
                packet = try Packet()
                try packet.replaceBytes(own.bytes)
            } else {
                packet = try Packet()
                try packet.replaceBytes([0, 0])
            }
            return packet
        }
        if !isOpen {
            isOpen = true
            lane.open(parameters, isCopy: encoder == nil)
        }
        (packet.pts, packet.dts, packet.duration) = (start, start, end - start)
        packet.setKey(true)
        packet.isCopied = encoder == nil
        return lane.packets.send(packet)
    }
}
