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
struct EdgeJoin {
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
protocol EdgeCodec: SendableMetatype {
    /// FFmpeg's names of the codecs.
    static var names: Set<String> { get }

    /// How ends of a stream are encoded. Throws why there is no way.
    static func join(_ setup: EdgeSetup, to stored: StoredStream) throws(MediaError) -> EdgeJoin

    /// Whether a sample begins with a header of its own.
    static func hasHeader(_ sample: [UInt8]) -> Bool
}

extension EdgeCodec {
    static func hasHeader(_ sample: [UInt8]) -> Bool { true }
}

/// All codecs of which ends can be encoded, but for those with parameter sets.
enum EdgeCodecs {
    private static let all: [any EdgeCodec.Type] = [
        MPEG12Edges.self, MPEG4Edges.self, H263Edges.self, MicrosoftEdges.self, VPXEdges.self, AV1Edges.self,
        TheoraEdges.self, FFV1Edges.self, AnimationEdges.self,
    ]

    /// The codec of a name.
    static func named(_ name: String) -> (any EdgeCodec.Type)? { all.first { $0.names.contains(name) } }
}
