// The tolerance of a cut point in text form: a duration, or `inf`.
public import MediaTime

/// A distance by which a cut point may move.
public enum ToleranceSpelling: Hashable, Sendable {
    /// At most this far; not negative.
    case time(Time)
    /// Without a limit.
    case unlimited

    /// The distance; positive infinity if unlimited.
    public var time: Time {
        switch self {
        case .time(let time): time
        case .unlimited: .positiveInfinity
        }
    }

    /// Parses `inf`, or a duration of at least 0.
    public static func parse(_ text: String) throws(TimeError) -> ToleranceSpelling {
        if text == "inf" { return .unlimited }
        guard let time = try TimeSpelling.parse(text).assetTime, time.isNumeric, time >= .zero else {
            throw TimeError(.notATime, "'\(text)' is not a distance; write seconds, such as 0.5, or inf")
        }
        return .time(time)
    }
}

extension ToleranceSpelling: Codable {
    /// Decodes a text, or an object with a value and a timescale.
    public init(from decoder: any Decoder) throws {
        do throws(TimeError) {
            if let text = try? decoder.singleValueContainer().decode(String.self) {
                self = try ToleranceSpelling.parse(text)
                return
            }
            guard let time = try? Time(from: decoder), time.isNumeric, time >= .zero else {
                throw TimeError(
                    .notATime, "this is not a distance; write seconds, such as \"0.5\", or \"inf\"")
            }
            self = .time(time)
        } catch {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: error.message, underlyingError: error)
            )
        }
    }

    /// Encodes a form that can be decoded.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .time(let time): try time.encode(to: encoder)
        case .unlimited:
            var container = encoder.singleValueContainer()
            try container.encode("inf")
        }
    }
}
