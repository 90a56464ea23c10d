// The requests of clients and who they are: parameters to types, words for what does not fit, pages that fit a
// line.
import JobQueue
import Media
import MediaTime
import Testing
import Text
import Wire

@testable import trimd

@Suite struct ServingTests {
    private func code(_ json: JSONValue) -> ErrorCode? {
        #expect(throws: MediaError.self) { try Parameters.read(SubmitParams.self, json) }?.code
    }

    @Test func parametersAreRead() throws {
        let params = try Parameters.read(
            SubmitParams.self,
            ["input": "/f", "start": "1:10", "end": ["value": 441000, "timescale": 44100]])
        #expect(params.start == .decimal(Time(70, 1)))
        #expect(params.end == .time(Time(10, 1)))
    }

    @Test func wrongParametersHaveTheirWords() {
        #expect(code(["input": "/f", "start": "soon"]) == .invalidTime)
        #expect(code(["input": "/f", "start": 5]) == .invalidTime)
        #expect(code(["input": "/f", "start": "1/99999999999"]) == .invalidTime)
        #expect(code(["input": "/f", "preset": ["id": "x"]]) == .invalidPreset)
        #expect(code(["input": "/f", "strat": "5"]) == .invalidRequest)
        #expect(code(["start": "5"]) == .invalidRequest)
        #expect(code(["input": 5]) == .invalidRequest)
        #expect(code([]) == .invalidRequest)
    }

    @Test func theParameterIsNamed() {
        let error = #expect(throws: MediaError.self) { try Parameters.read(JobParams.self, ["id": "x"]) }
        #expect(error?.message == "id: is not a whole number")
        let typo = #expect(throws: MediaError.self) {
            try Parameters.read(SubmitParams.self, ["input": "/f", "strat": "5"])
        }
        #expect(typo?.message.contains("did you mean 'start'?") == true)
    }

    @Test func whoSeesWhat() throws {
        for caller in [Caller(uid: 0, own: 1000), Caller(uid: 1000, own: 1000)] {
            #expect(caller.viewer == .all)
            #expect(caller.sees(jobsOf: 7))
        }
        let stranger = Caller(uid: 1001, own: 1000)
        #expect(stranger.sees(jobsOf: 1001))
        #expect(stranger.viewer == .user(1001))
        #expect(!stranger.sees(jobsOf: 7))
    }

    @Test func pagesFitALine() {
        let reports = (1...50).map {
            JobReport(
                id: $0, status: .waiting, preset: "p", render: .auto,
                input: String(repeating: "n", count: 1000),
                output: "/o", created: Moment(milliseconds: 0), user: 1)
        }
        #expect(Handlers.page(reports).count == 50)
        let some = Handlers.page(reports, limit: 10_000)
        #expect((5..<10).contains(some.count))
        #expect(Handlers.page(reports, limit: 10).count == 1)
    }

    @Test func intervals() {
        #expect(EventHub.nanoseconds(Time(1, 4)) == 250_000_000)
        #expect(EventHub.nanoseconds(.zero) == 10_000_000)
        #expect(EventHub.nanoseconds(.positiveInfinity) == 250_000_000)
        #expect(EventHub.nanoseconds(Time(1_000_000, 1)) == 3_600_000_000_000)
    }

    @Test func logsAreLinesAndEndInTheirLast() throws {
        let scratch = try Scratch()
        let logs = JobLogs(folder: scratch.path)
        #expect(try logs.read(1) == LogResult(text: "", next: 0))
        for number in 0..<100 { logs.write(1, "line \(number)\nand \u{1b}[31m more") }
        let text = try logs.read(1).text
        #expect(text.split(separator: "\n").count == 100)
        #expect(!text.contains("\u{1b}"))
        let end = try logs.read(1, limit: 200).text
        #expect(end.utf8.count <= 200)
        #expect(text.hasSuffix(end))
        #expect(end.hasPrefix("20"))
        // Read part by part, nothing is missed or twice, and no line is cut.
        var (parts, next) = ("", Int64(0))
        while let part = try? logs.read(1, from: next, limit: 200), !part.text.isEmpty {
            #expect(part.text.hasSuffix("\n") && part.text.utf8.count <= 200)
            parts += part.text
            next = try #require(part.next)
        }
        #expect(parts == text)
        logs.write(1, "more")
        #expect(try logs.read(1, from: next).text.hasSuffix("more\n"))
        #expect(try logs.read(1, from: 1 << 40).text.isEmpty)
    }

    @Test func signalsHaveNames() {
        #expect(Worker.death(11).message.contains("SIGSEGV"))
        #expect(Worker.death(9).remedy != nil)
        #expect(Worker.death(31).code == .sandboxViolation)
        #expect(Worker.death(24).code == .timeLimitReached)
        #expect(Worker.death(256).message.contains("status 1"))
    }

    @Test func onlyOneDaemonHasAState() throws {
        let scratch = try Scratch()
        let first = try StateFolder(scratch.path + "/a/b")
        let error = #expect(throws: MediaError.self) { _ = try StateFolder(scratch.path + "/a/b").path }
        #expect(error?.message.contains("another trimd") == true)
        _ = consume first
        #expect(try StateFolder(scratch.path + "/a/b").path == scratch.path + "/a/b")
    }
}
