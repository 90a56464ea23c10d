// Codecs whose head and tail can be encoded to join the copied samples. A codec says which encoder fits a stored stream, and which
// bytes samples must carry so that a decoder can begin at either. Pure, except that some open an encoder to see its header.
package import Codecs
package import Libav
internal import Media

/// A codec whose head and tail can be encoded.
protocol HeadTailCodec: VideoCodec {
    /// Returns how to encode head and tail of a stream. Throws the reason if that is impossible.
    static func join(
        _ setup: HeadTailSetup, to stored: StoredStream, _ options: JoinOptions
    ) throws(MediaError) -> HeadTailJoin

    /// Every keyframe says the size of its frames, which may differ from that of others, as where a video call is recorded.
    static var keyframesHaveSizes: Bool { get }

    /// The settings of an encoder whose pictures are fields; the same for codecs that code fields as frames.
    static func beginning(
        _ setup: VideoEncoderSetup, with fields: HeadTailEncoder.Fields
    ) -> VideoEncoderSetup
}

extension HeadTailCodec {
    static var keyframesHaveSizes: Bool { false }

    static func beginning(
        _ setup: VideoEncoderSetup, with fields: HeadTailEncoder.Fields
    ) -> VideoEncoderSetup { setup }
}

/// The properties that the head and tail must avoid to join the copied samples.
struct JoinOptions {
    /// How the NAL units of the source's samples are delimited.
    var framing = NALFraming.annexB
    /// Uses parameter sets of its own even where the source's would fit.
    var avoidsMatch = false
    /// Uses no features that old x264 builds coded wrongly and decoders decode accordingly.
    var avoidsFaults = false
}

/// How head and tail of a track are encoded.
struct HeadTailJoin: Sendable {
    /// The encoder.
    var setup: VideoEncoderSetup
    /// How the encoder's header fits the stream's: `match` (identical), `ids` (parameter sets with other ids), `inBand` (each
    /// sync sample carries its own); nil if the codec has none.
    var scheme: JoinScheme?
    /// The encoder's header: the same for head and tail. Empty: to be seen when the encoder is opened.
    var extradata: [UInt8] = []
    /// Gives parameter sets in the encoder's output, Annex B, other ids; nil if they stay as they are.
    var renumber: (@Sendable (ArraySlice<UInt8>) -> [UInt8]?)?
    /// Inserted before each copied sync sample that has no header.
    var copiedLead: [UInt8] = []
    /// Inserted before each encoded sync sample.
    var encodedLead: [UInt8] = []
    /// Reorder delay of the encoder's output, in frames: a source that does not state its own may need less.
    var delay = 0

    /// The encoder's parameter sets, for the track's header; empty if they are the source's, nil if they are damaged.
    var addedSets: [UInt8]? {
        guard scheme == .ids else { return [] }
        guard let renumber else { return extradata }
        return renumber(extradata[...])
    }
}

/// Parameter sets that say how long a frame is shown.
package protocol TimedParameterSets: ParameterSets {
    /// Parameters whose stream timing is that of the track.
    /// - Parameter scale: the track's ticks per second.
    static func retimed(
        _ parameters: CodecParameters, scale: Int64, tag: String?
    ) throws(LibavError) -> CodecParameters
}
