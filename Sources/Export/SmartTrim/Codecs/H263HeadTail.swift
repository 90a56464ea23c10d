// H.263, and Sorenson's H.263 in Flash: each key frame says how it is coded, and nothing is said elsewhere.
internal import Libav
internal import Media

/// FFmpeg's own encoders.
enum H263HeadTail: HeadTailCodec {
    static let names: Set<String> = ["h263", "flv1"]

    /// Sizes that H.263 has names for; for others it is coded by its second edition.
    private static let sizes = [(128, 96), (176, 144), (352, 288), (704, 576), (1408, 1152)]

    static func join(_ edge: HeadTailSetup, to stored: StoredStream) throws(MediaError) -> HeadTailJoin {
        let (width, height) = edge.size
        let isNamed = sizes.contains { $0 == (width, height) }
        let encoder =
            switch edge.track.codec {
            case "h263" where !isNamed: "h263p"
            case "flv1": "flv"
            default: edge.track.codec
            }
        // Coefficients of H.263 have eight bits: finer steps cut off those of strong edges.
        return HeadTailJoin(setup: edge.quantised(encoder, steps: encoder == "flv" ? 2 : 3))
    }
}
