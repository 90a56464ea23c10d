// Why a track could not be copied after all, where the exporter can do something about it.
internal import Media
internal import MediaTime

/// A failure of copying that another plan heals.
enum SmartTrimFault: Hashable {
    /// Pictures are more out of order than at the cut points.
    case reordering
    /// The finished output does not show what the source shows; its ends had the source's own parameter sets, or not.
    case mismatch(isMatched: Bool)

    /// Pictures held back at most: H.264 and HEVC allow sixteen.
    static let deepest = 16

    private var sentence: String {
        switch self {
        case .reordering: "the pictures are more out of order than at the cut points"
        case .mismatch(isMatched: true):
            "the joined pictures, with one set of parameters, are not the source's"
        case .mismatch(isMatched: false): "the joined pictures are not the source's"
        }
    }

    /// The failure as it travels.
    func error(_ details: String? = nil, at time: Time? = nil, track: Int? = nil) -> MediaError {
        MediaError(
            .spliceFailed, sentence + (details.map { ": \($0)" } ?? ""), time: time, track: track,
            remedy: "use --render encode with a preset that says how")
    }

    init?(_ error: MediaError) {
        guard error.code == .spliceFailed else { return nil }
        let all: [SmartTrimFault] = [.reordering, .mismatch(isMatched: true), .mismatch(isMatched: false)]
        guard let fault = all.first(where: { error.message.hasPrefix($0.sentence) }) else { return nil }
        self = fault
    }
}
