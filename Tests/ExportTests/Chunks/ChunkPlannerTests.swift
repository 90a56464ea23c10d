// The division into chunks, over generated frames: together the chunks show exactly what the whole does, each begins where little is
// decoded twice, and none is too short. The sums are made here from the chunks' own parts.
import Libav
import Media
import MediaTime
import Testing

@testable import Export
@testable import Render
@testable import Source

struct ChunkPlannerTests {
    /// A generated output.
    private struct Scene {
        /// Of the source: long enough for chunks of some seconds, and short, since each frame is placed once for every chunk.
        static let length = Time(20, 1)
        var plan: VideoPlan
        var segments: Segments
        var frames: [[SourceFrame]]
        var seconds: Double
        var words: String
    }

    private func scene(_ seed: UInt64) throws -> Scene {
        var random = Seeded(seed)
        let ticks = try #require(
            Timebase(perSecond: [1000, 12_800, 90_000].randomElement(using: &random) ?? 1000))
        let (rate, varies) = (Int64.random(in: 10...60, using: &random), Bool.random(using: &random))
        var track = Track(index: 0, kind: .video, codec: "h264", timebase: ticks)
        track.video = VideoFormat(width: 1280, height: 720, sampleAspect: Ratio(1))
        let isInterlaced = Int.random(in: 0..<4, using: &random) == 0
        if isInterlaced { track.video?.fieldOrder = .topFieldFirst }
        // Frames with a sync sample every so often.
        let group = Int.random(in: 1...40, using: &random)
        var frames: [SourceFrame] = []
        var tick: Int64 = 0
        let step = Int64(ticks.denominator) / rate
        while tick < Int64(ticks.denominator) * Scene.length.value {
            let length = varies ? Int64.random(in: max(1, step / 3)...(step * 3), using: &random) : step
            frames.append(
                SourceFrame(
                    time: ticks.time(ofTicks: tick), duration: ticks.time(ofTicks: length),
                    isSync: frames.count % group == 0))
            tick += length
        }
        // One part, or several in any order.
        var ranges: [(start: Time, end: Time?)] = []
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let start = Int64.random(in: 0...14_000, using: &random)
            ranges.append(
                (Time(start, 1000), Time(start + Int64.random(in: 2000...6000, using: &random), 1000)))
        }
        if Bool.random(using: &random) { ranges = [(.zero, nil)] }
        let speed =
            [Ratio(1), Ratio(1), Ratio(2), try #require(Ratio(3, 4))].randomElement(using: &random)
            ?? Ratio(1)
        let cadences: [FrameCadence] = [
            .all, .all, .every(2), .every(3), .apart(Time(1, 30)),
            .steady(.intervals(try #require(Ratio(30, 31)))),
        ]
        var plan = VideoPlan(
            track: track, width: 1280, height: 720, rotation: 0, isMirrored: false,
            timebase: try #require(
                Timebase(perSecond: [12_800, 90_000, 600].randomElement(using: &random) ?? 600)),
            cadence: cadences.randomElement(using: &random) ?? .all, frameRate: Ratio(rate),
            isConstant: !varies,
            countsFrames: false, settings: try #require(try preset("m4v720").video))
        plan.deinterlace = [.auto, .off, .field].randomElement(using: &random) ?? .auto
        if Int.random(in: 0..<4, using: &random) == 0 {
            plan.gridPeriod = Int64(plan.timebase.denominator) / 20
        }
        let segments = Segments(ranges).played(at: speed)
        let seconds = Double.random(in: 0.5...2.5, using: &random)
        return Scene(
            plan: plan, segments: segments, frames: segments.all.map { _ in frames }, seconds: seconds,
            words:
                "seed \(seed): \(plan.cadence), group \(group), \(ranges.count) parts, \(plan.deinterlace), grid \(plan.gridPeriod ?? 0)"
        )
    }

    /// The frames that an output shows.
    private func placed(_ scene: Scene, _ segments: Segments, counted: Int = 0, gridEnd: Int64?)
        -> [PlacedSource]
    {
        let placement = FramePlacement(
            timebase: scene.plan.timebase, cadence: scene.plan.cadence, gridPeriod: scene.plan.gridPeriod)
        return placement.place(
            segments.all.map { part in
                // The generated parts all have the same frames.
                (0, part)
            }, frames: scene.frames, counted: counted, gridEnd: gridEnd)
    }

    @Test func chunksTogetherShowWhatTheWholeDoes() throws {
        var divided = 0
        for seed in 0..<400 as Range<UInt64> {
            let scene = try scene(seed)
            let planner = ChunkPlanner(
                plan: scene.plan, segments: scene.segments, frames: scene.frames, seconds: scene.seconds)
            guard let chunks = planner.chunks() else { continue }
            divided += 1
            let end = scene.segments.length.map {
                scene.plan.timebase.ticks(of: $0, rounding: .halfAwayFromZero).ticks
            }
            let whole = placed(scene, scene.segments, gridEnd: end)
            var all: [PlacedSource] = []
            for chunk in chunks {
                let own = placed(scene, chunk.segments, counted: chunk.counted, gridEnd: chunk.gridEnd)
                let shown = own.filter { chunk.shown.contains($0.pts) }
                if let frames = chunk.frames { #expect(shown.count == frames, "\(scene.words)") }
                #expect(shown.first?.pts == chunk.shown.lowerBound, "\(scene.words)")
                // At most one frame of context at each side.
                #expect(own.count - shown.count <= 2, "\(scene.words)")
                all += shown
            }
            #expect(all == whole, "\(scene.words)")
            #expect(zip(chunks, chunks.dropFirst()).allSatisfy { $0.shown.upperBound <= $1.shown.lowerBound })
            littleIsDecodedTwice(chunks, of: scene)
        }
        #expect(divided > 150, "\(divided)")
    }

    /// One frame for each chunk, or a twentieth of all.
    private func littleIsDecodedTwice(_ chunks: [Chunk], of scene: Scene) {
        let frames = scene.frames[0]
        var (twice, shown) = (0, 0)
        for chunk in chunks.dropFirst() {
            guard let start = chunk.segments.all.first?.start,
                !scene.segments.all.contains(where: { $0.start == start }),
                let first = frames.lastIndex(where: { $0.time <= start }),
                let sync = frames[...first].lastIndex(where: \.isSync)
            else { continue }
            twice += first - sync
            let end = chunk.segments.all.first?.end ?? Scene.length
            shown += frames[first...].prefix { $0.time < end }.count { $0.time >= start }
        }
        #expect(Double(twice) <= max(Double(chunks.count), 0.06 * Double(shown)), "\(scene.words)")
    }

    @Test func lengthsFollowTheOutputAlone() {
        #expect(ChunkPlanner.seconds(of: 8) == 2)
        #expect(ChunkPlanner.seconds(of: 60) == 5)
        #expect(ChunkPlanner.seconds(of: 7200) == 10)
        #expect(ChunkPlanner.seconds(of: 36_000) == 50)
        #expect(ChunkPlanner.seconds(before: 25, of: 60, usual: 5) == 5)
        #expect(ChunkPlanner.seconds(before: 15, of: 60, usual: 5) == 3)
        #expect(ChunkPlanner.seconds(before: 4, of: 60, usual: 5) == 2)
        #expect(ChunkPlanner.seconds(before: 60, of: 600, usual: 10) == 6)
    }

    /// The last chunks are short enough that no processor waits long for another, and none is too short.
    @Test(arguments: [(2, 60, 0.975), (4, 60, 0.93), (2, 600, 0.99), (16, 600, 0.93)])
    func processorsEndTogether(_ count: Int, _ seconds: Int64, _ least: Double) throws {
        var scene = try scene(1)
        scene.segments = Segments([(.zero, nil)])
        scene.frames = [
            (0..<(25 * seconds)).map {
                SourceFrame(time: Time($0, 25), duration: Time(1, 25), isSync: $0 % 25 == 0)
            }
        ]
        (scene.plan.cadence, scene.plan.gridPeriod, scene.plan.deinterlace) = (.all, nil, .off)
        let planner = ChunkPlanner(plan: scene.plan, segments: scene.segments, frames: scene.frames)
        let ticks = Double(scene.plan.timebase.denominator)
        let lengths = try #require(planner.chunks()).map {
            Double($0.shown.upperBound - $0.shown.lowerBound) / ticks
        }
        #expect(lengths.allSatisfy { $0 > 1.9 } && lengths.count < max(20, Int(seconds) / 7), "\(lengths)")
        #expect(abs(lengths.reduce(0, +) - Double(seconds)) < 0.1 && (lengths.last ?? 9) <= 3)
        // Chunks that cost more and less than others, each taken by the processor that is free first.
        var random = Seeded(7)
        var share = 0.0
        let rounds = 400
        for _ in 0..<rounds {
            var ends = Array(repeating: 0.0, count: count)
            for length in lengths {
                ends.sort()
                ends[0] += length * Double.random(in: 0.6...1.4, using: &random)
            }
            share += ends.reduce(0, +) / (Double(count) * (ends.max() ?? 1))
        }
        #expect(share / Double(rounds) > least, "\(share / Double(rounds))")
    }

    @Test func rareSyncSamplesAllowNoChunks() throws {
        var scene = try scene(1)
        scene.segments = Segments(start: .zero, end: nil)
        scene.frames = [
            (0..<1500).map {
                SourceFrame(time: Time($0, 25), duration: Time(1, 25), isSync: $0 == 0)
            }
        ]
        scene.plan.cadence = .all
        #expect(
            ChunkPlanner(plan: scene.plan, segments: scene.segments, frames: scene.frames, seconds: 5)
                .chunks() == nil)
    }

    @Test func reorderingIsMeasuredAsDecodingTimesNeedIt() throws {
        for seed in 0..<200 as Range<UInt64> {
            var random = Seeded(seed)
            // Groups that are shuffled, as B-frames are.
            var order: [Int64] = []
            while order.count < 200 {
                let group = (0..<Int.random(in: 1...6, using: &random)).map { Int64(order.count + $0) }
                order += group.shuffled(using: &random)
            }
            var measure = ReorderMeasure()
            for pts in order { measure.add(pts) }
            #expect(measure.depth == DecodingTimes.delay(of: order))
        }
    }
}
