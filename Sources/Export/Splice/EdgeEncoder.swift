// Encodes the few pictures at a cut point so that they fit what is copied beside them. The encoder counts pictures; what
// comes out gets its exact times back from a table. One encoder an end; lives on the lane's queue.
internal import Libav
internal import Media
internal import MediaTime

/// An encoder of one end.
final class EdgeEncoder {
    let encoder: Encoder
    private var count: Int64 = 0
    private var places: [Int64: (pts: Int64, duration: Int64)] = [:]

    init(_ track: Track) throws(MediaError) {
        throw MediaError(.spliceFailed, "no encoder fits \(track.codec)", track: track.index)
    }

    /// Encodes a picture. Times are in ticks of the output.
    /// - Returns: packets that are done, in decoding order; their decoding times mean nothing.
    func encode(_ frame: Frame, pts: Int64, duration: Int64) throws(MediaError) -> [Packet] {
        places[count] = (pts, duration)
        frame.pts = count
        frame.setKeyframe(false)
        count += 1
        return try pass(frame)
    }

    /// The packets that are left.
    func finish() throws(MediaError) -> [Packet] { try pass(nil) }

    private func pass(_ frame: Frame?) throws(MediaError) -> [Packet] {
        try media(.spliceFailed) { () throws(LibavError) in
            try encoder.send(frame)
            var packets: [Packet] = []
            while let packet = try encoder.receive() {
                guard let place = packet.pts.flatMap({ places.removeValue(forKey: $0) }) else {
                    throw LibavError("encoding", cause: "the encoder gave a picture nobody sent")
                }
                (packet.pts, packet.duration) = place
                packets.append(packet)
            }
            return packets
        }
    }
}
