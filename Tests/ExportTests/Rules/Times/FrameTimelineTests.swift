// Which frames an output shows, when and for how long: first by examples, then as laws over generated frames, against a
// definition that is written another way.
import MediaTime
import Testing

@testable import Export
@testable import Source

struct FrameTimelineTests {
    /// A frame of a track, in asset time.
    struct Given: Equatable {
        var time: Time
        var duration: Time
    }
    struct Placed: Equatable {
        var frame: Int
        var pts: Int64
        var duration: Int64
    }

    /// 25 frames a second from 0.
    private let second = (0..<25).map { Given(time: Time($0, 25), duration: Time(1, 25)) }
    private let ticks = Timebase(perSecond: 12_800)

    private func run(
        _ frames: [Given], _ start: Time, _ end: Time?, _ timebase: Timebase?, _ cadence: FrameCadence = .all
    ) throws -> (placed: [Placed], timeline: FrameTimeline<Int>) {
        var timeline = FrameTimeline<Int>(
            Segment(start: start, end: end), timebase: try #require(timebase), cadence: cadence)
        var placed: [FrameTimeline<Int>.Placed] = []
        for (index, frame) in frames.enumerated() where !timeline.isDone {
            if let done = timeline.offer(index, at: frame.time, duration: frame.duration) {
                placed.append(done)
            }
        }
        if let done = timeline.finish() { placed.append(done) }
        #expect(timeline.finish() == nil, "the last frame comes once")
        return (placed.map { Placed(frame: $0.payload, pts: $0.pts, duration: $0.duration) }, timeline)
    }

    /// Ticks from the beginning of the first frame to the end of the last, where none is between them.
    private func length(_ placed: [Placed]) -> Int64 {
        placed.reduce(0) { sum, frame in sum + frame.duration }
    }

    // MARK: Examples

    @Test func theFrameOnScreenAtTheStartIsFirstWithTheTimeItHasLeft() throws {
        // Frame 2 is shown from 0.08 to 0.12.
        let (placed, timeline) = try run(second, Time(1, 10), Time(1, 5), ticks)
        #expect(timeline.cutsFirstFrame)
        #expect(
            placed == [
                Placed(frame: 2, pts: 0, duration: 256), Placed(frame: 3, pts: 256, duration: 512),
                Placed(frame: 4, pts: 768, duration: 512),
            ])
    }

    @Test func theOutPointIsExclusive() throws {
        let (placed, timeline) = try run(second, Time(2, 25), Time(4, 25), ticks)
        #expect(placed.map(\.frame) == [2, 3])
        #expect(!timeline.cutsFirstFrame)
        #expect(timeline.isDone)
        // A moment later, and frame 4 is on screen for that moment.
        let (more, _) = try run(second, Time(2, 25), Time(4, 25) + Time(1, 12_800), ticks)
        #expect(more.map(\.frame) == [2, 3, 4])
        #expect(more.last?.duration == 1)
    }

    @Test func aRangeInsideOneFrameIsThatFrame() throws {
        let (placed, _) = try run(second, Time(101, 1000), Time(102, 1000), Timebase(perSecond: 1000))
        #expect(placed == [Placed(frame: 2, pts: 0, duration: 1)])
    }

    @Test func aTrackThatBeginsLateKeepsItsTime() throws {
        let late = second.map { Given(time: $0.time + Time(1, 2), duration: $0.duration) }
        let (placed, timeline) = try run(late, Time(1, 4), Time(3, 5), ticks)
        #expect(!timeline.cutsFirstFrame)
        #expect(placed.map(\.frame) == [0, 1, 2])
        #expect(placed.map(\.pts) == [3200, 3712, 4224])
        #expect(placed.map(\.duration) == [512, 512, 256])
    }

    @Test func aTrackThatEndsBeforeTheStartShowsNothing() throws {
        #expect(try run(second, Time(1, 1), Time(2, 1), ticks).placed.isEmpty)
        #expect(try run(second, Time(3, 2), nil, ticks).placed.isEmpty)
        #expect(try run([], .zero, nil, ticks).placed.isEmpty)
    }

