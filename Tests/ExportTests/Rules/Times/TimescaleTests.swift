// Ticks in which nothing is rounded, wherever 31 bits can hold them.
import MediaTime
import Testing

@testable import Export
@testable import Source

struct TimescaleTests {
    @Test func everySourceTimeAndBothCutPointsAreWholeTicks() throws {
        var random = Seeded(21)
        let bases: [(Int32, Int32)] = [
            (1, 1000), (1, 90_000), (1, 15_360), (1, 600), (1001, 30_000), (1, 24), (1001, 24_000),
        ]
        let scales: [Int32] = [1, 10, 25, 1000, 44_100, 48_000, 90_000, 30_000]
        for _ in 0..<2000 {
            let (numerator, denominator) = try #require(bases.randomElement(using: &random))
            let source = try #require(Timebase(numerator: numerator, denominator: denominator))
            func point() -> Time {
                Time(
                    Int64.random(in: 0...10_000_000, using: &random),
                    scales.randomElement(using: &random) ?? 1)
            }
            let (start, end) = (point(), point())
            let ticks = Timescale.video(source: source, Segments(start: start, end: end))
            #expect(ticks.numerator == 1)
            #expect(ticks.denominator >= 10_000)
            let frame = source.time(ofTicks: Int64.random(in: 0...1_000_000, using: &random))
            #expect(ticks.ticks(of: frame - start).exact, "\(source) \(start)")
            #expect(ticks.ticks(of: end - start).exact, "\(source) \(start) \(end)")
        }
    }

    @Test func whereThatDoesNotFitTheOutPointIsLetGoFirst() throws {
        let source = try #require(Timebase(perSecond: 90_000))
        let prime = Time(1, Time.maximumTimescale)
        let (start, frame) = (Time(1, 7), source.time(ofTicks: 12_345))
        let first = Timescale.video(source: source, Segments(start: start, end: prime))
        #expect(first.ticks(of: frame - start).exact)
        let second = Timescale.video(source: source, Segments(start: prime, end: Time(1, 7)))
        #expect(second.denominator % 90_000 == 0)
        #expect(second.ticks(of: frame).exact)
    }

    @Test func theMoviesTicksHoldThoseOfEveryTrack() {
        #expect(Timescale.movie(tracks: [12_800, 44_100]) == 5_644_800)
        #expect(Timescale.movie(tracks: [90_000, 48_000]) == 720_000)
        #expect(Timescale.movie(tracks: [44_100]) == 44_100)
        #expect(Timescale.movie(tracks: []) == 90_000)
        // Values that do not fit leave the first ones whole.
        let scale = Int64(Timescale.movie(tracks: [2_147_483_647, 48_000]))
        #expect(scale == 2_147_483_647)
        #expect(Timescale.movie(tracks: [30_000, 2_147_483_647, 48_000]) == 240_000)
    }

    @Test func commonMultiplesAreLeastOrNone() {
        #expect(Timescale.common(12, 18) == 36)
        #expect(Timescale.common(1, 1) == 1)
        #expect(Timescale.common(65_536, 65_537) == nil)
        #expect(Timescale.common(.max, .max - 1) == nil)
        #expect(Timescale.common(0, 5) == nil)
        #expect(Timescale.common(-4, 5) == nil)
        #expect(Timescale.common(2_147_483_647, 1) == 2_147_483_647)
    }
}
