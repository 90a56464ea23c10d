// MPEG-4 Part 2 (DivX, Xvid): a header, stored once by containers, says how all frames are coded. Where FFmpeg's encoder makes
// the same header, nothing is added; otherwise each sync sample carries the one it was coded with.
internal import Libav
internal import Media

/// Uses FFmpeg's encoder.
enum MPEG4Codec: HeadTailCodec {
    static let names: Set<String> = ["mpeg4"]

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

    static func hasHeader(_ sample: [UInt8]) -> Bool { MPEG4Header(sample) != nil }

    static func header(of stored: StoredStream) -> [UInt8] { volHeader(of: stored)?.bytes ?? [] }

    static func copyRefusal(_ stored: StoredStream) -> String? {
        volHeader(of: stored)?.isPacked == true
            ? "its B-frames are packed with other frames, which only AVI allows" : nil
    }

    static func isWhole(_ sample: [UInt8]) -> Bool { StartCodes.split(sample).contains { $0.code == 0xB6 } }

    /// The header, from wherever the stream has one.
    private static func volHeader(of stored: StoredStream) -> MPEG4Header? {
        MPEG4Header(stored.header) ?? MPEG4Header(stored.first)
    }
}
