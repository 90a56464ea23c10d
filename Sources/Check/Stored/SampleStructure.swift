// Checks whether a stored sample has the structure its codec requires, as far as possible without decoding: units that fill it,
// headers that refer to existing sets, checksums where the codec has them. Pure. Finds truncated, misplaced or overwritten
// samples, and all damage in codecs with checksums; in others, damage inside coded video or audio shows only when decoded.
internal import Codecs
internal import Media

/// The expected structure of a track's samples.
struct SampleStructure {
    private let codec: String
    private let check: SampleCheck

    init(_ track: Track, header: [UInt8], first: [UInt8]) {
        codec = track.codec
        check =
            track.kind == .audio
            ? AudioCodecs.named(codec).sampleCheck
            : track.videoCodec.sampleCheck(header: header, first: first)
    }

    /// The fault of a sample, as a sentence without its subject; nil: none detectable.
    func fault(in bytes: [UInt8]) -> String? { check(bytes)?.sentence(codec) }
}
