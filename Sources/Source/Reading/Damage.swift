// A position at which a source does not decode, and how users see it: a warning, or an error on request.
package import Libav
package import Media
package import MediaTime

/// Damage in a source.
package struct Damage: Hashable, Sendable {
    /// The cause, as FFmpeg reports it.
    package var cause: String
    /// When it would be shown, in asset time; nil if unknown.
    package var time: Time?

    /// Damage with a given cause.
    package init(_ cause: String, at time: Time?) {
        self.cause = cause
        self.time = time
    }

    /// Damage that a decoder returned as an error.
    package init(_ error: LibavError, at time: Time?) { self.init(error.description, at: time) }

    /// Damage that a decoder concealed.
    package static func concealed(at time: Time?) -> Damage {
        Damage("decoding: errors were concealed", at: time)
    }

    /// Damage that a decoder only logged.
    package static func reported(at time: Time?) -> Damage {
        Damage("decoding: the decoder reports errors", at: time)
    }

    /// The cause and the time, as a sentence.
    package var sentence: String {
        "the source is damaged\(time.map { " at \($0.clock())" } ?? ""): \(cause)"
    }

    /// Returns a warning.
    /// - Parameter consequence: the effect, as the end of a sentence.
    package func warning(track: Int, _ consequence: String? = nil) -> Warning {
        Warning(.damagedMedia, sentence + (consequence.map { "; \($0)" } ?? ""), time: time, track: track)
    }

    /// Returns a warning of damage that shows in a part.
    /// - Parameter segment: the part; nil: the damage lies in the range.
    package func warning(track: Int, in segment: Segment?) -> Warning {
        guard let segment, let time else { return warning(track: track) }
        if time < segment.start {
            return Warning(
                .damagedBefore,
                "\(sentence); it is before the range, and the first frames may show it since they refer to it",
                time: time, track: track)
        }
        if let end = segment.end, time >= end {
            return warning(
                track: track, "it is after the range, and the last frames may show it since they refer to it")
        }
        return warning(track: track)
    }

    /// Returns the error for an export that must not contain damage.
    package func error(track: Int) -> MediaError {
        MediaError(
            .damagedMedia, sentence, time: time, track: track,
            remedy: "leave out --strict, or choose another range")
    }
}
