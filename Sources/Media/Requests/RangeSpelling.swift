// A range in the form `A..B`: two source times, the second exclusive; either may be omitted.
public import MediaTime

/// A range of asset time, not resolved yet.
public struct RangeSpelling: Hashable, Sendable {
    /// The in point; nil: the start of the asset.
    public var start: TimeSpelling?
    /// The out point (exclusive); nil: the end of the asset.
    public var end: TimeSpelling?

    /// Creates a range.
    public init(start: TimeSpelling?, end: TimeSpelling?) {
        self.start = start
        self.end = end
    }

    /// Parses `A..B`, `A..`, or `..B`.
    public static func parse(_ text: String) throws(TimeError) -> RangeSpelling {
        guard let dots = text.firstRange(of: "..") else {
            throw TimeError(.notATime, "'\(text)' is not a range; write A..B, such as 10..70 or 1:00..end")
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
    public var description: String { "\(start.map { "\($0)" } ?? "")..\(end.map { "\($0)" } ?? "")" }
}

extension RangeSpelling: Codable {
    enum CodingKeys: String, CodingKey, CaseIterable { case start, end }

    /// Decodes an object with `start` and `end`, or `A..B`.
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
        let values = try StrictKeys(decoder, CodingKeys.self)
        start = try values.may(.start, TimeSpelling.self)
        end = try values.may(.end, TimeSpelling.self)
    }
}
