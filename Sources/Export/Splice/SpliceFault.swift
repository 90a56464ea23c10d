// Why a track could not be copied after all, where the exporter can do something about it.
internal import Media

/// A failure of copying that another plan heals.
enum SpliceFault {
    /// Pictures are more out of order than at the cut points.
    case reordering

    /// Pictures held back at most: H.264 and HEVC allow sixteen.
    static let deepest = 16

    private static let sentence = "the pictures are more out of order than at the cut points"

    /// The failure as it travels.
    var error: MediaError { MediaError(.spliceFailed, SpliceFault.sentence, remedy: "use --render encode") }

    init?(_ error: MediaError) {
        guard error.code == .spliceFailed, error.message == SpliceFault.sentence else { return nil }
        self = .reordering
    }
}
