// Head and tail of Microsoft's codecs: FFmpeg's encoders.
internal import Codecs
internal import Libav
internal import Media

extension MicrosoftCodec: HeadTailCodec {
    static func join(
        _ headTail: HeadTailSetup, to stored: StoredStream, _ options: JoinOptions
    ) throws(MediaError) -> HeadTailJoin {
        let codec = headTail.track.codec
        // Coefficients of the first two have eight bits: finer steps would clip those of sharp edges.
        let setup = headTail.quantised(
            codec == "msmpeg4v3" ? "msmpeg4" : codec, steps: codec.hasPrefix("msmpeg4") ? 3 : 2)
        guard codec == "wmv2" else { return HeadTailJoin(setup: setup) }
        for flags in ["", "+loop"] {
            var candidate = setup
            candidate.hasGlobalHeader = true
            if !flags.isEmpty { candidate.options.append(("flags", flags)) }
            if try tools(headTail.header(of: candidate)) == tools(stored.header) {
                return HeadTailJoin(setup: candidate, scheme: .match)
            }
        }
        throw headTail.refused(
            "FFmpeg's encoder lacks some of the tools that its header names for all frames")
    }

    /// The nine bits that list the tools, after frame rate and bit rate.
    private static func tools(_ header: [UInt8]) -> UInt16? {
        guard header.count >= 4 else { return nil }
        return UInt16(header[2]) << 1 | UInt16(header[3] >> 7)
    }
}
