// Failures of an export attempt, distinguished as far as another attempt can differ. Values; the user's messages are created
// here, where an error leaves the export.
package import Media
package import MediaTime

/// A failure of one attempt.
package enum AttemptFailure: Error, Hashable {
    /// The finished output does not match the source.
    package struct Mismatch: Hashable {
        /// Whether head and tail have the source's parameter sets.
        package var isMatched: Bool
        /// The difference, as the end of a sentence.
        var why: String
        /// Its position, in source time.
        var time: Time
        /// The source track.
        var track: Int

        package init(isMatched: Bool, why: String, time: Time, track: Int) {
            (self.isMatched, self.why, self.time, self.track) = (isMatched, why, time, track)
        }
    }
    /// The reorder depth of copied frames exceeds that of the cut points and headers.
    case reordering
    /// Measuring the reorder depth of all copied samples failed.
    case orderUnknown(MediaError)
    /// The joined frames do not match the source.
    case mismatch(Mismatch)
    /// The output misses the requested size; with the limit's decision on another attempt, and the error if there is none.
    case unsuitableSize(SizeLimit.Decision, MediaError)
    /// Units of the export do not make the output that was planned.
    case unitsDiffer(String)
    /// Anything else.
    case other(MediaError)

    /// The failure as a user error.
    package var error: MediaError {
        switch self {
        case .reordering:
            AttemptFailure.notSpliced("the frames are more out of order than at the cut points")
        case .mismatch(let found):
            AttemptFailure.notSpliced(
                found.isMatched
                    ? "the joined frames, with one set of parameters, are not the source's: \(found.why)"
                    : "the joined frames are not the source's: \(found.why)",
                time: found.time, track: found.track)
        case .unitsDiffer(let why): MediaError(.encodeFailed, why)
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
    /// Runs a part of an attempt whose errors have no special handling.
    package static func other<R>(_ body: () throws(MediaError) -> R) throws(AttemptFailure) -> R {
        do throws(MediaError) { return try body() } catch { throw .other(error) }
    }
}
