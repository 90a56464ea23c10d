// Head and tail of FFV1: FFmpeg's encoder, which makes the same header with the same options; they are lossless.
internal import Codecs
internal import Libav
internal import Media

extension FFV1Codec: HeadTailCodec {
    /// FFmpeg's numbers of the entropy coders: Golomb-Rice, range coder with a custom table, range coder with the default table.
    private static let coders = ["0", "1", "-2"]

    static func join(
        _ headTail: HeadTailSetup, to stored: StoredStream, _ options: JoinOptions
    ) throws(MediaError) -> HeadTailJoin {
        var setup = headTail.common("ffv1")
        setup.keyframeInterval = HeadTailSetup.groupLength
        guard !stored.header.isEmpty else {
            setup.options = [("level", "1")]
            return HeadTailJoin(setup: setup)
        }
        setup.threads = 1
        for (slices, hasChecksums) in shapes(of: stored.first) {
            for coder in coders {
                setup.options = [
                    ("level", "3"), ("coder", coder), ("slices", "\(slices)"),
                    ("slicecrc", hasChecksums ? "1" : "0"),
                ]
                guard let made = try? headTail.header(of: setup) else { continue }
                // Matroska stores it as AVI does, padded to an even number of bytes.
                if stored.header == made || stored.header == made + [0] {
                    return HeadTailJoin(setup: setup, scheme: .match)
                }
            }
        }
        throw headTail.refused(
            "its header is not one that FFmpeg's encoder writes, and it applies to all frames")
    }

    /// Possible slice counts of a frame, each with whether the slices carry checksums.
    private static func shapes(of sample: [UInt8]) -> [(slices: Int, hasChecksums: Bool)] {
        [true, false].compactMap { isChecked in
            FFV1Slices(sample, areChecked: isChecked).map { ($0.ranges.count, isChecked) }
        }
    }
}
