// Reasons why copying a track failed that the exporter can act on.
internal import Media
internal import MediaTime

/// A copy failure that another plan can fix.
enum SmartTrimFault: Hashable {
    /// Reordering is deeper than at the cut points.
    case reordering
    /// The finished output differs from the source; says whether head and tail used the source's own parameter sets.
    case mismatch(isMatched: Bool)

    /// Maximum reorder delay in frames: H.264 and HEVC allow 16.
    static let deepest = 16

    private var sentence: String {
        switch self {
        case .reordering: "the pictures are more out of order than at the cut points"
        case .mismatch(isMatched: true):
            "the joined pictures, with one set of parameters, are not the source's"
        case .mismatch(isMatched: false): "the joined pictures are not the source's"
        }
    }

    /// Wraps the fault in a `MediaError`.
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
