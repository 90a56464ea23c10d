// `-h`, `-V`, `-v`, `-q`: short options, and what --quiet and --verbose print.
import Media
import Testing
import Text
import Wire

@testable import trimctl

@Suite(.timeLimit(.minutes(10))) struct ShortOptionTests {
    @Test func theVersionAndHelpHaveShortNames() throws {
        #expect(try Arguments.parse(["-V"]) == .version(asJSON: false))
        #expect(try Arguments.parse(["-h"]) == .help(nil))
        let verbose = try #require(throws: MediaError.self) { _ = try Arguments.parse(["-v"]) }
        #expect(verbose.description == "-v is an option of a command; `trimctl -V` prints the version")
        #expect(try Arguments.parse(["export", "-h"]) == .help(CommandTable.export))
        #expect(Help().overview().contains("-V, --version"))
        #expect(Help().page(CommandTable.export).contains("-q, --quiet"))
        #expect(Help().page(CommandTable.export).contains("-v, --verbose"))
    }

    private func daemon(_ path: String, _ end: JobStatus = .completed) throws -> FakeDaemon {
        try FakeDaemon(path) { daemon, method, _ in
            switch method {
            case .jobSubmit: return try json(JobReport.sample())
            case .jobWatch:
                daemon.later {
                    daemon.notify(.jobProgress, JobProgress.sample(0.5))
                    daemon.notify(
                        .jobChanged, JobReport.sample(1, end, progress: end == .completed ? 1 : 0.5))
                }
                return try json([JobReport.sample(1, .exporting)])
            case .jobLog: return try json(LogResult(text: "10:00 started\n10:01 ended\n"))
            default: throw RemoteError.notScripted(method.rawValue)
            }
        }
    }

    @Test(arguments: [["export", "in.mov", "-q"], ["export", "in.mov", "--quiet"], ["wait", "1", "-q"]])
    func quietPrintsThePathAlone(words: [String]) throws {
        let rig = try Rig()
        let daemon = try daemon(rig.socket)
        defer { daemon.stop() }
        #expect(rig.run(words + ["--socket", rig.socket]) == 0)
        #expect(rig.out == "/in-trim.m4v\n")
        #expect(rig.err.isEmpty)
    }

    @Test func quietDoesNotHideAnError() throws {
        let rig = try Rig()
        let daemon = try daemon(rig.socket, .failed)
        defer { daemon.stop() }
        #expect(rig.ask("export", "in.mov", "-q") == 1)
        #expect(rig.out.isEmpty)
        #expect(rig.err.hasPrefix("trimctl: decoding failed"))
        #expect(rig.run(["export", "in.mov", "-q", "--json", "--socket", rig.socket]) == 2)
    }

    @Test func verbosePrintsTheLogToo() throws {
        let rig = try Rig()
        let daemon = try daemon(rig.socket)
        defer { daemon.stop() }
        #expect(rig.ask("export", "in.mov", "-v") == 0)
        #expect(rig.out.hasPrefix("/in-trim.m4v\n"))
        #expect(rig.err.hasSuffix("10:00 started\n10:01 ended\n"))
    }
}
