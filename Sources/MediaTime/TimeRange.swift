// TimeRange: a half-open time range, [start, end), with the rules of CMTimeRange. It does not know the asset: the caller checks a
// range against a duration.

/// A half-open time range: it includes its start but not its end.
///
/// Stores start, end and duration, so that the two given values stay exact even where the third had to be rounded.
public struct TimeRange: Hashable, Sendable {
    /// The first moment of the range.
    public let start: Time
    /// The first moment after the range.
    public let end: Time
    /// The duration of the range.
    public let duration: Time

    /// The range that starts at `start` and lasts `duration`.
    public init(start: Time, duration: Time) {
        self.start = start
        self.duration = duration
        // −∞ + ∞ is undefined, but the range of everything has a definite end.
        end = start.isNegativeInfinity && duration.isPositiveInfinity ? .positiveInfinity : start + duration
    }

    /// The range from `start` up to `end`; invalid if the end comes before the start.
    public init(start: Time, end: Time) {
        self.start = start
        self.end = end
        duration = end - start
    }

    /// Everything from 0.
    public static let all = TimeRange(start: .zero, duration: .positiveInfinity)
    /// No range.
    public static let invalid = TimeRange(start: .invalid, duration: .invalid)
    /// The empty range at 0.
    public static let zero = TimeRange(start: .zero, duration: .zero)

    private static let indefinite = TimeRange(start: .indefinite, duration: .indefinite)

    /// Whether start and duration are valid, the duration is not negative, and both have the same epoch.
    public var isValid: Bool {
        start.isValid && duration.isValid && end.isValid && duration.epoch == 0 && duration >= .zero
    }

    /// Whether the range is valid and contains no moment.
    public var isEmpty: Bool { isValid && duration == .zero }

    /// Whether the range is valid and its start or its duration is unknown.
    public var isIndefinite: Bool { isValid && (start.isIndefinite || duration.isIndefinite) }

    private var isDefinite: Bool { isValid && !isIndefinite }

    /// Whether the range contains a moment; false for its end and for non-numeric times.
    public func contains(_ time: Time) -> Bool {
        guard isDefinite, time.isNumeric, !start.isNumeric || start.epoch == time.epoch else { return false }
        return start <= time && time < end
    }

    /// Whether the range contains the other range.
    public func contains(_ other: TimeRange) -> Bool {
        guard isDefinite, other.isDefinite, sharesEpoch(with: other) else { return false }
        return start <= other.start && other.end <= end
    }

    /// The moments in both ranges; an empty range where there are none, `zero` where they do not even touch.
    ///
    /// Invalid if one range is invalid, indefinite if one is indefinite.
    public func intersection(_ other: TimeRange) -> TimeRange {
        combined(with: other) { first, second in
            guard first.sharesEpoch(with: second) else { return .zero }
            let (start, end) = (max(first.start, second.start), min(first.end, second.end))
            return end < start ? .zero : TimeRange(start: start, end: end)
        }
    }

    /// The smallest range that covers both, and any gap between them; invalid across two epochs.
    ///
    /// Invalid if one range is invalid, indefinite if one is indefinite.
    public func union(_ other: TimeRange) -> TimeRange {
        combined(with: other) { first, second in
            guard first.sharesEpoch(with: second) else { return .invalid }
            return TimeRange(start: min(first.start, second.start), end: max(first.end, second.end))
        }
    }

    /// The time if it is in the range, otherwise the nearer of start and end (CMTimeClampToRange).
    public func clamp(_ time: Time) -> Time {
        guard isDefinite, time.isValid else { return .invalid }
        if time.isIndefinite { return time }
        return min(max(time, start), end)
    }

