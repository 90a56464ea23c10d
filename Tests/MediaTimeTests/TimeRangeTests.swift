// Ranges: the half-open laws, and the rules of CMTimeRange for union, intersection, clamp, fold and mapping.
import MediaTime
import Testing

@Suite struct TimeRangeTests {
    private func range(_ start: Int64, _ end: Int64, _ scale: Int32 = 1) -> TimeRange {
        TimeRange(start: Time(start, scale), end: Time(end, scale))
    }

    /// All ranges with small whole bounds.
    private var small: [TimeRange] {
        (-3...3).flatMap { start in (start...4).map { range(Int64(start), Int64($0)) } }
    }

    /// Moments on, between and beyond the bounds of the small ranges.
    private let moments = (-9...11).map { Time(Int64($0), 2) }

    @Test func startAndDurationOrStartAndEnd() {
        #expect(range(10, 25) == TimeRange(start: Time(10, 1), duration: Time(15, 1)))
        #expect(range(10, 25).end == Time(25, 1) && range(10, 25).duration == Time(15, 1))
        // Both bounds stay exact even where their difference needs more than 31 bits of timescale.
        let fine = TimeRange(start: Time(1, .max), end: Time(1, .max - 1))
        #expect(fine.start == Time(1, .max) && fine.end == Time(1, .max - 1) && fine.duration.hasBeenRounded)
    }

    @Test func validity() {
        #expect(TimeRange.zero.isValid && TimeRange.zero.isEmpty && !TimeRange.zero.isIndefinite)
        #expect(TimeRange.all.isValid && !TimeRange.all.isEmpty && TimeRange.all.end.isPositiveInfinity)
        #expect(!TimeRange.invalid.isValid && !TimeRange.invalid.isEmpty)
        #expect(!range(2, 1).isValid && range(1, 1).isEmpty)
        #expect(!TimeRange(start: .zero, duration: .invalid).isValid)
        #expect(!TimeRange(start: .invalid, duration: .zero).isValid)
        #expect(!TimeRange(start: .zero, duration: .negativeInfinity).isValid)
        #expect(!TimeRange(start: .zero, duration: Time(value: 1, timescale: 1, epoch: 1)).isValid)
        #expect(TimeRange(start: Time(value: 1, timescale: 1, epoch: 1), duration: Time(1, 1)).isValid)
        let spanning = TimeRange(
            start: Time(value: 1, timescale: 1, epoch: 1), end: Time(value: 2, timescale: 1, epoch: 2))
        #expect(!spanning.isValid)
        #expect(TimeRange(start: .zero, duration: .indefinite).isIndefinite)
        #expect(TimeRange(start: .indefinite, duration: Time(1, 1)).isIndefinite)
        #expect(!TimeRange(start: .invalid, duration: .indefinite).isIndefinite)
        #expect(TimeRange(start: .negativeInfinity, duration: .positiveInfinity).isValid)
    }

    @Test func halfOpen() {
        #expect(range(1, 3).contains(Time(1, 1)) && !range(1, 3).contains(Time(3, 1)))
        for candidate in small {
            for moment in moments {
                #expect(candidate.contains(moment) == (candidate.start <= moment && moment < candidate.end))
            }
            #expect(candidate.isEmpty == !moments.contains(where: candidate.contains))
        }
        for time in Samples.special {
            #expect(!TimeRange.all.contains(time) && !range(1, 3).contains(time))
        }
        #expect(!TimeRange.all.contains(Time(value: 5, timescale: 1, epoch: 1)))
        #expect(TimeRange.all.contains(Time(.max, 1)) && !TimeRange.all.contains(Time(-1, .max)))
        let everything = TimeRange(start: .negativeInfinity, duration: .positiveInfinity)
        #expect(everything.contains(Time(.min, 1)) && !everything.contains(.positiveInfinity))
    }

