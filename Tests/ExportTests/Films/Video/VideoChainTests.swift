// Chains over intervals of one output: their packets, one after the other, are at the times of those that a single chain makes.
import Libav
import Media
import MediaTime
import Synchronization
import Testing

@testable import Export
@testable import Render
@testable import Source

struct VideoChainTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// The work of a request over the whole output.
    private func work(_ film: String, _ adjust: (inout ExportRequest) -> Void) throws -> VideoWork {
        var request = ExportRequest(
            input: film, output: OutputTarget(folder: "/", name: nil, stem: "o"), preset: try preset("m4v480")
        )
        request.render = .encode
        adjust(&request)
        let source = try scratch.source(film)
        let ready = try Exporter(source, request).prepare(Diagnostics())
        let decision = try RenderDecision.decide(
            ready.asset, request, range: ready.range, fileType: ready.fileType, source: source, delay: 0)
        let plan = try ready.plan(request, decision)
        return VideoWork(
            plan: try #require(plan.video), segments: plan.segments, origin: plan.origin, source: source,
            strict: false, diagnostics: Diagnostics())
    }

    /// The times and durations of the frames of an interval, as they are shown.
    private func times(_ work: VideoWork, from start: Time = .zero, to end: Time? = nil) throws -> [[Int64]] {
        let segments = try #require(work.segments.interval(from: start, to: end))
        let part = VideoWork(
            plan: work.plan, segments: segments, origin: work.origin, source: work.source, strict: false,
            diagnostics: work.diagnostics)
        let packets = LaneQueue<Packet>(capacity: 16)
        let opened = Mutex(0)
        let chain = VideoChain(part, to: packets) { _ in opened.withLock { $0 += 1 } }
        chain.start { _ in }
        var times: [[Int64]] = []
        while let packet = try packets.receive() { times.append([packet.pts ?? -1, packet.duration]) }
        #expect(opened.withLock(\.self) == 1)
        return times.sorted { $0[0] < $1[0] }
    }

    /// At any frame: within groups, in a range, across parts that are joined, and on a grid that repeats and drops frames.
    @Test(arguments: ["whole", "range", "joined", "grid"])
    func intervalsMakeWhatTheWholeDoes(_ kind: String) throws {
        let film = try Film(
            name: "", type: "mp4", words: Film.video(seconds: "4") + Film.h264()
        ).make(in: scratch)
        let work = try work(film) { request in
            switch kind {
            case "range": request.range = RangeRequest(start: .time(Time(7, 10)), end: .time(Time(16, 5)))
            case "joined":
                request.keep = [
                    RangeSpelling(start: .time(Time(2, 5)), end: .time(Time(2, 1))),
                    RangeSpelling(start: .time(Time(5, 2)), end: .time(Time(18, 5))),
                ]
            case "grid":
                request.options = ExportOptions()
                request.options?.frameRate = Ratio(24)
            default: break
            }
        }
        let whole = try times(work)
        #expect(whole.count > 50)
        // Frames of the output: a chain begins with one.
        for number in [1, 17, whole.count / 2, whole.count - 1] {
            let cut = work.plan.timebase.time(ofTicks: whole[number][0])
            let parts = try times(work, to: cut) + times(work, from: cut)
            #expect(parts == whole, "cut at \(cut)")
        }
    }
}
