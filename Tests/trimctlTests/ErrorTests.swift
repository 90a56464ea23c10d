// Errors as users and scripts see them.
import FoundationEssentials
import Media
import MediaTime
import Testing
import Text
import Wire

@testable import TrimClient
@testable import trimctl

@Suite struct ErrorTests {
    @Test func theShapeOfAnError() throws {
        let rig = try Rig()
        let error = MediaError(
            .decodeFailed, "decoding failed", time: Time(21, 2), track: 1, remedy: "try another file")
        rig.surroundings.console.report(error, asJSON: true)
        #expect(rig.err == "trimctl: decoding failed (track 1, at 00:00:10.500); try another file\n")
        #expect(
            rig.out
                == #"{"error":{"code":"decodeFailed","message":"decoding failed","remedy":"try another file","#
                + #""time":{"seconds":10.5,"timescale":2,"value":21},"track":1}}"# + "\n")
    }

    @Test func usageErrorsAreJSONWhereAskedFor() throws {
        for words in [
            ["export", "--json"], ["export", "--progress", "json"], ["export", "--progress=json"],
        ] {
            let rig = try Rig()
            #expect(rig.run(words) == 2)
            #expect(try rig.lastJSON()["error"]?["code"] == "invalidRequest")
            #expect(rig.err.hasPrefix("trimctl: INPUT is missing; for example: trimctl export "))
        }
        let rig = try Rig()
        #expect(rig.run(["export"]) == 2)
        #expect(rig.out.isEmpty)
    }

    @Test func noDaemon() throws {
        for words in [["probe", "in"], ["list"]] {
            let rig = try Rig()
            let remedy =
                "start it with `trimd --socket \(rig.socket) &`"
                + (words == ["list"] ? "" : ", or add --standalone, which needs no daemon")
            #expect(rig.run(words + ["--socket", rig.socket]) == 5)
            #expect(rig.err.contains("no trimd answers on \(rig.socket)") && rig.err.contains(remedy))
        }
        let rig = try Rig()
        #expect(rig.ask("list") == 5)
        #expect(!rig.err.contains("--standalone"), "list has no such option")
    }

    @Test func theDaemonsErrorsKeepTheirTrackAndTime() throws {
        let time = try json(Time(7, 1))
        let remote = RemoteError(
            code: "presetNotValid", "no sound",
            details: ["time": time, "track": 2, "remedy": "choose m4v720"])
        #expect(
            DaemonError.answered(remote)
                == MediaError(
                    .presetNotValid, "no sound", time: Time(7, 1), track: 2, remedy: "choose m4v720"))
        #expect(
            DaemonError.answered(RemoteError(.invalidParams, code: "invalid-params", "x")).code
                == .invalidRequest)
        #expect(DaemonError.answered(RemoteError(code: "brandNew", "x")).code == .unknown)
    }

    @Test(arguments: ErrorCode.allCases) func everyFailureHasItsExitCode(code: ErrorCode) {
        var job = JobReport.sample(1, .failed)
        job.error = MediaError(code, "x")
        #expect(job.exitCode == code.exitCode)
        #expect(1...7 ~= job.exitCode)
    }

    @Test func theExitCodesOfTheOtherStates() {
        #expect(JobReport.sample(1, .completed).exitCode == 0)
        #expect(JobReport.sample(1, .cancelled).exitCode == 4)
        var job = JobReport.sample(1, .failed)
        job.error = nil
        #expect(job.exitCode == 1)
    }

    @Test func helpAndVersionGoToStdout() throws {
        let rig = try Rig()
        #expect(rig.run(["--version"]) == 0)
        #expect(rig.out == "trimctl \(trimdVersion)\n")
        #expect(rig.run(["-V", "--json"]) == 0)
        let report = try rig.lastJSON().decode(as: VersionReport.self)
        #expect(report.version == trimdVersion && report.commit == trimdCommit)
        #expect(rig.run(["export", "--help"]) == 0)
        #expect(rig.err.isEmpty)
    }

    @Test func theDoctorSaysWhyNobodyAnswers() throws {
        let rig = try Rig()
        #expect(rig.ask("doctor") == 5)
        #expect(rig.out.contains("there is no socket at \(rig.socket)"))
        #expect(rig.out.contains("→ "))
        try Data().write(to: URL(filePath: rig.socket))
        #expect(rig.ask("doctor") == 5)
        #expect(rig.out.contains("\(rig.socket) is not a socket"))
        let before = rig.lines.count
        #expect(rig.ask("doctor", "--json") == 5)
        #expect(rig.lines.count == before + 2)
        #expect(try rig.lastJSON()["error"]?["code"] == "noDaemon")
    }
}
