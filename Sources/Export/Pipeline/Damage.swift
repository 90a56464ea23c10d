// A place at which a source does not decode, and how users are told of it: a warning, or an error where they asked for that.
internal import Libav
internal import Media
internal import MediaTime

/// Damage of a source.
struct Damage: Hashable, Sendable {
    /// What failed, in FFmpeg's words.
    var cause: String
    /// When it would be shown, in asset time; nil where nobody knows.
    var time: Time?

    /// Damage of a kind.
    init(_ cause: String, at time: Time?) {
        self.cause = cause
        self.time = time
    }

    /// Damage that a decoder reports.
    init(_ error: LibavError, at time: Time?) { self.init(error.description, at: time) }

    /// Damage that a decoder has concealed.
    static func concealed(at time: Time?) -> Damage { Damage("decoding: errors were concealed", at: time) }

    /// Damage that a decoder has only logged.
    static func reported(at time: Time?) -> Damage {
        Damage("decoding: the decoder reports errors", at: time)
    }

    /// What is wrong, and when.
    var sentence: String { "the source is damaged\(time.map { " at \($0.clock())" } ?? ""): \(cause)" }

    /// A warning.
    /// - Parameter consequence: what became of it, as the end of a sentence.
    func warning(track: Int, _ consequence: String? = nil) -> Warning {
        Warning("damagedMedia", sentence + (consequence.map { "; \($0)" } ?? ""), time: time, track: track)
    }

    /// The error where nothing damaged is to be exported.
    func error(track: Int) -> MediaError {
        MediaError(
            .damagedMedia, sentence, time: time, track: track,
            remedy: "leave out --strict, or choose another range")
    }
}
