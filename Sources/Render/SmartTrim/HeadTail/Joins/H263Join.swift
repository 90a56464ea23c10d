// Head and tail of H.263, and of Sorenson H.263 in Flash: FFmpeg's encoders.
internal import Codecs
internal import Libav
internal import Media

extension H263Codec: HeadTailCodec {
    /// The standard sizes of H.263; others need H.263 version 2 (H.263+).
    private static let sizes = [(128, 96), (176, 144), (352, 288), (704, 576), (1408, 1152)]

    static func join(
        _ headTail: HeadTailSetup, to stored: StoredStream, _ options: JoinOptions
    ) throws(MediaError) -> HeadTailJoin {
        let (width, height) = headTail.size
        let isNamed = sizes.contains { $0 == (width, height) }
        let encoder =
            switch headTail.track.codec {
            case "h263" where !isNamed: "h263p"
            case "flv1": "flv"
            default: headTail.track.codec
            }
        // H.263 coefficients have eight bits: finer steps would clip those of sharp edges.
        return HeadTailJoin(setup: headTail.quantised(encoder, steps: encoder == "flv" ? 2 : 3))
    }
}
