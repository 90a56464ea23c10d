// Ratio: an exact, dimensionless fraction for frame rates, aspect ratios and speeds. It is not a time, and it does not round: an
// operation whose result does not fit 64 bits returns nil.

/// An exact fraction in lowest terms, such as the frame rate 30000/1001.
public struct Ratio: Hashable, Sendable {
    /// The numerator, with the sign.
    public let numerator: Int64
    /// The denominator, above 0.
    public let denominator: Int64

    /// A fraction in lowest terms; nil for a denominator of 0, and where it does not fit 64 bits.
    public init?(_ numerator: Int64, _ denominator: Int64) {
        self.init(wide: Int128(numerator), Int128(denominator))
    }

    /// An integer.
    public init(_ whole: Int64) {
        numerator = whole
        denominator = 1
    }

    /// Parses `30000/1001`, `25` or `-1/2`; nil for anything else.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let first = parts.first, let numerator = Int64(first) else { return nil }
        guard parts.count == 2 else {
            self.init(numerator)
            return
        }
        guard let denominator = Int64(parts[1]) else { return nil }
        self.init(numerator, denominator)
    }

    init?(wide numerator: Int128, _ denominator: Int128) {
        guard denominator != 0 else { return nil }
        let sign: Int128 = denominator < 0 ? -1 : 1
        let (above, below) = lowestTerms(numerator * sign, denominator * sign)
        guard let above = Int64(exactly: above), let below = Int64(exactly: below) else { return nil }
        self.numerator = above
        self.denominator = below
    }

    /// The fraction as a floating point number.
    public var value: Double { Double(numerator) / Double(denominator) }

    /// The fraction for people, in at most three decimals: `29.97`.
    public var rounded: String {
        let text = Time.decimal(Int128((value * 1000).rounded()), digits: 3)
        let digits = text.reversed().drop { $0 == "0" }
        return String((digits.first == "." ? digits.dropFirst() : digits[...]).reversed())
    }

    /// The reciprocal; nil for 0.
    public var reciprocal: Ratio? { Ratio(denominator, numerator) }

    /// The product, or nil if it does not fit 64 bits in lowest terms.
    public func multiplied(by other: Ratio) -> Ratio? {
        Ratio(
            wide: Int128(numerator) * Int128(other.numerator),
            Int128(denominator) * Int128(other.denominator))
    }

    /// The quotient; nil for division by 0 and where it does not fit 64 bits in lowest terms.
    public func divided(by other: Ratio) -> Ratio? {
        Ratio(
            wide: Int128(numerator) * Int128(other.denominator),
            Int128(denominator) * Int128(other.numerator))
    }
}

extension Ratio: Comparable {
    /// Compares exact values.
    public static func < (left: Ratio, right: Ratio) -> Bool {
        Int128(left.numerator) * Int128(right.denominator)
            < Int128(right.numerator) * Int128(left.denominator)
    }
}

extension Ratio: Codable, CustomStringConvertible {
    /// `30000/1001`, or `25` for an integer.
    public var description: String {
        denominator == 1 ? "\(numerator)" : "\(numerator)/\(denominator)"
    }

    /// Decodes the string from `description`.
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let ratio = Ratio(text) else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "\(text.quoted) is no ratio; write it as \"30000/1001\" or \"25\""))
        }
        self = ratio
    }

    /// Encodes `description`.
    public func encode(to encoder: any Encoder) throws {
        var single = encoder.singleValueContainer()
        try single.encode(description)
    }
}
