// Head and tail of Theora: libtheora, where its tables are those of the stream.
internal import Codecs
internal import Libav
internal import Media

extension TheoraCodec: HeadTailCodec {
    static func join(
        _ headTail: HeadTailSetup, to stored: StoredStream, _ options: JoinOptions
    ) throws(MediaError) -> HeadTailJoin {
        var setup = headTail.quantised("libtheora")
        setup.hasGlobalHeader = true
        // The finest of ten steps, in units of the coarsest quantiser.
        setup.options = [("flags", "+qscale"), ("global_quality", "1180")]
        guard let theirs = XiphHeaders(stored.header) else {
            throw headTail.refused("its headers are damaged")
        }
        guard let own = XiphHeaders(try headTail.header(of: setup)) else {
            throw headTail.refused("its encoder makes no headers")
        }
        guard own.setup == theirs.setup else {
            throw headTail.refused(
                "its tables are not those of libtheora 1.1, and one header holds the tables of all frames")
        }
        guard decodingFields(own.identification) == decodingFields(theirs.identification) else {
            throw headTail.refused("its picture region is not where libtheora puts it")
        }
        return HeadTailJoin(setup: setup, scheme: .match)
    }

    /// The fields of the identification header that affect decoding: version, sizes, picture region and pixel format; not frame
    /// rate and bit rate, nor Ogg's granule shift (Theora specification, 6.2).
    private static func decodingFields(_ header: [UInt8]) -> [UInt8]? {
        guard header.count >= 42 else { return nil }
        return Array(header[7..<9] + header[10..<22]) + [header[41] >> 3 & 3]
    }
}
