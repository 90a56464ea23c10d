// The codecs, beside H.264 and HEVC, of which ends can be encoded so that they join what is copied: one type each, in one
// registry. A codec says which encoder fits a stored stream, and what samples must bring with them so that a decoder can begin
// at either. Pure, but that some open an encoder to see what it would make.
internal import Libav
internal import Media

/// A stored stream, as far as it tells of its coding.
struct StoredStream {
    /// The decoder's initialisation data, as the container keeps it; empty where there is none.
    var header: [UInt8]
    /// Its first sample.
    var first: [UInt8]
}

/// How the ends of a track are encoded.
struct HeadTailJoin {
    /// The encoder.
    var setup: VideoEncoderSetup
    /// How the encoder's header fits the stream's: `match` (the same), `inBand` (each sync sample brings its own); nil where the
    /// codec has none.
    var scheme: String?
    /// Goes before each sync sample that is copied and has no header of its own.
    var copiedLead: [UInt8] = []
    /// Goes before each sync sample that is encoded.
    var encodedLead: [UInt8] = []
    /// Pictures that decoders hold back of what the encoder makes.
    var delay = 0
}

/// A codec of which ends can be encoded.
protocol HeadTailCodec: SendableMetatype {
    /// FFmpeg's names of the codecs.
    static var names: Set<String> { get }

    /// How ends of a stream are encoded. Throws why there is no way.
    static func join(_ setup: HeadTailSetup, to stored: StoredStream) throws(MediaError) -> HeadTailJoin

    /// Whether a sample begins with a header of its own.
    static func hasHeader(_ sample: [UInt8]) -> Bool
}

extension HeadTailCodec {
    static func hasHeader(_ sample: [UInt8]) -> Bool { true }
}

/// All codecs of which ends can be encoded, but for those with parameter sets.
enum HeadTailCodecs {
    private static let all: [any HeadTailCodec.Type] = [
        MPEG12HeadTail.self, MPEG4HeadTail.self, H263HeadTail.self, MicrosoftHeadTail.self, VPXHeadTail.self,
        AV1HeadTail.self,
        TheoraHeadTail.self, FFV1HeadTail.self, AnimationHeadTail.self,
    ]

    /// The codec of a name.
    static func named(_ name: String) -> (any HeadTailCodec.Type)? { all.first { $0.names.contains(name) } }
}
