// Determines how decoding can begin at a stored sample from its NAL units, not from the container's sync flag, which recovery
// points carry too.
internal import Media

/// Classifies the samples of one track.
struct SampleKind {
    private let codec: BitstreamCodec?
    private let framing: NALFraming
    private let isAV1: Bool

    init(codec: String, extradata: [UInt8]) {
        self.codec = BitstreamCodec(codec)
        isAV1 = codec == "av1"
        framing = self.codec.map { NALFraming(extradata: extradata, codec: $0) } ?? .annexB
    }

    /// Classifies a sample that the container or parser calls a sync sample.
    func access(of bytes: [UInt8]) -> StoredSample.Access {
        guard let codec else { return isAV1 && !AV1Unit(bytes[...]).isKey ? .recovery : .closed }
        return switch AccessUnit.classify(bytes[...], codec: codec, framing: framing).randomAccess {
        case .closed: .closed
        case .open: .open
        case .none, .recoveryPoint: .recovery
        }
    }

    /// The same, as the codec's term.
    func name(of bytes: [UInt8]) -> SyncSample.Kind {
        guard let codec else { return isAV1 && !AV1Unit(bytes[...]).isKey ? .marked : .key }
        let unit = AccessUnit.classify(bytes[...], codec: codec, framing: framing)
        return switch (codec, unit.randomAccess) {
        case (.mpeg2, .closed): .closedGOP
        case (.mpeg2, .open): .openGOP
        case (_, .closed): unit.isBrokenLink ? .bla : .idr
        case (_, .open): .cra
        case (_, .recoveryPoint(let frames)): frames > 0 ? .gradualRefresh : .recoveryPoint
        case (_, .none): .marked
        }
    }
}

extension BitstreamCodec {
    /// The codec with this FFmpeg name; nil if its samples are not parsed.
    init?(_ name: String) {
        switch name {
        case "h264": self = .h264
        case "hevc": self = .hevc
        case "mpeg1video", "mpeg2video": self = .mpeg2
        default: return nil
        }
    }
}
