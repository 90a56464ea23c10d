// Which frames of a constant rate a preset's cap keeps, and the rate that results. Pure; the plan, the checker and the estimates use
// it. A variable rate is capped by the distance of its frames instead.
public import MediaTime

/// The effect of a frame-rate cap on a constant rate.
public enum FrameRateCap: Hashable, Codable, Sendable {
    /// Every frame is kept.
    case all
    /// The first frame is kept, and every nth after it.
    case every(Int)
    /// The first frame of each interval of 1/cap is kept, counted from the first frame. The value is the cap divided by the rate: the
    /// intervals that begin per frame, less than 1.
    case intervals(Ratio)

    /// A rate measured from rounded times, or by a phone's clock, may be this much above the cap that it truly has: just less than 30 is
    /// above 29.97.
    private static let rounding = 1.000_99
    /// Up to this many times the cap, single frames are left out: every second one would cost almost half of the rate.
    private static let little = 1.1

    /// The effect of a cap on a rate, both in frames per second; nil: there is no cap.
    public init(_ cap: Ratio?, on rate: Ratio) {
        guard let cap, cap > Ratio(0), rate.value > cap.value * FrameRateCap.rounding else {
            self = .all
            return
        }
        if rate.value <= cap.value * FrameRateCap.little * FrameRateCap.rounding,
            let share = cap.divided(by: rate)
        {
            self = .intervals(share)
            return
        }
        var n = 2
        while n < 10_000, rate.value / Double(n) > cap.value * FrameRateCap.rounding { n += 1 }
        self = .every(n)
    }

    /// Up to this much earlier than a cap allows, a frame of a variable rate counts as in time: of a camera that aims at 30 frames a
    /// second, a third would be lost otherwise.
    private static let early = Time(2, 1000)

    /// The shortest distance of two frames of a variable rate under a cap; nil: there is no such time.
    public static func gap(_ cap: Ratio) -> Time? {
        guard let gap = cap.reciprocal else { return nil }
        let period = Time(gap.numerator, Int32(clamping: gap.denominator))
        return period - min(early, period.multiplied(by: 1, over: 8))
    }

    /// Whether to keep a frame, by its number from 0.
    public func keeps(_ number: Int) -> Bool {
        switch self {
        case .all: return true
        case .every(let n): return number % n == 0
        case .intervals(let share):
            func interval(_ frame: Int) -> Int128 {
                Int128(frame) * Int128(share.numerator) / Int128(share.denominator)
            }
            return number <= 0 || interval(number) > interval(number - 1)
        }
    }

    /// The resulting rate; nil where it does not fit a ratio.
    public func rate(from rate: Ratio) -> Ratio? {
        switch self {
        case .all: rate
        case .every(let n): rate.divided(by: Ratio(Int64(n)))
        case .intervals(let share): rate.multiplied(by: share)
        }
    }
}
