// How an attempt at an export failed, as far as another attempt may go another way. Values; the sentences that users read are
// made here, where an error leaves the export.
internal import Media
internal import MediaTime

/// A failure of one attempt.
enum AttemptFailure: Error, Hashable {
    /// The finished output shows something else than the source.
    struct Mismatch: Hashable {
        /// The ends have the source's own parameter sets.
        var isMatched: Bool
        /// The difference, as the end of a sentence.
        var why: String
        /// Where it is, in the source's time.
        var time: Time
        /// The source track.
        var track: Int
    }
    /// Copied frames are further out of order than the cut points and the headers say.
    case reordering
    /// All copied samples were read for their order, and that failed.
    case orderUnknown(MediaError)
    /// The joined frames are not the source's.
    case mismatch(Mismatch)
    /// The output is not of a size that was asked for; what its limit says of another attempt, and the error where there is none.
    case unsuitableSize(SizeLimit.Verdict, MediaError)
    /// Anything else.
    case other(MediaError)

    /// The failure as users read it.
    var error: MediaError {
        switch self {
        case .reordering:
            AttemptFailure.notSpliced("the pictures are more out of order than at the cut points")
        case .mismatch(let found):
            AttemptFailure.notSpliced(
                found.isMatched
                    ? "the joined pictures, with one set of parameters, are not the source's: \(found.why)"
                    : "the joined pictures are not the source's: \(found.why)",
                time: found.time, track: found.track)
        case .orderUnknown(let error), .unsuitableSize(_, let error), .other(let error): error
        }
    }

    private static func notSpliced(_ sentence: String, time: Time? = nil, track: Int? = nil) -> MediaError {
        MediaError(
            .spliceFailed, sentence, time: time, track: track,
            remedy: "use --render encode with a preset that says how")
    }
}

extension AttemptFailure {
    /// Runs a part of an attempt of whose errors nothing more is known than what they say.
    static func other<R>(_ body: () throws(MediaError) -> R) throws(AttemptFailure) -> R {
        do throws(MediaError) { return try body() } catch { throw .other(error) }
    }
}
