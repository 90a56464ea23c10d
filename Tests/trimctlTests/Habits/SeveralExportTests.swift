// `trimctl export` with several inputs, against a scripted daemon: a job each, lines that name the file, the worst exit code.
import FoundationEssentials
import Media
import Synchronization
import Testing
import Text
import Wire

@testable import TrimClient
@testable import trimctl

@Suite(.timeLimit(.minutes(10))) struct SeveralExportTests {
    /// A daemon that numbers the jobs it accepts, and ends each as the test says; nil: not before it is cancelled.
    private func daemon(
        _ path: String, refusing refused: String = "", ending: @escaping @Sendable (JobReport) -> JobReport?
    )
        throws -> FakeDaemon
    {
        let last = Atomic<Int64>(0)
        @Sendable func job(_ id: Int64, _ status: JobStatus) -> JobReport {
            var job = JobReport.sample(id, status, progress: status == .completed ? 1 : 0)
            job.output = "/out-\(id).m4v"
            return job
        }
        return try FakeDaemon(path) { daemon, method, params in
            switch method {
            case .jobSubmit:
                let input = (try params.decode() as SubmitParams).input
                if !refused.isEmpty, input.hasSuffix(refused) {
                    throw RemoteError(code: "fileNotFound", "\(input) does not exist")
                }
                return try json(job(last.add(1, ordering: .relaxed).newValue, .waiting))
            case .jobWatch:
                let ids = (try params.decode() as WatchParams).ids ?? []
                daemon.later {
                    for id in ids {
                        daemon.notify(.jobProgress, JobProgress.sample(0.5, id: id))
                        if let end = ending(job(id, .completed)) { daemon.notify(.jobChanged, end) }
                    }
                }
                return try json(ids.map { job($0, .exporting) })
            case .jobCancel:
                let id = (try params.decode() as JobParams).id
                return try json(job(id, .cancelled))
            default: throw RemoteError.notScripted(method.rawValue)
            }
        }
    }

    /// A folder with some films.
    private func rig() throws -> Rig {
        let rig = try Rig()
        try FileManager.default.createDirectory(
            atPath: rig.folder + "/c", withIntermediateDirectories: true)
        for name in ["a.mov", "b.mov", "c.mov", "c/d.mov"] {
            try Data().write(to: URL(filePath: rig.folder + "/" + name))
        }
        return rig
    }

    /// Of several inputs one that is not there may be no input: nothing is exported, and the answer says what it may be.
    @Test(
        arguments: [
            (
                ["a.mov", "out.mp4", "--start", "10"], 2,
                "name the output with -o: trimctl export a.mov -o out.mp4"
            ),
            (["a.mov", "10", "20"], 2, "a time needs its option: trimctl export a.mov --start 10 --end 20"),
            (["a.mov", "1:10"], 2, "a time needs its option: trimctl export a.mov --start 1:10"),
            (["a.mov", "gone.mov", "b.mov"], 1, "there is no file 'gone.mov', and nothing was exported"),
            (["a.mov", "out.mp4", "-o", "c/"], 1, "there is no file 'out.mp4'"),
        ] as [([String], Int32, String)])
    func allInputsAreCheckedBeforeAnythingStarts(words: [String], code: Int32, says: String) throws {
        let rig = try rig()
        let daemon = try daemon(rig.socket) { $0 }
        defer { daemon.stop() }
        #expect(rig.run(["export"] + words + ["--socket", rig.socket]) == code, "\(rig.err)")
        #expect(rig.err.contains(says), "\(rig.err)")
        #expect(daemon.calls(.jobSubmit).isEmpty)
    }

    @Test func eachInputIsAJobWithTheSameOptions() throws {
        let rig = try rig()
        let daemon = try daemon(rig.socket) { $0 }
        defer { daemon.stop() }
        try FileManager.default.createDirectory(
            atPath: rig.folder + "/cut", withIntermediateDirectories: true)
        #expect(
            rig.ask("export", "a.mov", "b.mov", "c/d.mov", "--start", "10", "-o", "cut") == 0, "\(rig.err)")
        let sent: [SubmitParams] = try daemon.calls(.jobSubmit).map { try $0.decode() }
        #expect(sent.map(\.input) == ["a.mov", "b.mov", "c/d.mov"].map { rig.folder + "/" + $0 })
        #expect(sent.map(\.concurrency) == [3, 2, 1])
        #expect(
            sent.allSatisfy {
                $0.output == rig.folder + "/cut/" && $0.start == sent[0].start && $0.start != nil
            })
        for id in 1...3 { #expect(rig.lines.contains("/out-\(id).m4v")) }
        #expect(rig.err.contains("a.mov: exporting 50 %"))
        #expect(rig.err.contains("c/d.mov: exporting 50 %"))
        #expect(daemon.calls(.jobWatch).count == 1)
    }

    @Test func theWorstExitCodeCounts() throws {
        let rig = try rig()
        let daemon = try daemon(rig.socket, refusing: "b.mov") { job in
            guard job.id == 2 else { return job }
            var failed = JobReport.sample(2, .failed)
            failed.error = MediaError(.presetNotValid, "it does not fit")
            return failed
        }
        defer { daemon.stop() }
        #expect(rig.ask("export", "a.mov", "b.mov", "c.mov", "--progress", "none") == 3)
        #expect(rig.err.contains("trimctl: b.mov: \(rig.folder)/b.mov does not exist\n"))
        #expect(rig.err.contains("trimctl: c.mov: it does not fit\n"))
        #expect(rig.lines.contains("/out-1.m4v"))
    }

    @Test func underJSONEachIsALine() throws {
        let rig = try rig()
        let daemon = try daemon(rig.socket, refusing: "b.mov") { $0 }
        defer { daemon.stop() }
        #expect(rig.ask("export", "a.mov", "b.mov", "c.mov", "--json") == 1)
        let lines = try rig.lines.map { try JSONValue(parsing: Array($0.utf8)) }
        #expect(lines.count == 3)
        #expect(lines.compactMap { $0["id"]?.int }.sorted() == [1, 2])
        let refusal = try #require(lines.first { $0["error"]?["code"] == "fileNotFound" && $0["id"] == nil })
        #expect(refusal["input"] == .string(rig.folder + "/b.mov"))
    }

    @Test func quietPrintsAPathALine() throws {
        let rig = try rig()
        let daemon = try daemon(rig.socket) { $0 }
        defer { daemon.stop() }
        #expect(rig.ask("export", "a.mov", "b.mov", "-q") == 0)
        #expect(rig.lines.sorted() == ["/out-1.m4v", "/out-2.m4v"] && rig.err.isEmpty)
        #expect(rig.ask("export", "a.mov", "b.mov", "--detach") == 0)
        #expect(rig.lines.suffix(2) == ["3", "4"])
    }

    @Test func controlCCancelsAll() throws {
        let rig = try rig()
        let daemon = try daemon(rig.socket) { _ in nil }
        defer { daemon.stop() }
        let isRaised = Atomic(false)
        rig.onWrite = { rig, text in
            if text.contains("50 %"), !isRaised.exchange(true, ordering: .relaxed) { rig.interrupts.raise() }
        }
        #expect(rig.ask("export", "a.mov", "b.mov") == 4)
        #expect(rig.err.contains("cancelling 2 jobs"))
        #expect(Set(daemon.calls(.jobCancel).compactMap { $0["id"]?.int }) == [1, 2])
    }

    /// No file is submitted after Ctrl-C, and those that were are cancelled.
    @Test func controlCWhileSubmitting() throws {
        let rig = try rig()
        rig.interrupts.raise()
        let daemon = try daemon(rig.socket) { $0 }
        defer { daemon.stop() }
        #expect(rig.ask("export", "a.mov", "b.mov") == 4)
        #expect(daemon.calls(.jobSubmit).isEmpty)
    }

    @Test func optionsOfOneFileAreRefused() throws {
        let rig = try rig()
        #expect(rig.run(["export", "a.mov", "b.mov", "-o", "c.m4v"]) == 2)
        #expect(
            rig.err.contains("-o c.m4v names one file, and there are 2 inputs; name a folder that exists"))
        #expect(rig.run(["export", "a.mov", "b.mov", "--key", "k"]) == 2)
        try Data().write(to: URL(filePath: rig.folder + "/my film.mov"))
        #expect(rig.run(["export", "my", "film.mov"]) == 2)
        #expect(rig.err.hasSuffix("a name with spaces needs quotes: 'my film.mov'\n"))
    }
}
