// A range in the form `A..B`: two source times, the second exclusive; either may be omitted. Or the ranges that have a name, of which
// only the source knows the times.
public import MediaTime
public import Text

/// Ranges that a playlist names.
public enum NamedRanges: String, Hashable, Codable, Sendable, CaseIterable {
    /// All that is marked as no part of the program, and lies in the playlist's own time.
    case interstitials
    /// The rest: everything, where nothing is marked.
    case program
    /// As `interstitials`, and nothing where nothing is marked.
    case notProgram = "not-program"
}

/// A range of asset time, not resolved yet.
public struct RangeSpelling: Hashable, Sendable {
    /// The in point; nil: the start of the asset.
    public var start: TimeSpelling?
    /// The out point (exclusive); nil: the end of the asset.
    public var end: TimeSpelling?
    /// The ranges of this name, instead of one between two times.
    public private(set) var named: NamedRanges?

    /// Creates a range.
    public init(start: TimeSpelling?, end: TimeSpelling?) {
        self.start = start
        self.end = end
    }

    /// All ranges of a name.
    public init(_ named: NamedRanges) { self.named = named }

    /// Parses `A..B`, `A..`, `..B`, or a name.
    public static func parse(_ text: String) throws(TimeError) -> RangeSpelling {
        if let named = NamedRanges(rawValue: text) { return RangeSpelling(named) }
        guard let dots = text.firstRange(of: "..") else {
            throw TimeError(
                .notATime,
                "'\(text)' is not a range; write A..B, such as 10..70 or 1:00..end, or interstitials")
        }
        let (from, to) = (String(text[..<dots.lowerBound]), String(text[dots.upperBound...]))
        guard !from.isEmpty || !to.isEmpty else {
            throw TimeError(.notATime, "'\(text)' has neither a beginning nor an end; write A..B")
        }
        return RangeSpelling(
            start: from.isEmpty ? nil : try TimeSpelling.parse(from),
            end: to.isEmpty ? nil : try TimeSpelling.parse(to))
    }
}

extension RangeSpelling: CustomStringConvertible {
    /// The range in its text form.
    public var description: String {
        named?.rawValue ?? "\(start.map { "\($0)" } ?? "")..\(end.map { "\($0)" } ?? "")"
    }
}

extension RangeSpelling: Codable, StrictDecodable {
    private enum CodingKeys: String, CodingKey { case start, end }

    /// Encodes an object with `start` and `end`, or a name.
    public func encode(to encoder: any Encoder) throws {
        if let named {
            var value = encoder.singleValueContainer()
            return try value.encode(named.rawValue)
        }
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encodeIfPresent(start, forKey: .start)
        try values.encodeIfPresent(end, forKey: .end)
    }

    /// Decodes an object with `start` and `end`, `A..B`, or a name.
    public init(from decoder: any Decoder) throws {
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            do throws(TimeError) {
                self = try RangeSpelling.parse(text)
            } catch {
                throw DecodingError.dataCorrupted(
                    .init(
                        codingPath: decoder.codingPath, debugDescription: error.message,
                        underlyingError: error))
            }
            return
        }
        let values = try decoder.container(keyedBy: CodingKeys.self)
        start = try values.decodeIfPresent(TimeSpelling.self, forKey: .start)
        end = try values.decodeIfPresent(TimeSpelling.self, forKey: .end)
    }
}
