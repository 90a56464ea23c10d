// The codecs, besides H.264 and HEVC, whose head and tail can be encoded to join the copied samples: one type each, in one
// registry. A codec says which encoder fits a stored stream, and which bytes samples must carry so that a decoder can begin at
// either. Pure, except that some open an encoder to see its header.
internal import Libav
internal import Media

/// A stored stream, as far as its coding is known.
struct StoredStream {
    /// The decoder's initialisation data (extradata) from the container; empty if there is none.
    var header: [UInt8]
    /// Its first sample.
    var first: [UInt8]
}

/// How head and tail of a track are encoded.
struct HeadTailJoin {
    /// The encoder.
    var setup: VideoEncoderSetup
    /// How the encoder's header fits the stream's: `match` (identical), `inBand` (each sync sample carries its own); nil if
    /// the codec has none.
    var scheme: JoinScheme?
    /// Inserted before each copied sync sample that has no header.
    var copiedLead: [UInt8] = []
    /// Inserted before each encoded sync sample.
    var encodedLead: [UInt8] = []
    /// Reorder delay of the encoder's output, in frames.
    var delay = 0
}

/// A codec whose head and tail can be encoded.
protocol HeadTailCodec: SendableMetatype {
    /// FFmpeg's names of the codecs.
    static var names: Set<String> { get }

    /// Returns how to encode head and tail of a stream. Throws the reason if that is impossible.
    static func join(_ setup: HeadTailSetup, to stored: StoredStream) throws(MediaError) -> HeadTailJoin

    /// Whether a sample begins with its own header.
    static func hasHeader(_ sample: [UInt8]) -> Bool
}

extension HeadTailCodec {
    static func hasHeader(_ sample: [UInt8]) -> Bool { true }
}

/// All codecs whose head and tail can be encoded, except those with parameter sets.
enum HeadTailCodecs {
    private static let all: [any HeadTailCodec.Type] = [
        MPEG12HeadTail.self, MPEG4HeadTail.self, H263HeadTail.self, MicrosoftHeadTail.self, VPXHeadTail.self,
        AV1HeadTail.self,
        TheoraHeadTail.self, FFV1HeadTail.self, AnimationHeadTail.self,
    ]

    /// The codec with this name.
    static func named(_ name: String) -> (any HeadTailCodec.Type)? { all.first { $0.names.contains(name) } }
}