    @Test func adjacentRangesShareNothing() {
        for (a, b) in Samples.pairs(Samples.ordinary(300, seed: 51).sorted()) where a < b {
            let before = TimeRange(start: .negativeInfinity, end: b)
            let after = TimeRange(start: b, duration: .positiveInfinity)
            #expect(before.contains(a) && !after.contains(a) && after.contains(b) && !before.contains(b))
        }
    }

    @Test func unionAndIntersection() {
        for a in small {
            for b in small {
                let (both, either) = (a.intersection(b), a.union(b))
                #expect(both == b.intersection(a) && either == b.union(a) && both.isValid)
                #expect(either.contains(a) && either.contains(b))
                #expect(either.start == min(a.start, b.start) && either.end == max(a.end, b.end))
                #expect(a.contains(b) == (a.intersection(b) == b && a.union(b) == a))
                for moment in moments {
                    #expect(both.contains(moment) == (a.contains(moment) && b.contains(moment)), "\(a) \(b)")
                }
            }
        }
        #expect(range(1, 2).intersection(range(5, 6)) == .zero)
        #expect(range(1, 2).union(range(5, 6)) == range(1, 6))
        #expect(TimeRange.all.intersection(range(-1, 5)) == range(0, 5))
        #expect(TimeRange.all.union(range(-1, 5)).duration.isPositiveInfinity)
    }

