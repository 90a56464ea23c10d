// How an output meets its size limit with encoders of different behaviour: too large, too small, with a floor or a ceiling.
import Media
import MediaTime
import Testing

@testable import Export
@testable import Render
@testable import Source

struct SizeLimitTests {
    private let scratch: Scratch
    private let film: String

    init() throws {
        scratch = try Scratch()
        film = try Film(
            name: "", type: "mp4",
            words: Film.video(seconds: "1") + Film.noise(48_000, seconds: "1") + Film.h264() + [
                "-c:a", "aac",
            ]
        ).make(in: scratch)
    }

    private func plan(_ id: String) throws -> (ExportPlan, Preset) {
        var request = ExportRequest(
            input: film, output: OutputTarget(folder: "/", name: nil, stem: "o"), preset: try preset(id))
        request.render = .encode
        let source = try scratch.source(film)
        let ready = try Exporter(source, request).prepare(Diagnostics())
        let decision = try RenderDecision.decide(
            ready.asset, request, range: ready.range, fileType: ready.fileType, source: source, delay: 0)
        return (try ready.plan(request, decision), request.preset)
    }

    /// An encoder that makes more or less than it is asked for, less by a fixed rate, never less than a floor, nor more than a ceiling.
    struct Behaviour: CustomTestStringConvertible, Sendable {
        var name: String
        var factor = 1.0, less = 0.0, floor = 0.0, ceiling = Double.infinity, audio = 1.0, beside = 12_000.0
        var testDescription: String { name }
    }

    static let behaviours = [
        Behaviour(name: "as asked"), Behaviour(name: "a third more", factor: 1.33),
        Behaviour(name: "twice as much", factor: 2),
        Behaviour(name: "half as much", factor: 0.5), Behaviour(name: "little audio", audio: 0.1),
        Behaviour(name: "much beside", beside: 100_000), Behaviour(name: "nothing beside", beside: 0),
        Behaviour(name: "a floor", factor: 1.2, floor: 40_000),
        Behaviour(name: "too little at low rates", factor: 1.3, less: 40_000, floor: 5000),
        Behaviour(name: "far too little at low rates", factor: 2, less: 60_000, floor: 5000),
        Behaviour(name: "too much at low rates", factor: 0.7, less: -30_000),
    ]

    private static let length = Time(60, 1)

    /// Runs attempts to the end; the sizes of all of them.
    private func run(_ limit: Int64, _ id: String, _ behaviour: Behaviour, whole: Double) throws -> (
        sizes: [Int64], fits: Bool
    ) {
        var options = ExportOptions()
        options.limitSize = limit
        let (fresh, preset) = try plan(id)
        var control = SizeLimit(options, source: 1 << 40, audio: preset.audio)
        var sizes: [Int64] = []
        for _ in 0..<20 {
            var plan = fresh
            control.apply(to: &plan)
            let seconds = Self.length.seconds
            let rate = plan.video?.averageBitRate.map {
                min(max(Double($0) * behaviour.factor - behaviour.less, behaviour.floor), behaviour.ceiling)
            }
            let video = plan.video == nil ? 0 : rate.map { $0 * seconds / 8 } ?? whole
            let audio = plan.audio.reduce(0.0) { $0 + Double($1.bitRate) * seconds / 8 } * behaviour.audio
            let size = Int64(video + audio + behaviour.beside)
            sizes.append(size)
            let isStopped = plan.limit.map { size > $0 } ?? false
            let made = SizeLimit.Outcome(size: size, video: Int64(video), audio: Int64(audio))
            switch control.decide(plan, isStopped ? nil : made, length: Self.length) {
            case .done: return (sizes, true)
            case .again: continue
            case .impossible: return (sizes, false)
            }
        }
        Issue.record("it does not end: \(sizes)")
        return (sizes, false)
    }

    @Test(arguments: behaviours, [600_000, 2_000_000, 20_000_000] as [Int64])
    func theLimitIsFilledByEveryBehaviour(_ behaviour: Behaviour, _ limit: Int64) throws {
        let (sizes, fits) = try run(limit, "m4v480", behaviour, whole: 50_000_000)
        #expect(fits, "\(sizes)")
        let last = try #require(sizes.last)
        #expect(last <= limit && Double(last) >= 0.85 * Double(limit), "\(sizes)")
        #expect(sizes.count <= 5, "\(sizes)")
    }

