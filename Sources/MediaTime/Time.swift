// Time: an exact moment or duration, value/timescale seconds, with the rules of CMTime. It has no clock, calendar or frame rate
// and never reads the current time. Nothing here traps or wraps: a result that does not fit becomes a coarser time flagged as
// rounded, or an infinity.

/// An exact rational time: `value / timescale` seconds, with the special values and the rules of CMTime.
///
/// Equality compares moments: `Time(1, 2) == Time(2, 4)`.
public struct Time: Sendable {
    /// Properties of a time besides its number. The bits are those of CMTimeFlags.
    public struct Flags: OptionSet, Hashable, Sendable {
        /// The bits of CMTimeFlags.
        public let rawValue: UInt32

        /// Creates flags from bits.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// The time is not `Time.invalid`.
        public static let valid = Flags(rawValue: 1)
        /// The number was rounded, here or in a time it was computed from.
        public static let hasBeenRounded = Flags(rawValue: 2)
        /// Later than every number.
        public static let positiveInfinity = Flags(rawValue: 4)
        /// Earlier than every number.
        public static let negativeInfinity = Flags(rawValue: 8)
        /// Unknown, such as the duration of a live stream.
        public static let indefinite = Flags(rawValue: 16)

        static let special: Flags = [.positiveInfinity, .negativeInfinity, .indefinite]
    }

    /// The number of units; 0 if the time is not numeric.
    public let value: Int64
    /// Units per second; 0 if the time is not numeric, otherwise above 0.
    public let timescale: Int32
    /// The loop iteration this time belongs to; 0 for a duration, and nearly always.
    public let epoch: Int64
    /// The properties of the time besides its number.
    public let flags: Flags

    init(value: Int64, timescale: Int32, epoch: Int64, flags: Flags) {
        self.value = value
        self.timescale = timescale
        self.epoch = epoch
        self.flags = flags
    }

    /// Zero seconds.
    public static let zero = Time(0, 1)
    /// No time: the result of an undefined computation.
    public static let invalid = Time(value: 0, timescale: 0, epoch: 0, flags: [])
    /// An unknown time.
    public static let indefinite = Time(value: 0, timescale: 0, epoch: 0, flags: [.valid, .indefinite])
    /// Later than every number.
    public static let positiveInfinity = Time(
        value: 0, timescale: 0, epoch: 0, flags: [.valid, .positiveInfinity])
    /// Earlier than every number.
    public static let negativeInfinity = Time(
        value: 0, timescale: 0, epoch: 0, flags: [.valid, .negativeInfinity])

    /// The largest timescale: 31 bits.
    public static let maximumTimescale = Int32.max

    /// `value / timescale` seconds; invalid if the timescale is 0 or less.
    public init(_ value: Int64, _ timescale: Int32) {
        self.init(value: value, timescale: timescale)
    }

    /// `value / timescale` seconds in an epoch; invalid if the timescale is 0 or less.
    public init(value: Int64, timescale: Int32, epoch: Int64 = 0) {
        self =
            timescale > 0
            ? Time(value: value, timescale: timescale, epoch: epoch, flags: .valid) : .invalid
    }

    /// An integer number of seconds.
    public init(seconds: Int) {
        self.init(Int64(seconds), 1)
    }

    /// The time nearest to `seconds` at a timescale, which is halved until the value fits 64 bits.
    ///
    /// The result is flagged as rounded if its `seconds` differs from the argument. NaN, or a timescale of 0 or less, gives an
    /// invalid time. Only for measured times: user input goes through `TimeSpelling`.
    public init(seconds: Double, preferredTimescale: Int32) {
        guard preferredTimescale > 0, !seconds.isNaN else {
            self = .invalid
            return
        }
        let (time, _) = Time.one.scaled(by: seconds, startingAt: preferredTimescale)
        let rounded = time.isNumeric && time.seconds != seconds
        self = time.flagged(rounded: rounded)
    }

    /// The time as a floating-point number, for display and inexact arithmetic.
    ///
    /// An infinity is infinite; an invalid or indefinite time is NaN.
    public var seconds: Double {
        switch rank {
        case .numeric: Double(value) / Double(timescale)
        case .positiveInfinity: .infinity
        case .negativeInfinity: -.infinity
        case .indefinite, .invalid: .nan
        }
    }

    /// Whether this is not `Time.invalid`; infinities and the indefinite time are valid.
    public var isValid: Bool { flags.contains(.valid) }
    /// Whether this is a number: valid, not infinite, not indefinite.
    public var isNumeric: Bool { rank == .numeric }
    /// Whether this is the indefinite time.
    public var isIndefinite: Bool { rank == .indefinite }
    /// Whether this is later than every number.
    public var isPositiveInfinity: Bool { rank == .positiveInfinity }
    /// Whether this is earlier than every number.
    public var isNegativeInfinity: Bool { rank == .negativeInfinity }
    /// Whether this number was rounded at any step of its computation.
    public var hasBeenRounded: Bool { isNumeric && flags.contains(.hasBeenRounded) }

    static let one = Time(1, 1)

    /// The same number, marked as rounded or not.
    func flagged(rounded: Bool) -> Time {
        guard isNumeric else { return self }
        return Time(
            value: value, timescale: timescale, epoch: epoch,
            flags: rounded ? [.valid, .hasBeenRounded] : .valid)
    }
}

extension Time: Hashable, Comparable {
    /// The kinds of time in comparison order.
    enum Rank: Int {
        case negativeInfinity
        case numeric
        case indefinite
        case positiveInfinity
        case invalid
    }

    var rank: Rank {
        if !flags.contains(.valid) { return .invalid }
        if flags.isDisjoint(with: .special) { return .numeric }
        if flags.contains(.indefinite) { return .indefinite }
        return flags.contains(.positiveInfinity) ? .positiveInfinity : .negativeInfinity
    }

    /// Whether two times are the same moment, in any timescale. Two invalid times are equal.
    public static func == (left: Time, right: Time) -> Bool {
        guard left.rank == .numeric, right.rank == .numeric else { return left.rank == right.rank }
        return left.epoch == right.epoch && left.crossed(right) == right.crossed(left)
    }

    /// −infinity, numbers (by epoch, then by moment), indefinite, +infinity, invalid.
    public static func < (left: Time, right: Time) -> Bool {
        guard left.rank == .numeric, right.rank == .numeric else {
            return left.rank.rawValue < right.rank.rawValue
        }
        if left.epoch != right.epoch { return left.epoch < right.epoch }
        return left.crossed(right) < right.crossed(left)
    }

    /// Hashes the moment, so that equal times have equal hashes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(rank)
        guard isNumeric else { return }
        let lowest = reduced
        hasher.combine(lowest.value)
        hasher.combine(lowest.timescale)
        hasher.combine(epoch)
    }

    private func crossed(_ other: Time) -> Int128 {
        Int128(value) * Int128(other.timescale)
    }
}
