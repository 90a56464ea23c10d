// Waiting for many jobs, whose states come in pages, and what is said of a job that waits for something.
import FoundationEssentials
import Media
import Testing
import Text
import Wire

@testable import trimctl

@Suite(.timeLimit(.minutes(10))) struct WaitingFlowTests {
    /// A daemon that knows jobs, and whose answers hold seven.
    private func daemon(_ path: String, _ jobs: [JobReport]) throws -> FakeDaemon {
        try FakeDaemon(path) { _, method, params in
            switch method {
            case .jobWatch:
                let ids = (try params.decode() as WatchParams).ids ?? jobs.map(\.id)
                let named = ids.compactMap { id in jobs.first { $0.id == id } }
                return try json(Array(named.prefix(7)))
            case .jobList, .jobGet: return try json(method == .jobGet ? Array(jobs.prefix(1)) : jobs)
            default: throw RemoteError.notScripted(method.rawValue)
            }
        }
    }

    /// Hundreds of ended jobs are more than an answer holds: the rest is asked for.
    @Test(arguments: ["wait", "watch"]) func manyEndedJobsAreReportedInPages(_ command: String) throws {
        let rig = try Rig()
        let jobs = (1...600).map { JobReport.sample($0, $0 == 599 ? .failed : .completed) }
        let daemon = try daemon(rig.socket, jobs)
        defer { daemon.stop() }
        let code = rig.run([command] + jobs.map { "\($0.id)" } + ["--json", "--socket", rig.socket])
        #expect(code == (command == "wait" ? 1 : 0))
        let printed = try rig.lines.map { try JSONValue(parsing: Array($0.utf8))["id"]?.int }
        #expect(printed == (1...600).map { Int64($0) })
        let asked = daemon.calls(.jobWatch).map { $0["ids"]?.array?.count ?? 0 }
        #expect(asked.count > 80 && asked.allSatisfy { $0 <= 500 })
    }

    @Test func theLiveViewEndsWithItsManyJobs() {
        var view = WatchView((1...700).map(Int64.init))
        view.begin((1...700).map { .sample(Int64($0), .completed) })
        #expect(view.isDone)
    }

    @Test func aDaemonThatReportsNothingIsAnError() throws {
        let rig = try Rig()
        let daemon = try FakeDaemon(rig.socket) { _, _, _ in [] }
        defer { daemon.stop() }
        #expect(rig.ask("wait", "3") == 1)
        #expect(rig.err.contains("job 3"))
    }

    private var short: JobReport {
        var job = JobReport.sample(4)
        job.attempts = 1
        job.error = MediaError(.diskFull, "the disk is full where /films lies", remedy: "make room there")
        job.retry = Moment(milliseconds: Moment.now.milliseconds + 10_500)
        return job
    }

    @Test func aJobThatWaitsForSpaceSaysSo() throws {
        let rig = try Rig()
        let daemon = try daemon(rig.socket, [short])
        defer { daemon.stop() }
        #expect(rig.ask("list") == 0)
        #expect(rig.out.contains("waiting for space"))
        let text = JobText(now: .now)
        #expect(text.page(short).contains("  status    waiting for space\n"))
        #expect(text.page(short).contains("the disk is full where /films lies; make room there [diskFull]"))
        #expect(text.page(short).contains("  again     at 20"))
        #expect(text.line(short).hasPrefix("job 4: waiting for space: the disk is full where /films lies"))
        #expect(text.line(short).contains("; tried again in 1"))
    }

    @Test func waitPrintsTheReasonOnceForEachAttempt() throws {
        let rig = try Rig()
        let display = ProgressDisplay(.plain, console: rig.surroundings.console, jobs: 1)
        var job = short
        for second in 0..<5 { display.show(job, at: Double(second)) }
        #expect(rig.err.split(separator: "\n").count == 1)
        #expect(
            rig.err.hasPrefix(
                "waiting for space: the disk is full where /films lies; make room there; tried again"))
        job.retry = Moment(milliseconds: Moment.now.milliseconds + 50_000)
        display.show(job, at: 9)
        #expect(rig.err.split(separator: "\n").count == 2)
        job.error = nil
        display.show(job, at: 10)
        #expect(rig.err.hasSuffix("\nwaiting\n"))
    }

    @Test func anEndThatIsNotWrittenDownIsSaid() throws {
        var job = JobReport.sample(1, .exporting, progress: 0.99)
        job.warnings = [Warning(.notRecorded, "this is not in the queue yet")]
        let rig = try Rig()
        let display = ProgressDisplay(.plain, console: rig.surroundings.console, jobs: 1)
        display.show(job, at: 0)
        display.show(job, at: 1)
        #expect(rig.err.hasPrefix("this is not in the queue yet\n"))
        #expect(rig.err.components(separatedBy: "not in the queue").count == 2)
    }
}
