// How decoding can begin at a stored sample, told by its NAL units and not by the container's sync flag, which recovery
// points carry too.
internal import Libav

/// Judges the samples of one track.
struct SampleKind {
    private let codec: String
    private let framing: NALFraming

    init(codec: String, extradata: [UInt8]) {
        self.codec = codec
        framing = NALFraming(extradata: extradata, codec: codec)
    }

    func access(of bytes: [UInt8]) -> StoredSample.Access {
        switch codec {
        case "h264":
            return NALUnits(bytes, framing).contains { ($0.first ?? 0) & 31 == 5 } ? .closed : .recovery
        case "hevc":
            // 16 to 20: BLA and IDR; 21: CRA.
            let types = NALUnits(bytes, framing).map { ($0.first ?? 0) >> 1 & 63 }
            return types.contains { 16...20 ~= $0 } ? .closed : types.contains(21) ? .open : .recovery
        default: return .closed
        }
    }
}
