// TimeError: the only error type of this module. It states the mistake and the correct form; the caller adds the file, track or
// option that the time came from.

/// A time that cannot be used, with the correct form.
public struct TimeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of mistake.
    public enum Kind: String, Hashable, Codable, CaseIterable, Sendable {
        /// The text is not a valid time.
        case notATime
        /// The time would need a timescale of more than 31 bits.
        case timescaleTooLarge
        /// The timecode does not exist at that rate: numbers too large, or dropped.
        case noSuchTimecode
        /// A time relative to the end, but the duration is unknown.
        case needsDuration
        /// A frame or timecode, but there is no video track.
        case needsVideo
        /// Too large, or outside the asset.
        case outOfRange
    }

    /// The kind of mistake.
    public let kind: Kind
    /// The mistake, and the correct form.
    public let message: String

    /// Creates an error with its message.
    public init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    /// The error for a timecode with a file's start timecode that is counted in the other way: the same numbers name another frame,
    /// after an hour one of 3.6 s later.
    /// - Parameter isDropFrame: how the file counts.
    public static func counted(otherwise start: String, isDropFrame: Bool) -> TimeError {
        TimeError(
            .noSuchTimecode,
            "the file's timecode begins at \(start), and "
                + (isDropFrame
                    ? "is drop-frame; write ; before the frames"
                    : "counts every frame; write : before the frames"))
    }

    /// The message.
    public var description: String { message }

    func decoding(at path: [any CodingKey]) -> DecodingError {
        .dataCorrupted(.init(codingPath: path, debugDescription: message, underlyingError: self))
    }
}

extension Time {
    /// `value / timescale` unchanged, or an error that names the nearest times.
    static func checked(_ value: Int128, _ timescale: Int128) throws(TimeError) -> Time {
        guard timescale > 0 else {
            let bounds = "a timescale is from 1 to \(maximumTimescale), as in 441000/44100"
            throw TimeError(.notATime, "\(value)/\(timescale): \(bounds)")
        }
        guard let scale = Int32(exactly: timescale) else {
            throw tooFine(value, timescale, spelled: "\(value)/\(timescale)")
        }
        guard let count = Int64(exactly: value) else {
            let bounds = "the value is more than 64 bits hold (\(Int64.max) at most)"
            throw TimeError(.outOfRange, "\(value)/\(timescale): \(bounds)")
        }
        return Time(count, scale)
    }

    /// The error for a fraction that no 31-bit timescale holds as written.
    static func tooFine(
        _ dividend: Int128, _ divisor: Int128, spelled: String, hint: String = ""
    ) -> TimeError {
        let limit = "\(spelled) does not fit a timescale of 31 bits (\(maximumTimescale) at most)"
        let (dividend, divisor) = lowestTerms(dividend, divisor)
        guard divisor < 1 << 94, let around = timesAround(dividend, over: divisor) else {
            return TimeError(.timescaleTooLarge, "\(limit); write it in coarser units, as in 441000/44100")
        }
        let (lower, upper) = (around.lower.fraction, around.upper.fraction)
        let nearest =
            lower == upper
            ? "the same time in lowest terms is \(lower)" : "the nearest times are \(lower) and \(upper)"
        return TimeError(.timescaleTooLarge, "\(limit); \(nearest)\(hint)")
    }
}
