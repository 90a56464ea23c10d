// TimeError: the one error of this module. It says what is wrong and what to write instead; it does not know
// the file, the track or the option the time came from; whoever does adds that.

/// A time that cannot be used, and what to write in its place.
public struct TimeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What sort of mistake it is.
    public enum Kind: String, Hashable, Codable, CaseIterable, Sendable {
        /// The text is no spelling of a time.
        case notATime
        /// The time would need a timescale of more than 31 bits.
        case timescaleTooLarge
        /// The timecode's numbers do not exist at that rate: too large, or dropped.
        case noSuchTimecode
        /// A time from the end, where the duration is not known.
        case needsDuration
        /// A frame or timecode, where there is no video track to count in.
        case needsVideo
        /// Too large, or outside the asset.
        case outOfRange
    }

    /// What sort of mistake it is.
    public let kind: Kind
    /// What is wrong, and what to write instead.
    public let message: String

    /// An error with its message.
    public init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    /// The message.
    public var description: String { message }

    func decoding(at path: [any CodingKey]) -> DecodingError {
        .dataCorrupted(.init(codingPath: path, debugDescription: message, underlyingError: self))
    }
}

extension Time {
    /// `value / timescale` as it stands, or an error that names the nearest times.
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

    /// The error for a fraction that no 31-bit timescale holds as it is written.
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
