// Timebase: the duration of one tick of a track or container, and conversion between ticks and Time. It does not know FFmpeg's
// "no timestamp" value (Int64.min): packet reading converts that to nil.

/// Seconds per tick, like AVRational timebases: 1/90000, 1/48000, 1001/30000.
public struct Timebase: Hashable, Sendable {
    /// Numerator in seconds, above 0; the fraction is in lowest terms.
    public let numerator: Int32
    /// Denominator in ticks, above 0.
    public let denominator: Int32

    /// A timebase in lowest terms; nil unless both numbers are above 0.
    public init?(numerator: Int32, denominator: Int32) {
        guard numerator > 0, denominator > 0 else { return nil }
        let (above, below) = lowestTerms(Int128(numerator), Int128(denominator))
        self.numerator = Int32(clamping: above)
        self.denominator = Int32(clamping: below)
    }

    /// A timebase of this many ticks per second, such as a sample rate; nil unless from 1 to 2³¹−1.
    public init?(perSecond: Int) {
        guard perSecond > 0, let denominator = Int32(exactly: perSecond) else { return nil }
        self.init(one: denominator)
    }

    private init(one denominator: Int32) {
        numerator = 1
        self.denominator = denominator
    }

    /// One second.
    public static let seconds = Timebase(one: 1)
    /// 1/1000, the usual timebase of Matroska.
    public static let milliseconds = Timebase(one: 1000)
    /// 1/1000000, FFmpeg's own timebase.
    public static let microseconds = Timebase(one: 1_000_000)
    /// Matroska's timebase for values other than block times.
    public static let nanoseconds = Timebase(one: 1_000_000_000)
    /// 1/90000, the timebase of MPEG transport streams.
    public static let mpeg = Timebase(one: 90000)

    /// The time of a tick count: exact where `ticks × numerator` fits 64 bits, otherwise rounded and flagged.
    public func time(ofTicks ticks: Int64) -> Time {
        .fitting(Int128(ticks) * Int128(numerator), over: Int128(denominator), timescale: denominator)
    }

    /// The tick of a time, and whether it is exact.
    ///
    /// Times beyond 64 bits, and infinities, give the last tick on that side; an invalid or indefinite time gives tick 0. Neither
    /// is exact.
    public func ticks(
        of time: Time, rounding: RoundingMethod = .halfAwayFromZero
    ) -> (ticks: Int64, exact: Bool) {
        switch time.rank {
        case .positiveInfinity: return (.max, false)
        case .negativeInfinity: return (.min, false)
        case .indefinite, .invalid: return (0, false)
        case .numeric: break
        }
        let scale = Int128(time.timescale) * Int128(numerator)
        let (quotient, exact) = divide(
            Int128(time.value) * Int128(denominator), by: scale, rounding: rounding,
            finer: Int128(denominator) > scale)
        guard let ticks = Int64(exactly: quotient) else { return (Int64(clamping: quotient), false) }
        return (ticks, exact)
    }

    /// Converts ticks of this timebase to another; beyond 64 bits the last tick on that side.
    public func rescale(
        _ ticks: Int64, to other: Timebase, rounding: RoundingMethod = .halfAwayFromZero
    ) -> Int64 {
        let up = Int128(numerator) * Int128(other.denominator)
        let down = Int128(denominator) * Int128(other.numerator)
        let product = Int128(ticks) * up
        return Int64(clamping: divide(product, by: down, rounding: rounding, finer: up > down).quotient)
    }
}

extension Timebase: Codable, CustomStringConvertible {
    /// `1/90000`.
    public var description: String { "\(numerator)/\(denominator)" }

    /// Decodes the string from `description`.
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let ratio = Ratio(text), let above = Int32(exactly: ratio.numerator),
            let below = Int32(exactly: ratio.denominator),
            let base = Timebase(numerator: above, denominator: below)
        else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "\(text.quoted) is no time base; write it as \"1/90000\""))
        }
        self = base
    }

    /// Encodes `description`.
    public func encode(to encoder: any Encoder) throws {
        var single = encoder.singleValueContainer()
        try single.encode(description)
    }
}
