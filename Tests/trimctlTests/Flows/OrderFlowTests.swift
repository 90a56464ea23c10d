// Orders about many jobs: ranges, --failed and --all, against a scripted daemon that keeps a status for each job.
import Media
import Synchronization
import Testing
import Text
import Wire

@testable import TrimClient
@testable import trimctl

@Suite(.timeLimit(.minutes(10))) struct OrderFlowTests {
    /// The jobs of a scripted daemon.
    private final class Jobs: Sendable {
        private let jobs: Mutex<[Int64: JobReport]>

        init(_ statuses: [JobStatus]) {
            let jobs = statuses.enumerated().map { JobReport.sample(Int64($0.offset + 1), $0.element) }
            self.jobs = Mutex(Dictionary(uniqueKeysWithValues: jobs.map { ($0.id, $0) }))
        }

        func list(_ params: ListParams) -> [JobReport] {
            let older = jobs.withLock { Array($0.values) }.filter { job in
                job.id < params.after ?? .max && params.statuses?.contains(job.status) ?? true
            }
            // A line may hold fewer than were asked for.
            return Array(older.sorted { $0.id > $1.id }.prefix(min(3, params.limit ?? 100)))
        }

        func change(_ id: Int64?, _ body: (inout JobReport) -> Void) throws -> JobReport {
            try jobs.withLock { jobs in
                guard let id, var job = jobs[id] else {
                    throw RemoteError(code: "jobNotFound", "there is no such job")
                }
                body(&job)
                jobs[id] = job
                return job
            }
        }

        func set(_ id: Int64?, _ status: JobStatus, from: Set<JobStatus>) throws -> JSONValue {
            var isRefused = false
            let job = try change(id) { job in
                isRefused = !from.contains(job.status)
                if !isRefused { job.status = status }
            }
            if isRefused { throw RemoteError(code: "jobStateNotValid", "job \(job.id) cannot be that") }
            return try json(job)
        }
    }

    private func daemon(_ path: String, _ jobs: Jobs) throws -> FakeDaemon {
        try FakeDaemon(path) { _, method, params in
            let id = params["id"]?.int
            switch method {
            case .jobList: return try json(jobs.list(try params.decode()))
            case .jobCancel:
                return try json(jobs.change(id) { if !$0.status.isFinal { $0.status = .cancelled } })
            case .jobHold: return try jobs.set(id, .held, from: [.waiting])
            case .jobRelease: return try jobs.set(id, .waiting, from: [.held])
            case .jobRetry: return try jobs.set(id, .waiting, from: [.failed, .cancelled])
            case .jobRemove: return try jobs.set(id, .completed, from: [.completed, .failed, .cancelled])
            default: throw RemoteError.notScripted(method.rawValue)
            }
        }
    }

    /// Jobs 1 to 12: each status twice.
    private static let statuses = JobStatus.allCases + JobStatus.allCases

    /// The jobs that a command line is for, of these, in order.
    private static let cases: [(words: [String], method: Wire.Method, ids: [Int64], said: String?)] = [
        (["cancel", "--all"], .jobCancel, [7, 1, 12, 6, 8, 2], "6 jobs cancelled"),
        (["cancel", "2-7"], .jobCancel, [7, 6, 2], "3 jobs cancelled"),
        (["cancel", "3", "1-2", "12"], .jobCancel, [3, 12, 1, 2], "4 jobs cancelled"),
        (["hold", "1-6"], .jobHold, [1, 2], "1 job held"),
        (["release", "--all"], .jobRelease, [6, 12], "2 jobs released"),
        (["retry", "--failed"], .jobRetry, [4, 10], "2 jobs waiting again"),
        (["retry", "--all"], .jobRetry, [4, 10, 5, 11], "4 jobs waiting again"),
        (["retry", "1-4", "9-10"], .jobRetry, [4, 10], "2 jobs waiting again"),
        (["remove", "--failed"], .jobRemove, [4, 10], "2 jobs removed"),
        (["remove", "--all"], .jobRemove, [3, 9, 4, 10, 5, 11], "6 jobs removed"),
        (["remove", "1-2"], .jobRemove, [], "0 jobs removed"),
        (["retry", "4", "4-5", "4-4"], .jobRetry, [4, 5], "2 jobs waiting again"),
        (["hold", "1", "7"], .jobHold, [1, 7], nil),
    ]

    @Test(arguments: 0..<cases.count) func anOrderIsForThoseItCanChange(_ index: Int) throws {
        let (words, method, ids, said) = Self.cases[index]
        let rig = try Rig()
        let daemon = try daemon(rig.socket, Jobs(Self.statuses))
        defer { daemon.stop() }
        #expect(rig.run(words + ["--socket", rig.socket]) == 0, "\(rig.err)")
        #expect(daemon.calls(method).compactMap { $0["id"]?.int } == ids, "\(words)")
        if let said { #expect(rig.err == "trimctl: \(said)\n") } else { #expect(rig.err.isEmpty) }
        #expect(rig.lines.count == (method == .jobHold && said != nil ? 1 : ids.count), "\(rig.out)")
    }

    /// A job that is named is an error where it refuses, and the others are still changed; the worst exit code counts.
    @Test func theWorstCounts() throws {
        let rig = try Rig()
        let daemon = try daemon(rig.socket, Jobs(Self.statuses))
        defer { daemon.stop() }
        #expect(rig.ask("hold", "99", "7", "1-6") == 1)
        #expect(daemon.calls(.jobHold).compactMap { $0["id"]?.int } == [99, 7, 1, 2])
        #expect(rig.err.contains("there is no such job") && rig.err.contains("2 jobs held"))
        #expect(rig.ask("hold", "--all", "--json") == 0)
        #expect(rig.ask("retry", "6") == 1)
    }

    @Test func aPriorityIsChangedOfEachJob() throws {
        let rig = try Rig()
        let jobs = Jobs(Self.statuses)
        let daemon = try FakeDaemon(rig.socket) { _, method, params in
            let params: ModifyParams = try params.decode()
            guard method == .jobModify, let priority = params.priority else {
                throw RemoteError.notScripted(method.rawValue)
            }
            return try json(jobs.change(params.id) { $0.priority = priority })
        }
        defer { daemon.stop() }
        #expect(rig.ask("modify", "1", "99", "2", "--priority", "80") == 1)
        #expect(rig.out == "job 1: priority 80\njob 2: priority 80\n")
        #expect(rig.ask("modify", "1") == 2)
        #expect(rig.ask("modify", "1", "--priority", "101") == 2)
        #expect(daemon.calls(.jobModify).count == 3)
    }

    /// Options that are not given stay as they are.
    @Test func anyOptionOfAJobIsChanged() throws {
        let rig = try Rig()
        let jobs = Jobs(Self.statuses)
        let daemon = try FakeDaemon(rig.socket) { _, method, params in
            guard method == .jobModify else { throw RemoteError.notScripted(method.rawValue) }
            return try json(jobs.change(try (params.decode() as ModifyParams).id) { $0.priority = 7 })
        }
        defer { daemon.stop() }
        #expect(
            rig.ask("modify", "1", "--start", "1:10", "--preset", "m4v720", "--crf", "20", "--strict") == 0,
            "\(rig.err)")
        let call = try #require(daemon.calls(.jobModify).first)
        #expect(
            call.object.map { Set($0.names) } == ["id", "start", "preset", "options", "strict"], "\(call)")
        #expect(call["preset"] == "m4v720" && call["options"]?.object?.names.count == 1)
        for words in [["--key", "k"], ["--detach"], ["--start", "1", "--keep", "2..3"]] {
            #expect(rig.run(["modify", "1"] + words + ["--socket", rig.socket]) == 2, "\(words)")
        }
    }

    /// Added lines are printed once and in order, until the job has ended, also over a restart of the daemon.
    @Test func aLogIsFollowedToItsEnd() throws {
        let rig = try Rig()
        let log = Array("one\ntwo\nthree\nfour\n".utf8)
        let looks = Mutex(0)
        let daemon = try FakeDaemon(rig.socket) { daemon, method, params in
            let look = looks.withLock(\.self)
            switch method {
            // The last line comes after the end.
            case .jobGet: return try json(JobReport.sample(1, look < 4 ? .exporting : .failed))
            case .jobLog:
                let from = Int((try params.decode() as LogParams).from ?? 0)
                looks.withLock { $0 += 1 }
                if look == 2 {
                    daemon.later {
                        daemon.stop(); try? daemon.start()
                    }
                }
                let end = [4, 4, 8, 14, 14, 19][min(look, 5)]
                return try json(
                    LogResult(text: String(decoding: log[from..<end], as: UTF8.self), next: Int64(end)))
            default: throw RemoteError.notScripted(method.rawValue)
            }
        }
        defer { daemon.stop() }
        #expect(rig.ask("log", "-f", "1") == 0, "\(rig.err)")
        #expect(rig.out == "one\ntwo\nthree\nfour\n")
    }

    @Test func controlCEndsAFollowedLogAlone() throws {
        let rig = try Rig()
        let daemon = try FakeDaemon(rig.socket) { _, method, _ in
            method == .jobGet
                ? try json(JobReport.sample(1, .exporting)) : try json(LogResult(text: "one\n", next: 4))
        }
        defer { daemon.stop() }
        rig.onWrite = { rig, _ in rig.interrupts.raise() }
        #expect(rig.ask("log", "--follow", "1") == 0)
        #expect(daemon.calls(.jobCancel).isEmpty)
    }

    @Test func conditionsAreAskedForAsTyped() throws {
        let rig = try Rig()
        let daemon = try FakeDaemon(rig.socket) { _, _, _ in
            var job = JobReport.sample(7, .waiting)
            job.after = [3, 5]
            return try json(job)
        }
        defer { daemon.stop() }
        let now = Moment.now.milliseconds
        let words = ["in.mov", "--detach", "--after", "3", "--after=5", "--not-before", "+2h"]
        #expect(rig.run(["export"] + words + ["--socket", rig.socket]) == 0, "\(rig.err)")
        let params: SubmitParams = try #require(daemon.calls(.jobSubmit).last).decode()
        #expect(params.after == [3, 5])
        let delay = try #require(params.notBefore).milliseconds - now
        #expect(7_200_000..<7_500_000 ~= delay)
        #expect(rig.ask("show", "7") == 0)
        #expect(rig.out.contains("  status    waiting (after 3, 5)\n"), "\(rig.out)")
        #expect(rig.run(["export", "in.mov", "--standalone", "--after", "3"]) == 2)
        #expect(rig.ask("export", "in.mov", "--not-before", "soon") == 2)
    }

    @Test func rangesAreRead() throws {
        func parse(_ words: String...) throws -> (jobs: [Int64], ranges: [ClosedRange<Int64>])? {
            guard case .run(let arguments) = try Arguments.parse(words) else { return nil }
            return (arguments.jobs, arguments.jobRanges)
        }
        let read = try #require(try parse("retry", "3", "5", "9-12", "7-7"))
        #expect(read.jobs == [3, 5] && read.ranges == [9...12, 7...7])
        for word in [
            "7-3", "0-3", "-3", "3-", "a-b", "1-2-3", "3..7", "9223372036854775807-9223372036854775807",
        ] {
            #expect(throws: MediaError.self) { try parse("cancel", word) }
        }
        // A command without jobs changes none, and one that names some does not mean all.
        for verb in ["cancel", "hold", "release", "retry", "remove"] {
            #expect(throws: MediaError.self) { try parse(verb) }
            #expect(throws: MediaError.self) { try parse(verb, "--all", "3") }
            #expect(try parse(verb, "--all") != nil)
        }
        #expect(throws: MediaError.self) { try parse("retry", "--all", "--failed") }
        #expect(throws: MediaError.self) { try parse("cancel", "--failed") }
        #expect(throws: MediaError.self) { try parse("wait", "3-7") }
    }
}
