// Head and tail of MPEG-4 Part 2: FFmpeg's encoder. Where it makes the same header, nothing is added; otherwise each sync sample carries
// the one it was coded with.
internal import Codecs
internal import Libav
internal import Media

extension MPEG4Codec: HeadTailCodec {
    /// GOP length in frames. Where the stream names another encoder, decoders work around its bugs or use its transform for all
    /// frames: the resulting drift must not accumulate for long.
    private static let groupLength = 12

    static func join(
        _ headTail: HeadTailSetup, to stored: StoredStream, _ options: JoinOptions
    ) throws(MediaError) -> HeadTailJoin {
        guard let header = volHeader(of: stored) else { throw headTail.refused("its header is missing") }
        // The decoder's one-frame delay must be the same throughout.
        let holdsBack = header.isLowDelay.map { !$0 } ?? (headTail.delay > 0)
        var setup = headTail.quantised(
            "mpeg4", flags: "+cgop+bitexact" + (header.tools.isQuarterPixel ? "+qpel" : ""),
            rate: header.rate(near: headTail.frameRate))
        setup.hasGlobalHeader = true
        setup.keyframeInterval = groupLength
        setup.isInterlaced = header.tools.isInterlaced
        setup.options += [
            ("bf", holdsBack ? "2" : "0"), ("sc_threshold", "1000000000"),
            ("mpeg_quant", header.tools.hasMatrices ? "1" : "0"),
        ]
        var join = HeadTailJoin(setup: setup, scheme: .match, delay: holdsBack ? 1 : 0)
        guard let own = MPEG4Header(try headTail.header(of: setup)) else {
            throw headTail.refused("its encoder makes no header")
        }
        guard own.layer != header.layer else { return join }
        guard own.tools == header.tools, !own.tools.isUnusual else {
            throw headTail.refused("its header names tools for all frames that FFmpeg's encoder lacks")
        }
        join.scheme = .inBand
        join.copiedLead = header.bytes
        // Includes the name of the source's encoder: decoders apply it to all that follows.
        join.encodedLead = own.bytes + header.userData
        return join
    }
}
