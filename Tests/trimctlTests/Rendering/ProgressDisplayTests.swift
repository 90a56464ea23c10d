// When progress is shown, and where.
import Media
import Testing
import Text
import Wire

@testable import trimctl

/// Makes notifications.
enum JobProgressSample {
    static func make(_ fraction: Double, speed: Double? = 2.1, remaining: Double? = 12.4) -> JobProgress {
        JobProgress(
            id: 1, Progress(fraction: fraction, phase: .exporting, speed: speed, remaining: remaining))
    }
}

@Suite struct ProgressDisplayTests {
    @Test func plainLinesComeEveryTenPercentOrFiveSeconds() throws {
        let rig = try Rig()
        let display = ProgressDisplay(.auto, console: rig.surroundings.console, jobs: 1)
        for step in 0...100 { display.show(.sample(Double(step) / 100), at: Double(step) / 100) }
        #expect(rig.err.split(separator: "\n").count == 11)
        #expect(rig.err.contains("exporting 40 %, 2.1x, 13 s left\n"))
        #expect(rig.out.isEmpty)
        display.show(.sample(1), at: 4)
        #expect(rig.err.split(separator: "\n").count == 11)
        display.show(.sample(1), at: 6.5)
        #expect(rig.err.split(separator: "\n").count == 12)
    }

    @Test func waitingIsSaidOnce() throws {
        let rig = try Rig()
        let display = ProgressDisplay(.plain, console: rig.surroundings.console, jobs: 1)
        for second in 0..<60 { display.show(.sample(1, .waiting), at: Double(second)) }
        #expect(rig.err == "waiting\n")
    }

    @Test func theBarStaysOnItsLineAndGoes() throws {
        let rig = try Rig()
        rig.isTerminal = true
        rig.columns = 60
        let display = ProgressDisplay(.auto, console: rig.surroundings.console, jobs: 1)
        display.show(.sample(1, .waiting), at: 0)
        display.show(.sample(0.5), at: 1)
        #expect(!rig.err.contains("\n"))
        #expect(rig.err.contains("\r[\u{1B}[32m███"))
        display.say("trimctl: hello")
        #expect(rig.err.hasSuffix("\r\u{1B}[Ktrimctl: hello\n"))
        display.show(.sample(0.6), at: 2)
        display.clear()
        display.clear()
        #expect(rig.err.hasSuffix("left\u{1B}[K\r\u{1B}[K"))
    }

    @Test func noColorIsRespected() throws {
        for variables in [["NO_COLOR": "1"], ["NO_COLOR": "", "TERM": "xterm"]] {
            let rig = try Rig()
            rig.isTerminal = true
            rig.environment.merge(variables) { $1 }
            ProgressDisplay(.auto, console: rig.surroundings.console, jobs: 1).show(.sample(0.5), at: 0)
            #expect(rig.err.contains("\u{1B}[32m") == (variables["NO_COLOR"] == ""))
        }
    }

    @Test func aDumbTerminalGetsLines() throws {
        let rig = try Rig()
        rig.isTerminal = true
        rig.environment["TERM"] = "dumb"
        ProgressDisplay(.auto, console: rig.surroundings.console, jobs: 1).show(.sample(0.5), at: 0)
        #expect(rig.err == "exporting 50 %, 2.1x, 13 s left\n")
    }

    @Test func jsonLinesGoToStdout() throws {
        let rig = try Rig()
        let display = ProgressDisplay(.json, console: rig.surroundings.console, jobs: 1)
        display.show(.sample(1, .waiting), at: 0)
        display.show(.sample(0.5), at: 0)
        #expect(rig.err.isEmpty)
        let line = try rig.lastJSON()
        #expect(line["id"] == 1)
        #expect(line["progress"] == .double(0.5))
        #expect(line["phase"] == "exporting")
    }

    @Test func progressNeverFalls() throws {
        let rig = try Rig()
        let display = ProgressDisplay(.plain, console: rig.surroundings.console, jobs: 1)
        display.show(.sample(0.5), at: 0)
        display.show(.sample(0.2), at: 10)
        #expect(!rig.err.contains("20 %"))
    }

    @Test func nothingIsNothing() throws {
        let rig = try Rig()
        ProgressDisplay(.none, console: rig.surroundings.console, jobs: 1).show(.sample(0.5), at: 0)
        #expect(rig.err.isEmpty && rig.out.isEmpty)
    }
}
