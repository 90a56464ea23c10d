// How decoding can begin at a stored sample, told by its NAL units and not by the container's sync flag, which recovery
// points carry too.
internal import Libav

/// Judges the samples of one track.
struct SampleKind {
    private let codec: String
    private let prefix: Int?

    init(codec: String, extradata: [UInt8]) {
        self.codec = codec
        prefix = extradata.first == 1 && extradata.count > 4 ? Int(extradata[4] & 3) + 1 : nil
    }

    func access(of bytes: [UInt8]) -> StoredSample.Access {
        guard codec == "h264", let prefix else { return .closed }
        var at = 0
        while at + prefix < bytes.count {
            let size = bytes[at..<(at + prefix)].reduce(0) { $0 << 8 | Int($1) }
            if bytes[at + prefix] & 31 == 5 { return .closed }
            at += prefix + size
        }
        return .recovery
    }
}