    @Test func specialRanges() {
        let unknown = TimeRange(start: .zero, duration: .indefinite)
        for other in [TimeRange.all, range(1, 2), .zero] {
            #expect(!other.union(.invalid).isValid && !TimeRange.invalid.intersection(other).isValid)
            #expect(other.union(unknown).isIndefinite && unknown.intersection(other).isIndefinite)
            #expect(
                !unknown.contains(other) && !other.contains(unknown) && !other.contains(TimeRange.invalid))
        }
        #expect(!TimeRange.invalid.union(unknown).isValid)
        let later = TimeRange(start: Time(value: 0, timescale: 1, epoch: 1), duration: Time(9, 1))
        #expect(!later.union(range(0, 9)).isValid && later.intersection(range(0, 9)).isEmpty)
        #expect(!TimeRange.all.contains(later))
    }

    @Test func clamp() {
        #expect(range(1, 3).clamp(Time(0, 1)) == Time(1, 1) && range(1, 3).clamp(Time(9, 1)) == Time(3, 1))
        #expect(range(1, 3).clamp(Time(2, 1)) == Time(2, 1) && range(2, 2).clamp(.zero) == Time(2, 1))
        #expect(
            range(1, 3).clamp(.negativeInfinity) == Time(1, 1)
                && range(1, 3).clamp(.positiveInfinity) == Time(3, 1))
        #expect(!range(1, 3).clamp(.invalid).isValid && !TimeRange.invalid.clamp(.zero).isValid)
        #expect(range(1, 3).clamp(.indefinite).isIndefinite)
    }

    @Test func fold() {
        #expect(range(0, 3).fold(Time(5, 1)) == Time(2, 1) && range(0, 3).fold(Time(3, 1)) == .zero)
        #expect(range(1, 3).fold(.zero) == Time(2, 1) && range(1, 3).fold(Time(-11, 2)) == Time(5, 2))
        #expect(!range(1, 1).fold(.zero).isValid && !range(1, 3).fold(.positiveInfinity).isValid)
        #expect(TimeRange.all.fold(Time(7, 1)) == Time(7, 1) && !TimeRange.all.fold(Time(-7, 1)).isValid)
        for candidate in small where !candidate.isEmpty {
            for moment in moments {
                let folded = candidate.fold(moment)
                #expect(candidate.contains(folded))
                let turns = Timebase.seconds.ticks(of: moment - folded)
                #expect(turns.exact && Time(turns.ticks, 1) == moment - folded)
                #expect(turns.ticks % candidate.duration.converted(to: 1).value == 0)
            }
        }
    }

    @Test func mapping() {
        let (source, target) = (range(10, 20), range(100, 105))
        #expect(TimeRange.mapTime(Time(14, 1), from: source, to: target) == Time(102, 1))
        #expect(TimeRange.mapTime(Time(10, 1), from: source, to: target) == Time(100, 1))
        #expect(TimeRange.mapTime(Time(20, 1), from: source, to: target) == Time(105, 1))
        #expect(TimeRange.mapTime(Time(0, 1), from: source, to: target) == Time(95, 1))
        #expect(TimeRange.mapDuration(Time(3, 1), from: source, to: target) == Time(3, 2))
        #expect(TimeRange.mapDuration(Time(3, 1), from: source, to: range(7, 7)) == .zero)
        #expect(!TimeRange.mapTime(Time(1, 1), from: range(1, 1), to: target).isValid)
        #expect(!TimeRange.mapDuration(Time(1, 1), from: .invalid, to: target).isValid)
        #expect(!TimeRange.mapTime(Time(1, 1), from: .all, to: target).isValid)
        #expect(TimeRange.mapTime(Time(1, 1), from: .all, to: .all) == Time(1, 1))
        #expect(TimeRange.mapTime(.positiveInfinity, from: source, to: target).isPositiveInfinity)
        #expect(!TimeRange.mapTime(.invalid, from: source, to: target).isValid)
        for moment in moments {
            let there = TimeRange.mapTime(moment, from: source, to: range(-7, 6, 11))
            #expect(TimeRange.mapTime(there, from: range(-7, 6, 11), to: source) == moment)
        }
        let wide = TimeRange(start: .zero, duration: Time(.max, 999_999_937))
        let mapped = TimeRange.mapDuration(
            Time(1, 1), from: wide, to: TimeRange(start: .zero, duration: Time(.max - 4, 7)))
        #expect(mapped.hasBeenRounded && abs(mapped.seconds / (999_999_937.0 / 7) - 1) < 1e-9)
    }

    @Test func nothingTraps() {
        let times = Samples.wild(60, seed: 52) + Samples.special
        let ranges = Samples.pairs(times).flatMap {
            [TimeRange(start: $0, end: $1), TimeRange(start: $0, duration: $1)]
        }
        for (a, b) in zip(ranges, ranges.dropFirst(3)) {
            for time in times {
                let results = [
                    a.clamp(time), a.fold(time), TimeRange.mapTime(time, from: a, to: b),
                    TimeRange.mapDuration(time, from: b, to: a), a.union(b).end, a.intersection(b).duration,
                ]
                #expect(results.allSatisfy { $0.isWellFormed })
                if a.contains(time) { #expect(a.fold(time) == time && a.clamp(time) == time) }
            }
        }
    }

    @Test func json() throws {
        let text = try encoded(range(1, 3))
        #expect(
            text
                == #"{"duration":{"seconds":2,"timescale":1,"value":2},"end":"#
                + #"{"seconds":3,"timescale":1,"value":3},"start":{"seconds":1,"timescale":1,"value":1}}"#)
        let fine = TimeRange(start: Time(1, .max), end: Time(1, .max - 1))
        for candidate in small + [.all, .invalid, fine, TimeRange(start: .zero, duration: .indefinite)] {
            #expect(try parsed(TimeRange.self, encoded(candidate)) == candidate)
        }
        let (one, two, three) = (
            #"{"value":1,"timescale":1}"#, #"{"value":2,"timescale":1}"#, #"{"value":3,"timescale":1}"#
        )
        #expect(try parsed(TimeRange.self, "{\"start\":\(one),\"end\":\(three)}") == range(1, 3))
        #expect(try parsed(TimeRange.self, "{\"start\":\(one),\"duration\":\(two)}") == range(1, 3))
        let error = try #require(throws: DecodingError.self) {
            try parsed(TimeRange.self, "{\"start\":\(one),\"end\":\(three),\"duration\":\(three)}")
        }
        #expect("\(error)".contains("duration 3 is not end 3 less start 1"))
        #expect(throws: DecodingError.self) { try parsed(TimeRange.self, "{\"start\":\(one)}") }
        #expect(range(1, 3).description == "[1, 3)")
    }
}
