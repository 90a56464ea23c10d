// The calendar form of Moment. Foundation's formatter is hidden here.
internal import FoundationEssentials
internal import MediaTime

extension Moment: CustomStringConvertible {
    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// ISO 8601 in UTC with milliseconds, such as `2026-01-02T03:04:05.678Z`.
    public var description: String {
        // Foundation cuts off what follows the milliseconds, and most of them lie a hair below their number in binary.
        Date(timeIntervalSince1970: (Double(milliseconds) + 0.25) / 1000).formatted(Moment.style)
    }

    /// The present moment, by the system's clock.
    public static var now: Moment {
        Moment(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded()))
    }

    /// Reads an ISO 8601 string, or the number of milliseconds.
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

    /// Reads ISO 8601 with or without milliseconds; nil where the text is none.
    public init?(_ text: String) {
        let whole = Date.ISO8601FormatStyle(includingFractionalSeconds: false)
        guard let date = (try? Date(text, strategy: Moment.style)) ?? (try? Date(text, strategy: whole))
        else {
            return nil
        }
        self.init(milliseconds: Int64((date.timeIntervalSince1970 * 1000).rounded()))
    }

    /// Writes the ISO 8601 string.
    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        try value.encode(description)
    }
}
