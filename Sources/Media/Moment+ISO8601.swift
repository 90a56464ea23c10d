// The ISO 8601 form of Moment. Wraps Foundation's formatter.
internal import FoundationEssentials
internal import MediaTime

extension Moment: CustomStringConvertible {
    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// ISO 8601 in UTC with milliseconds, such as `2026-01-02T03:04:05.678Z`.
    public var description: String {
        // Foundation truncates after the milliseconds, and most values are slightly below their number in binary.
        Date(timeIntervalSince1970: (Double(milliseconds) + 0.25) / 1000).formatted(Moment.style)
    }

    /// The current time, by the system clock.
    public static var now: Moment {
        Moment(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded()))
    }

    /// Decodes an ISO 8601 string, or a number of milliseconds.
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if let milliseconds = try? value.decode(Int64.self) {
            self.init(milliseconds: milliseconds)
            return
        }
        let text = try value.decode(String.self)
        guard let moment = Moment(text) else {
            throw DecodingError.dataCorruptedError(
                in: value, debugDescription: "'\(text)' is not an ISO 8601 date")
        }
        self = moment
    }

    /// Parses ISO 8601 with or without milliseconds; nil if the text is not a date.
    public init?(_ text: String) {
        let whole = Date.ISO8601FormatStyle(includingFractionalSeconds: false)
        guard let date = (try? Date(text, strategy: Moment.style)) ?? (try? Date(text, strategy: whole))
        else {
            return nil
        }
        self.init(milliseconds: Int64((date.timeIntervalSince1970 * 1000).rounded()))
    }

    /// Encodes the ISO 8601 string.
    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        try value.encode(description)
    }
}
