// Encodes the few frames at a cut point so that they fit the copied samples. The encoder numbers frames; a table restores their
// exact times. One encoder for head or tail; confined to the lane's queue.
internal import Libav
internal import Media
internal import MediaTime

/// An encoder of head or tail.
final class HeadTailEncoder {
    private let encoder: Encoder
    private let codec: BitstreamCodec?
    private let renumbering: HEVCRenumbering?
    /// Pictures that are fields, two to a frame.
    struct Fields: Hashable {
        /// The bottom field of each frame comes first.
        var isBottomFirst: Bool
        /// The first picture is the second field of its frame.
        var isInFrame: Bool
    }
    private let fields: Fields?
    private var count: Int64 = 0
    private var places: [Int64: (pts: Int64, duration: Int64, messages: PictureSEI)] = [:]

    /// Opens the encoder of head or tail.
    /// - Parameter fields: the input is fields instead of frames.
    convenience init(
        _ edges: SmartTrimParameterSets.Edges, codec: BitstreamCodec?, fields: Fields?
    ) throws(MediaError) {
        try self.init(edges.setup, codec: codec, renumbering: edges.renumbering, fields: fields)
    }

    /// Opens an encoder to inspect its header.
    convenience init(_ setup: VideoEncoderSetup) throws(MediaError) {
        try self.init(setup, codec: nil, renumbering: nil, fields: nil)
    }

    private init(
        _ setup: VideoEncoderSetup, codec: BitstreamCodec?, renumbering: HEVCRenumbering?, fields: Fields?
    ) throws(MediaError) {
        self.fields = fields
        self.codec = codec
        self.renumbering = renumbering
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
        places[count] = (pts, duration, messages)
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
                guard let place = places.removeValue(forKey: number) else {
                    throw LibavError("encoding", cause: "the encoder returned a frame that was not sent")
                }
                (packet.pts, packet.duration) = (place.pts, place.duration)
                if let fields { packet.isSecondField = (number % 2 == 1) != fields.isInFrame }
                if let codec, codec != .mpeg2 {
                    try packet.replaceBytes(
                        try plain(packet.bytes, codec, place.messages, isKey: packet.isKey))
                }
                packets.append(packet)
            }
            return packets
        }
    }

    /// Whether a unit is an HEVC SEI message that says which field a picture is.
    private func isTiming(_ unit: ArraySlice<UInt8>) -> Bool {
        SEIMessage.all(in: EmulationPrevention.unescape(unit.dropFirst(2))).contains { $0.type == 1 }
    }

    /// The slices and the source's SEI with four-byte lengths: parameter sets are in the header, and the encoder's own
    /// information is not needed.
    private func plain(
        _ bytes: [UInt8], _ codec: BitstreamCodec, _ messages: PictureSEI, isKey: Bool
    ) throws(LibavError) -> [UInt8] {
        var own = bytes
        if let renumbering {
            guard let renumbered = renumbering.apply(bytes[...], framing: .annexB) else {
                throw LibavError("encoding", cause: "the encoder's parameter sets are not what it said")
            }
            own = renumbered
        }
        let kept = NALUnits(own[...], framing: .annexB).filter { unit in
            let first = unit.first ?? 0
            if fields != nil, first >> 1 & 63 == 39 { return isTiming(unit) }
            return codec == .h264 ? 1...5 ~= first & 31 : first >> 1 & 63 < 32
        }
        let units = messages.units(around: Array(kept), isKey: isKey)
        guard let joined = NALFraming.lengthPrefixed(4).join(units) else {
            throw LibavError("encoding", cause: "a frame is too large")
        }
        return joined
    }
}