    @Test func aTrackThatBeginsAtTheEndShowsNothing() throws {
        let (placed, timeline) = try run(second, Time(-1, 1), .zero, ticks)
        #expect(placed.isEmpty)
        #expect(timeline.isDone)
    }

    @Test(arguments: [nil, Time(5, 1)]) func anEndBeyondTheTrackIsTheTracksOwn(_ end: Time?) throws {
        let (placed, timeline) = try run(second, Time(23, 25), end, ticks)
        #expect(placed.map(\.frame) == [23, 24])
        #expect(placed.last?.duration == 512)
        #expect(!timeline.isDone)
    }

    @Test func framesOfOneTimeAreShownOnce() throws {
        var frames = second
        frames[5].time = frames[4].time
        frames[9].time = frames[2].time
        let (placed, timeline) = try run(frames, .zero, nil, ticks)
        #expect(timeline.outOfOrder == 2)
        #expect(!placed.map(\.frame).contains(5))
        #expect(!placed.map(\.frame).contains(9))
        #expect(placed.map(\.duration).reduce(0, +) == 12_800)
    }

    @Test func everyNthFrameIsCountedFromTheFirstShown() throws {
        let (placed, _) = try run(second, Time(3, 25), Time(8, 25), ticks, .every(2))
        #expect(placed.map(\.frame) == [3, 5, 7])
        #expect(
            placed.map(\.duration) == [1024, 1024, 512], "a kept frame stays for those left out after it")
        let (all, _) = try run(second, Time(3, 25), Time(8, 25), ticks, .every(1))
        #expect(all.map(\.frame) == [3, 4, 5, 6, 7])
    }

    @Test func framesTooNearToTheLastKeptOneAreLeftOut() throws {
        let starts: [Int64] = [0, 20, 33, 34, 66, 67, 99, 133]
        let frames = starts.map { Given(time: Time($0, 1000), duration: Time(1, 30)) }
        let gap = FrameCadence.apart(Time(1, 30))
        let (placed, _) = try run(frames, .zero, Time(1, 5), Timebase(perSecond: 1000), gap)
        // 33 ms is less than a thirtieth, 34 is not; 67 is 33 after 34.
        #expect(placed.map(\.pts) == [0, 34, 99, 133])
        // A frame that was cut at its beginning still counts from where it begins.
        let (cut, _) = try run(frames, Time(10, 1000), Time(1, 5), Timebase(perSecond: 1000), gap)
        #expect(cut.map(\.pts) == [0, 24, 89, 123])
    }

    @Test func evenWhereTheTicksAreTooCoarseNoTwoFramesHaveOneTime() throws {
        // A nanosecond before a frame of 29.97, in ticks that cannot hold nanoseconds.
        let frames = (0..<90).map { Given(time: Time($0 * 1001, 30_000), duration: Time(1001, 30_000)) }
        let start = Time(1_000_999_999, 1_000_000_000)
        let source = try #require(Timebase(perSecond: 30_000))
        let (placed, _) = try run(
            frames, start, Time(2, 1),
            Timescale.video(source: source, Segments(start: start, end: Time(2, 1))))
        #expect(placed.first?.pts == 0)
        #expect(
            zip(placed, placed.dropFirst()).allSatisfy { $0.pts < $1.pts && $0.pts + $0.duration == $1.pts })
    }

    // MARK: Laws

    /// Frames and a range, in ticks that a muxer could use.
    private struct Case {
        var frames: [Given], start: Time, end: Time?, source: Timebase
    }

    private func cases(_ count: Int, seed: UInt64) throws -> [Case] {
        var random = Seeded(seed)
        let bases: [(Int32, Int32)] = [
            (1, 1000), (1, 90_000), (1, 15_360), (1, 600), (1001, 30_000), (1, 24),
        ]
        return try (0..<count).map { _ in
            let (numerator, denominator) = try #require(bases.randomElement(using: &random))
            let source = try #require(Timebase(numerator: numerator, denominator: denominator))
            let isSteady = Bool.random(using: &random)
            let step = Int64.random(in: 1...40, using: &random)
            var ticks = Int64.random(in: -20...200, using: &random)
            let frames = (0..<Int.random(in: 1...40, using: &random)).map { _ in
                let length = isSteady ? step : Int64.random(in: 1...60, using: &random)
                defer { ticks += length }
                return Given(time: source.time(ofTicks: ticks), duration: source.time(ofTicks: length))
            }
            let scale = Int32([1000, 90_000, 44_100, 30_000, 25, 7].randomElement(using: &random) ?? 1)
            let last = try #require(frames.last)
            let span = max(1, Int64(((last.time + last.duration).seconds + 0.1) * Double(scale)))
            let start = Time(Int64.random(in: 0...span, using: &random), scale)
            let end = start + Time(Int64.random(in: 1...span, using: &random), scale)
            return Case(
                frames: frames, start: start, end: Int.random(in: 0..<5, using: &random) == 0 ? nil : end,
                source: source)
        }
    }

    /// The frames on screen at some moment of the range, and the time at which the last of them goes.
    private func onScreen(_ one: Case) -> (indices: [Int], stop: Time) {
        var indices: [Int] = []
        var stop = Time.zero
        for (index, frame) in one.frames.enumerated() {
            let goes = index + 1 < one.frames.count ? one.frames[index + 1].time : frame.time + frame.duration
            let (from, to) = (max(frame.time, one.start), min(goes, one.end ?? goes))
            if from < to {
                indices.append(index)
                stop = to
            }
        }
        return (indices, stop)
    }

    @Test func allFramesOnScreenAndNoOthersTileTheRange() throws {
        var shown = 0
        for one in try cases(1200, seed: 1) {
            let timebase = Timescale.video(source: one.source, Segments(start: one.start, end: one.end))
            let (placed, _) = try run(one.frames, one.start, one.end, timebase)
            let (indices, stop) = onScreen(one)
            guard placed.map(\.frame) == indices else {
                Issue.record("\(one): \(placed.map(\.frame)), not \(indices)")
                continue
            }
            for frame in placed {
                let time = max(.zero, one.frames[frame.frame].time - one.start)
                #expect(timebase.time(ofTicks: frame.pts) == time, "\(one)")
                #expect(frame.duration > 0)
            }
            for (one, next) in zip(placed, placed.dropFirst()) { #expect(one.pts + one.duration == next.pts) }
            guard let last = placed.last else { continue }
            #expect(timebase.time(ofTicks: last.pts + last.duration) == stop - one.start, "\(one)")
            shown += placed.count
        }
        #expect(shown > 5000, "the cases are not what they should be")
    }

    @Test(arguments: [2, 3, 4]) func leavingFramesOutMovesNoneAndLeavesNoGap(_ n: Int) throws {
        for one in try cases(200, seed: UInt64(n)) {
            let timebase = Timescale.video(source: one.source, Segments(start: one.start, end: one.end))
            let (all, _) = try run(one.frames, one.start, one.end, timebase)
            let (placed, _) = try run(one.frames, one.start, one.end, timebase, .every(n))
            let kept = all.enumerated().filter { $0.offset % n == 0 }.map(\.element)
            #expect(placed.map(\.frame) == kept.map(\.frame))
            #expect(placed.map(\.pts) == kept.map(\.pts))
            #expect(length(placed) == length(all))
            for (one, next) in zip(placed, placed.dropFirst()) { #expect(one.pts + one.duration == next.pts) }
        }
    }

    @Test func framesKeptApartAreApartAndTheOthersAreNot() throws {
        for one in try cases(200, seed: 9) {
            let gap = one.source.time(ofTicks: 25)
            let timebase = Timescale.video(source: one.source, Segments(start: one.start, end: one.end))
            let (all, _) = try run(one.frames, one.start, one.end, timebase)
            let (placed, _) = try run(one.frames, one.start, one.end, timebase, .apart(gap))
            let kept = Set(placed.map(\.frame))
            var last: Time?
            for frame in all {
                let time = one.frames[frame.frame].time
                let isFar = last.map { time - $0 >= gap } ?? true
                #expect(kept.contains(frame.frame) == isFar, "\(one)")
                if isFar { last = time }
            }
            #expect(length(placed) == length(all))
        }
    }
}
