// Encodes the few frames at a cut point so that they fit the copied samples. The encoder numbers frames; a table restores their
// exact times. One encoder for head or tail; confined to the thread of its span.
internal import Codecs
internal import Libav
internal import Media
internal import MediaTime
internal import Source

/// An encoder of head or tail.
final class HeadTailEncoder {
    private let encoder: Encoder
    private let codec: (any NALCodec.Type)?
    private let renumber: (@Sendable (ArraySlice<UInt8>) -> [UInt8]?)?
    /// Pictures that are fields, two to a frame.
    struct Fields: Hashable {
        /// The bottom field of each frame comes first.
        var isBottomFirst: Bool
        /// The first picture is the second field of its frame.
        var isInFrame: Bool
    }
    private let fields: Fields?
    private var count: Int64 = 0
    private var pending: [Int64: (pts: Int64, duration: Int64, messages: PictureSEI)] = [:]

    /// Opens the encoder of head or tail.
    /// - Parameter fields: the input is fields instead of frames.
    convenience init(
        _ join: HeadTailJoin, codec: (any NALCodec.Type)?, fields: Fields?
    ) throws(MediaError) {
        try self.init(join.setup, codec: codec, renumber: join.renumber, fields: fields)
    }

    /// Opens an encoder to inspect its header.
    convenience init(_ setup: VideoEncoderSetup) throws(MediaError) {
        try self.init(setup, codec: nil, renumber: nil, fields: nil)
    }

    private init(
        _ setup: VideoEncoderSetup, codec: (any NALCodec.Type)?,
        renumber: (@Sendable (ArraySlice<UInt8>) -> [UInt8]?)?, fields: Fields?
    ) throws(MediaError) {
        self.fields = fields
        self.codec = codec
        self.renumber = renumber
        encoder = try media(.spliceFailed) { () throws(LibavError) in try Encoder(setup) }
    }

    /// Its parameter sets, as Annex B.
    var extradata: [UInt8] { encoder.extradata }

    /// Encodes a frame. Times are in ticks of the output.
    /// - Parameter messages: SEI of the source's frame to copy to the new one.
    /// - Returns: finished packets, in decoding order; their decoding times are meaningless.
    func encode(
        _ frame: Frame, pts: Int64, duration: Int64, messages: PictureSEI = PictureSEI()
    ) throws(MediaError) -> [Packet] {
        pending[count] = (pts, duration, messages)
        frame.pts = count
        frame.setKeyframe(false)
        count += 1
        return try pass(frame)
    }

    /// Returns the remaining packets.
    func finish() throws(MediaError) -> [Packet] { try pass(nil) }

    private func pass(_ frame: Frame?) throws(MediaError) -> [Packet] {
        try media(.spliceFailed) { () throws(LibavError) in
            try encoder.send(frame)
            var packets: [Packet] = []
            while let packet = try encoder.receive() {
                let number = packet.pts ?? 0
                guard let entry = pending.removeValue(forKey: number) else {
                    throw LibavError("encoding", cause: "the encoder returned a frame that was not sent")
                }
                (packet.pts, packet.duration) = (entry.pts, entry.duration)
                if let fields { packet.isSecondField = (number % 2 == 1) != fields.isInFrame }
                if let codec {
                    try packet.replaceBytes(
                        try plain(packet.bytes, codec, entry.messages, isKey: packet.isKey))
                }
                packets.append(packet)
            }
            return packets
        }
    }

    /// The slices and the source's SEI with four-byte lengths: parameter sets are in the header, and the encoder's own
    /// information is not needed.
    private func plain(
        _ bytes: [UInt8], _ codec: any NALCodec.Type, _ messages: PictureSEI, isKey: Bool
    ) throws(LibavError) -> [UInt8] {
        var own = bytes
        if let renumber {
            guard let renumbered = renumber(bytes[...]) else {
                throw LibavError("encoding", cause: "the encoder's parameter sets are not what it said")
            }
            own = renumbered
        }
        let kept = NALUnits(own[...], framing: .annexB).filter { unit in
            switch codec.part(unit) {
            case .slice: true
            // Picture timing says which field a picture is.
            case .sei(let payload):
                fields != nil
                    && SEIMessage.all(in: EmulationPrevention.unescape(payload)).contains { $0.type == 1 }
            default: false
            }
        }
        let units = messages.units(around: Array(kept), isKey: isKey)
        guard let joined = NALFraming.lengthPrefixed(4).join(units) else {
            throw LibavError("encoding", cause: "a frame is too large")
        }
        return joined
    }
}
