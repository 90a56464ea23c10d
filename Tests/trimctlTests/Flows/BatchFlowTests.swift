// `trimctl batch` against a scripted daemon: how many it submits at once, what a failure means for the rest, what it ends
// with, and what becomes of it when the daemon goes away.
import FoundationEssentials
import Glibc
import Media
import MediaTime
import Synchronization
import Testing
import Text
import Wire

@testable import TrimClient
@testable import trimctl

@Suite(.timeLimit(.minutes(10))) struct BatchFlowTests {
    /// A daemon that finishes each job a moment after it came, as the test says.
    private final class Queue: Sendable {
        struct State {
            var last: Int64 = 0
            var active: Set<Int64> = []
            var most = 0
            var jobs: [Int64: JobReport] = [:]
            var keys: [String: Int64] = [:]
        }

        let state = Mutex(State())
        /// The end of a job; nil: none, by itself.
        let fate: @Sendable (Int64) -> JobStatus?
        /// So many jobs are taken at once.
        let limit: Int

        init(limit: Int = .max, fate: @escaping @Sendable (Int64) -> JobStatus?) {
            self.fate = fate
            self.limit = limit
        }

        func answer(_ daemon: FakeDaemon, _ method: Wire.Method, _ params: JSONValue) throws -> JSONValue {
            switch method {
            case .presetList: return try json(PresetListResult(presets: [], problems: []))
            case .assetProbe:
                return try json(
                    Asset(
                        container: Container(format: "mov", name: "MOV"), start: .zero,
                        duration: Time(100, 1), bytes: 1,
                        tracks: []))
            case .assetCheck:
                let result = PresetCompatibility(
                    id: "m4v720", valid: true, fileTypes: ["m4v"], render: .encode, reasons: [], warnings: [])
                return try json(CompatibilityReport(canTrim: true, reason: nil, presets: [result]))
            case .jobList:
                let key = params["key"]?.string ?? ""
                return try json(
                    state.withLock { state in state.keys[key].flatMap { state.jobs[$0] }.map { [$0] } ?? [] })
            case .jobWatch: return .array([])
            case .jobSubmit: return try json(submit(daemon, params))
            case .jobGet: return try json(state.withLock { $0.jobs[params["id"]?.int ?? 0] })
            case .jobRemove:
                return try json(
                    state.withLock { state in
                        state.keys = state.keys.filter { $0.value != params["id"]?.int }
                        return state.jobs[params["id"]?.int ?? 0]
                    })
            case .jobCancel: return try json(end(params["id"]?.int ?? 0, .cancelled))
            default: throw RemoteError.notScripted(method.rawValue)
            }
        }

        private func submit(_ daemon: FakeDaemon, _ params: JSONValue) throws -> JobReport {
            let request: SubmitParams = try params.decode()
            let job = try state.withLock { state throws in
                guard state.active.count < limit else {
                    throw RemoteError(MediaError(.limitReached, "too many jobs"))
                }
                state.last += 1
                var job = JobReport.sample(state.last)
                job.output = request.output ?? ""
                state.jobs[job.id] = job
                state.active.insert(job.id)
                state.most = max(state.most, state.active.count)
                if let key = request.key { state.keys[key] = job.id }
                return job
            }
            if let fate = fate(job.id) {
                daemon.later(30) { if let end = self.end(job.id, fate) { daemon.notify(.jobChanged, end) } }
            }
            return job
        }

        @discardableResult
        func end(_ id: Int64, _ status: JobStatus) -> JobReport? {
            state.withLock { state in
                guard var job = state.jobs[id] else { return nil }
                guard !job.status.isFinal else { return job }
                let sample = JobReport.sample(id, status, progress: status == .completed ? 1 : 0)
                (job.status, job.error, job.progress) = (status, sample.error, sample.progress)
                state.jobs[id] = job
                state.active.remove(id)
                return job
            }
        }
    }

    private func rig(_ count: Int) throws -> Rig {
        let rig = try Rig()
        let list = "start,end\n" + (0..<count).map { "\($0),\($0 + 1)\n" }.joined()
        try Data(list.utf8).write(to: URL(filePath: rig.folder + "/cuts.csv"))
        try Data([0]).write(to: URL(filePath: rig.folder + "/in.mov"))
        return rig
    }

    @Test func aListThatIsTooLongIsRefused() throws {
        let rig = try rig(10_001)
        let daemon = try FakeDaemon(rig.socket, Queue { _ in .completed }.answer)
        defer { daemon.stop() }
        #expect(rig.ask("batch", "cuts.csv", "--input", "in.mov") == 2)
        #expect(rig.err.contains("10001 exports") && rig.err.contains("split it"))
        #expect(daemon.calls(.jobSubmit).isEmpty)
    }

    @Test func noMoreThanAskedForAtOnce() throws {
        let rig = try rig(7)
        let queue = Queue { _ in .completed }
        let daemon = try FakeDaemon(rig.socket, queue.answer)
        defer { daemon.stop() }
        #expect(rig.ask("batch", "cuts.csv", "--input", "in.mov", "--jobs", "2") == 0)
        #expect(queue.state.withLock { $0.most } == 2 && rig.lines.count == 7)
        // One question about the file and one about the preset, not seven.
        #expect(daemon.calls(.assetProbe).count == 1 && daemon.calls(.assetCheck).count == 1)
        let keys = Set(daemon.calls(.jobSubmit).compactMap { $0["key"]?.string })
        #expect(keys.count == 7)
        #expect(daemon.calls(.jobSubmit).map { $0["concurrency"]?.int } == [2, 2, 2, 2, 2, 2, 1])
    }

    @Test func aDaemonThatTakesNoMoreIsWaitedFor() throws {
        let rig = try rig(9)
        let queue = Queue(limit: 3) { _ in .completed }
        let daemon = try FakeDaemon(rig.socket, queue.answer)
        defer { daemon.stop() }
        #expect(rig.ask("batch", "cuts.csv", "--input", "in.mov") == 0)
        #expect(rig.lines.count == 9)
    }

    @Test func quietPrintsThePathsAlone() throws {
        let rig = try rig(3)
        let daemon = try FakeDaemon(rig.socket, Queue { _ in .completed }.answer)
        defer { daemon.stop() }
        #expect(rig.ask("batch", "cuts.csv", "--input", "in.mov", "-q") == 0)
        #expect(rig.lines.count == 3 && rig.lines.allSatisfy { $0.hasPrefix("/") } && rig.err.isEmpty)
        #expect(daemon.calls(.jobSubmit).map { $0["concurrency"]?.int } == [3, 2, 1])
    }

    @Test func theWorstCounts() throws {
        let rig = try rig(4)
        let queue = Queue { $0 == 2 ? .failed : $0 == 3 ? .cancelled : .completed }
        let daemon = try FakeDaemon(rig.socket, queue.answer)
        defer { daemon.stop() }
        #expect(rig.ask("batch", "cuts.csv", "--input", "in.mov", "--json") == 4)
        let counts = try #require(try rig.lastJSON()["counts"])
        #expect(counts["completed"] == 2 && counts["failed"] == 1 && counts["cancelled"] == 1)
        #expect(rig.err.contains("line 3") && rig.err.contains("decoding failed"))
    }

    @Test func theFirstFailureEndsAll() throws {
        let rig = try rig(6)
        let queue = Queue { $0 == 1 ? .failed : nil }
        let daemon = try FakeDaemon(rig.socket, queue.answer)
        defer { daemon.stop() }
        let code = rig.ask("batch", "cuts.csv", "--input", "in.mov", "--jobs", "3", "--fail-fast", "--json")
        #expect(code == 4)
        let counts = try #require(try rig.lastJSON()["counts"])
        #expect(counts["failed"] == 1 && counts["cancelled"] == 2 && counts["notStarted"] == 3)
    }

    /// A daemon that reports progress as soon as the job from second `start` on has come.
    private func reportingDaemon(_ queue: Queue, from start: String, on socket: String) throws
        -> FakeDaemon
    {
        try FakeDaemon(socket) { daemon, method, params in
            let answer = try queue.answer(daemon, method, params)
            if method == .jobSubmit, params["start"]?.string == start, let id = answer["id"]?.int {
                daemon.notify(.jobProgress, JobProgress.sample(0.5, id: id))
            }
            return answer
        }
    }

    @Test func interruptCancelsAllFromTheLastOn() throws {
        let rig = try rig(5)
        let daemon = try reportingDaemon(Queue { _ in nil }, from: "4", on: rig.socket)
        defer { daemon.stop() }
        rig.onWrite = { rig, text in if text.contains("\"progress\":0.5") { rig.interrupts.raise() } }
        #expect(rig.ask("batch", "cuts.csv", "--input", "in.mov", "--progress", "json") == 4)
        #expect(daemon.calls(.jobCancel).compactMap { $0["id"]?.int } == [5, 4, 3, 2, 1])
        #expect(try rig.lastJSON()["counts"]?["cancelled"] == 5)
        // The rest is done by the same words.
        #expect(
            rig.err.contains(
                "trimctl: to do the rest: trimctl batch cuts.csv --input in.mov --progress json --socket "
                    + "\(rig.socket) --resume\n"), "\(rig.err)")
    }

    @Test func aBatchThatEndsByItselfNamesNoWayToResume() throws {
        let rig = try rig(2)
        let daemon = try reportingDaemon(Queue { _ in .completed }, from: "9", on: rig.socket)
        defer { daemon.stop() }
        #expect(rig.ask("batch", "cuts.csv", "--input", "in.mov") == 0)
        #expect(!rig.err.contains("--resume"), "\(rig.err)")
    }

    @Test func aRestartOfTheDaemonIsWaitedFor() throws {
        let rig = try rig(3)
        let queue = Queue { $0 == 3 ? nil : .completed }
        let daemon = try FakeDaemon(rig.socket, queue.answer)
        defer { daemon.stop() }
        daemon.later {
            // All are submitted, however busy the machine is: what nobody has submitted cannot end.
            for _ in 0..<6000 where queue.state.withLock(\.last) < 3 { usleep(10_000) }
            daemon.stop()
            // A job that ends meanwhile is reported to nobody.
            queue.end(3, .completed)
            try? daemon.start()
        }
        #expect(rig.ask("batch", "cuts.csv", "--input", "in.mov") == 0)
        #expect(rig.lines.count == 3 && rig.err.contains("connecting again"))
    }

    @Test func whatIsNotDoneYetIsJoinedOnlyWhenAsked() throws {
        let rig = try rig(2)
        let queue = Queue { _ in nil }
        let daemon = try reportingDaemon(queue, from: "1", on: rig.socket)
        defer { daemon.stop() }
        rig.onWrite = { rig, text in if text.contains("\"progress\":0.5") { rig.interrupts.raise() } }
        #expect(rig.ask("batch", "cuts.csv", "--input", "in.mov", "--progress", "json") == 4)
        // As if they had not been cancelled.
        let before = queue.state.withLock { $0.last }
        queue.state.withLock { state in
            for id in state.jobs.keys { state.jobs[id]?.status = .exporting }
        }
        #expect(rig.ask("batch", "cuts.csv", "--input", "in.mov") == 1)
        #expect(rig.err.contains("--resume joins it"))
        daemon.later(100) {
            for id in 1...2 as ClosedRange<Int64> {
                if let end = queue.end(id, .completed) { daemon.notify(.jobChanged, end) }
            }
        }
        rig.onWrite = { _, _ in }
        #expect(rig.ask("batch", "cuts.csv", "--input", "in.mov", "--resume") == 0)
        #expect(queue.state.withLock { $0.last } == before)
    }

    @Test func theViewOfAllOnATerminal() throws {
        let rig = try rig(3)
        rig.isTerminal = true
        rig.environment["TERM"] = "xterm"
        let queue = Queue { _ in .completed }
        let daemon = try FakeDaemon(rig.socket) { daemon, method, params in
            let answer = try queue.answer(daemon, method, params)
            if method == .jobSubmit, let id = answer["id"]?.int {
                daemon.notify(.jobProgress, JobProgress.sample(0.5, id: id))
            }
            return answer
        }
        defer { daemon.stop() }
        #expect(rig.ask("batch", "cuts.csv", "--input", "in.mov", "--jobs", "1") == 0)
        #expect(rig.err.contains("of 3  [") && rig.err.contains("in-001.m4v") && rig.err.contains("50 %"))
        // All that was drawn was taken away again before the last words.
        #expect(rig.err.hasSuffix("\n") && rig.err.contains("\u{1B}[J3 exports: 3 completed"))
    }

    @Test(
        arguments: [
            (["batch"], 2), (["batch", "none.csv"], 1), (["batch", "cuts.csv", "--name", "{x}"], 2),
            (["batch", "cuts.csv", "--report", "r.txt"], 2),
            (["batch", "cuts.csv", "--report", "none/r.xml"], 1),
            (["batch", "cuts.csv", "--report", "none/r.xml", "--output-dir", "other"], 1),
            (["batch", "cuts.csv", "--output-dir", "cuts.csv", "--dry-run"], 1),
            // The folder is made for the report too: only the daemon is missing.
            (["batch", "cuts.csv", "--report", "other/r.xml", "--output-dir", "other"], 5),
            (["batch", "cuts.csv", "--report", "other/r.xml", "--output-dir", "./other//"], 5),
            (["batch", "cuts.csv", "--report", "other/r.xml", "--output-dir", "none/../other"], 5),
            (["batch", "cuts.csv", "--rate", "0"], 2), (["batch", "in.mov"], 2),
        ] as [([String], Int32)]) func wrongCommandLinesAskNoDaemon(words: [String], code: Int32) throws
    {
        let rig = try rig(1)
        #expect(rig.run(words + ["--socket", rig.folder + "/nobody"]) == code, "\(rig.err)")
    }
}