    /// The time moved into the range by multiples of the duration, as the position in a loop (CMTimeFoldIntoRange).
    ///
    /// Invalid for an empty range, for non-numeric times, and before the start of an endless range.
    public func fold(_ time: Time) -> Time {
        if contains(time) { return time }
        let distance = time - start
        guard isDefinite, !isEmpty, distance.isNumeric, duration.isNumeric, distance.epoch == 0 else {
            return .invalid
        }
        let length = Int128(duration.value) * Int128(distance.timescale)
        let rest = (Int128(distance.value) * Int128(duration.timescale)) % length
        let folded = Time.nearest(
            rest < 0 ? rest + length : rest, over: Int128(distance.timescale) * Int128(duration.timescale),
            epoch: 0, rounded: distance.hasBeenRounded || duration.hasBeenRounded)
        return start + folded
    }

    /// Maps `time` linearly from `source` to `target`, also outside the ranges.
    ///
    /// Invalid for an empty source, and between ranges that do not end, unless only their starts differ.
    public static func mapTime(_ time: Time, from source: TimeRange, to target: TimeRange) -> Time {
        guard source.isValid, target.isValid else { return .invalid }
        return target.start + mapDuration(time - source.start, from: source, to: target)
    }

    /// Maps a duration of `source` to `target`: scales it by the ratio of their durations.
    public static func mapDuration(_ length: Time, from source: TimeRange, to target: TimeRange) -> Time {
        guard source.isDefinite, target.isDefinite, !source.isEmpty else { return .invalid }
        if source.duration == target.duration { return length }
        let (from, to) = (source.duration, target.duration)
        guard from.isNumeric, to.isNumeric else { return .invalid }
        var (factor, divisor) = lowestTerms(
            Int128(to.value) * Int128(from.timescale), Int128(from.value) * Int128(to.timescale))
        var rounded = from.hasBeenRounded || to.hasBeenRounded
        // Only ranges of centuries in nanoseconds reach this; their ratio loses its last bits, and the result is flagged as
        // rounded.
        while max(factor, divisor) > Int128(Int64.max) {
            (factor, divisor) = (factor >> 1, divisor >> 1)
            rounded = true
        }
        let mapped = length.multiplied(by: Int64(clamping: factor), over: Int64(clamping: divisor))
        return mapped.flagged(rounded: rounded || mapped.hasBeenRounded)
    }

    private func sharesEpoch(with other: TimeRange) -> Bool {
        !start.isNumeric || !other.start.isNumeric || start.epoch == other.start.epoch
    }

    private func combined(
        with other: TimeRange, _ body: (TimeRange, TimeRange) -> TimeRange
    ) -> TimeRange {
        guard isValid, other.isValid else { return .invalid }
        return isIndefinite || other.isIndefinite ? .indefinite : body(self, other)
    }
}

extension TimeRange: Codable, CustomStringConvertible {
    private enum CodingKeys: String, CodingKey {
        case start
        case end
        case duration
    }

    /// `[10, 20.5)`.
    public var description: String { "[\(start), \(end))" }

    /// Decodes `start` with `end` or `duration`; both only where they agree.
    public init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: CodingKeys.self)
        let start = try object.decode(Time.self, forKey: .start)
        let end = try object.decodeIfPresent(Time.self, forKey: .end)
        guard let duration = try object.decodeIfPresent(Time.self, forKey: .duration) else {
            self.init(start: start, end: try end ?? object.decode(Time.self, forKey: .end))
            return
        }
        let byDuration = TimeRange(start: start, duration: duration)
        let byEnd = TimeRange(start: start, end: end ?? byDuration.end)
        if end == nil || byDuration.end == byEnd.end {
            self = byDuration
        } else if byEnd.duration == duration {
            self = byEnd
        } else {
            throw DecodingError.dataCorruptedError(
                forKey: .duration, in: object,
                debugDescription:
                    "duration \(duration) is not end \(byEnd.end) less start \(start); give one of both")
        }
    }

    /// Encodes `start`, `end` and `duration`.
    public func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: CodingKeys.self)
        try object.encode(start, forKey: .start)
        try object.encode(end, forKey: .end)
        try object.encode(duration, forKey: .duration)
    }
}