    /// With several threads and a decoder's buffer to keep, the same rate gives another size each time; chunks that exceed their
    /// shares are made again, and may exceed them again.
    @Test func anErraticEncoderFitsWhateverItDoes() throws {
        var options = ExportOptions()
        options.limitSize = 2_000_000
        let (fresh, preset) = try plan("m4v480")
        let seconds = Self.length.seconds
        for seed in UInt64(0)..<300 {
            var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
            func random(_ range: ClosedRange<Double>) -> Double {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let part = Double(state >> 40) / Double(1 << 24)
                return range.lowerBound + part * (range.upperBound - range.lowerBound)
            }
            let bias = random(0.7...2)
            var control = SizeLimit(options, source: 1 << 40, audio: preset.audio)
            var sizes: [Int64] = []
            var decision = SizeLimit.Decision.again
            while decision == .again, sizes.count < 40 {
                var plan = fresh
                control.apply(to: &plan)
                func made() -> SizeLimit.Outcome {
                    let rate = plan.video?.averageBitRate.map { Double($0) * bias * random(0.75...1.35) }
                    let video = Int64((rate ?? 800_000) * seconds / 8)
                    let audio = Int64(plan.audio.reduce(0.0) { $0 + Double($1.bitRate) * seconds / 8 })
                    return SizeLimit.Outcome(size: video + audio + 12_000, video: video, audio: audio)
                }
                var outcome = made()
                while outcome.size > 2_000_000, plan.video?.averageBitRate != nil, random(0...1) < 0.7,
                    control.countOvershoot(outcome)
                {
                    outcome = made()
                }
                sizes.append(outcome.size)
                decision = control.decide(plan, outcome, length: Self.length)
            }
            #expect(decision == .done, "\(seed): \(sizes)")
            #expect(sizes.last ?? .max <= 2_000_000, "\(seed): \(sizes)")
            #expect(sizes.count <= 9, "\(seed): \(sizes)")
        }
    }

    @Test func whatFitsAsThePresetSaysIsLeftSo() throws {
        let (sizes, fits) = try run(2_000_000, "m4v480", Behaviour(name: ""), whole: 100_000)
        #expect(fits && sizes.count == 1)
    }

    @Test func whatTheFilmDoesNotAllowIsNotTriedForEver() throws {
        // However high the rate, the video needs no more.
        let (sizes, fits) = try run(
            20_000_000, "m4v480", Behaviour(name: "", ceiling: 300_000), whole: 50_000_000)
        #expect(fits)
        #expect(sizes.count <= 4, "\(sizes)")
        // However low it is, they need more.
        let hard = try run(1_000_000, "m4v480", Behaviour(name: "", floor: 400_000), whole: 50_000_000)
        #expect(!hard.fits)
        #expect(hard.sizes.count <= 9)
    }

    @Test(arguments: [150_000, 400_000] as [Int64]) func audioAloneIsLoweredToo(_ limit: Int64) throws {
        for audio in [0.8, 1, 1.1] {
            let (sizes, fits) = try run(
                limit, "m4a", Behaviour(name: "", audio: audio, beside: 3000), whole: 0)
            let last = try #require(sizes.last)
            #expect(fits && last <= limit && Double(last) >= 0.85 * Double(limit), "\(audio): \(sizes)")
        }
    }

    @Test func whatIsKnownNotToFitIsNotTriedAsThePresetHasIt() throws {
        var options = ExportOptions()
        options.limitSize = 1_000_000
        let (plan, preset) = try plan("m4v480")
        func begun(_ low: Int64, _ likely: Int64) -> Bool {
            var control = SizeLimit(options, source: 1 << 40, audio: preset.audio)
            control.begin(
                plan, length: Self.length, estimate: SizeBand(low: low, likely: likely, high: likely * 2))
            return control.rates != nil
        }
        #expect(begun(1_100_000, 2_000_000))
        #expect(begun(900_000, 1_600_000))
        #expect(!begun(500_000, 1_400_000))
    }

    /// A smaller source is no size to be filled.
    @Test func anOutputThatIsOnlyToBeSmallerIsNotLowered() throws {
        var options = ExportOptions()
        options.onlyIfSmaller = true
        let (plan, preset) = try plan("m4v480")
        var control = SizeLimit(options, source: 10_000, audio: preset.audio)
        #expect(
            control.decide(plan, SizeLimit.Outcome(size: 10_000, video: 0, audio: 0), length: Self.length)
                == .impossible)
        #expect(
            control.decide(plan, SizeLimit.Outcome(size: 9_999, video: 0, audio: 0), length: Self.length)
                == .done)
    }
}
