// One call of the daemon about files, descriptors or processes fails, or is its last: for every call that an export costs, from
// its submission to its end, publication and queue included. After each, the job has come to its end once, or was refused;
// nobody sees half an output; the final status is that of the files, and nothing is left.
import Foundation
import Glibc
import Testing

@Suite(.enabled("the library that strikes calls cannot be built") { FaultShim.library != nil })
struct CallFaultTests {
    /// A way to strike.
    struct Blow: CustomStringConvertible, Sendable {
        var mode: FaultShim.Mode
        var code: Int32
        var description: String { "\(mode) \(code == ENOSPC ? "ENOSPC" : "EIO")" }
    }

    static let blows = [
        Blow(mode: .kill, code: 0), Blow(mode: .fail, code: EIO), Blow(mode: .fail, code: ENOSPC),
        Blow(mode: .failAfter, code: EIO),
    ]

    /// A daemon that is struck, and a small film that is copied: no encoder, so that each output is the same.
    final class Bench {
        let rig: Rig
        let shim: FaultShim
        let film: String
        private(set) var size = 0
        /// Calls that an export costs, at least.
        let least: Int
        private var environment: [String: String] = [:]
        private var settings = #"{"limits": {"retrySeconds": 0}}"#

        /// A bench on which trimd is struck, or its workers are.
        init(strikingWorkers: Bool = false) throws {
            rig = try Rig(booted: false)
            shim = try FaultShim(in: rig.folder)
            film = rig.path("film.mp4")
            least = strikingWorkers ? 20 : 100
            if strikingWorkers {
                try wrapWorkers()
            } else {
                environment = try shim.environment()
            }
            try rig.ffmpeg(
                "-f", "lavfi", "-i", "testsrc2=size=320x180:rate=25:duration=2", "-c:v", "libx264", "-preset",
                "ultrafast", "-g", "25", "-pix_fmt", "yuv420p", film)
            try boot()
            #expect(export("reference.mp4", "reference").code == 0)
            size = try #require(Bench.size(rig.path("reference.mp4")))
        }

        func boot() throws {
            let isUp = try rig.boot(workers: 1, environment: environment, settings: settings)
            try #require(isUp, "\(rig.daemonLog.suffix(2000))")
        }

        /// Workers inherit no environment: a program before them makes one. Each is started as a program, so that its calls are
        /// counted from its start.
        private func wrapWorkers() throws {
            let variables = try shim.environment().map { "\($0)='\($1)'" }.joined(separator: " ")
            let worker = Rig.programs.appending(path: "trim-worker").path
            let text = "#!/bin/sh\n\(variables) exec '\(worker)' \"$@\"\n"
            try Data(text.utf8).write(to: URL(filePath: rig.path("wrapped.sh")))
            // Another process writes the program: one that somebody may write cannot be run.
            _ = try Rig.capture("install", ["-m", "755", rig.path("wrapped.sh"), rig.path("wrapped")])
            settings =
                #"{"workerProgram": "\#(rig.path("wrapped"))", "forkServer": false, "limits": {"retrySeconds": 0}}"#
        }

        static func size(_ path: String) -> Int? {
            (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int
        }

        /// Exports, or joins what has that key; at most two minutes.
        /// - Parameter isPatient: waits for another daemon where this one ends, as users' clients do.
        func export(_ output: String, _ key: String, isPatient: Bool = true) -> Ended {
            let process = rig.start([
                "export", film, "--preset", "passthrough", "-o", rig.path(output), "--key", key, "--progress",
                "none",
            ])
            if !isPatient {
                let limit = ContinuousClock.now + .seconds(120)
                while process.isRunning, rig.isRunning, ContinuousClock.now < limit { usleep(10_000) }
                if process.isRunning, !rig.isRunning { kill(process.processIdentifier, SIGKILL) }
            }
            return rig.finish(process, within: 120)
        }

        /// The job of a key; nil where none was accepted. A failed lock may cost one more answer.
        func job(_ key: String) throws -> [String: Any]? {
            var list = rig.trimctl("list", "--json", "--limit", "3")
            for _ in 0..<10 where list.code != 0 { list = rig.trimctl("list", "--json", "--limit", "3") }
            #expect(list.code == 0, "\(list.out) \(list.err)")
            let jobs = try JSONSerialization.jsonObject(with: Data(list.out.utf8)) as? [[String: Any]]
            return jobs?.first { ($0["output"] as? String)?.hasSuffix("/\(key).mp4") == true }
        }

        /// Strikes the `number`th call of an export; nil where there were not so many.
        func strike(_ blow: Blow, _ number: Int) throws -> String? {
            let key = "\(blow.mode)-\(blow.code)-\(number)"
            let output = "\(key).mp4"
            let path = rig.path(output)
            try shim.arm(blow.mode, call: number, code: blow.code, changing: blow.mode == .kill)
            let ended = export(output, key, isPatient: blow.mode != .kill)
            try shim.disarm()
            guard let what = try shim.struck else { return nil }
            let comment: Comment = "call \(number), \(what): \(ended.err)"
            #expect(!ended.isEndless, comment)
            // Under its name there is nothing, or all of it; where the job has failed, nothing.
            if let found = Bench.size(path) { #expect(found == size, comment) }
            if ![0, 5].contains(ended.code), blow.mode != .kill { #expect(!rig.exists(output), comment) }
            // Struck after the client's answer, it may be dying still.
            if blow.mode == .kill { awaitDeath() }
            if !rig.isRunning { try boot() }
            let status = try end(key)
            #expect(
                [nil, "completed", "failed"].contains(status),
                "\(comment): \(status ?? "") \(rig.daemonLog.suffix(1000))")
            #expect((status == "completed") == rig.exists(output), comment)
            if status == "failed", let id = try job(key)?["id"] { rig.trimctl("retry", "\(id)") }
            let again = export(output, key)
            #expect(again.code == 0, "\(comment), and then: \(again.err)")
            #expect(Bench.size(path) == size, comment)
            if try !rig.leftovers().isEmpty {
                // A file that could not be removed is noted, and goes with the next start.
                rig.end(SIGKILL)
                try boot()
                #expect(try rig.leftovers().isEmpty, comment)
            }
            try? FileManager.default.removeItem(atPath: path)
            return what
        }

        /// Waits for the end of a daemon that was struck dead.
        func awaitDeath() {
            let limit = ContinuousClock.now + .seconds(30)
            while rig.isRunning, ContinuousClock.now < limit { usleep(10_000) }
        }

        /// The status that a job comes to within a minute: its final one, where it is not stuck.
        private func end(_ key: String) throws -> String? {
            let limit = ContinuousClock.now + .seconds(60)
            while true {
                let status = try job(key)?["status"] as? String
                let isFinal = [nil, "completed", "failed", "cancelled"].contains(status)
                if isFinal || ContinuousClock.now > limit { return status }
                usleep(50_000)
            }
        }
    }

    @Test(.timeLimit(.minutes(10)), arguments: blows) func aSampleOfCalls(_ blow: Blow) throws {
        try sample(try Bench(), blow, 6)
    }

    /// A sealed worker is struck: trimd outlives it, and what it leaves is no output.
    @Test(.timeLimit(.minutes(10)), arguments: blows) func aSampleOfAWorkersCalls(_ blow: Blow) throws {
        let bench = try Bench(strikingWorkers: true)
        let daemon = bench.rig.pid
        try sample(bench, blow, 4)
        #expect(bench.rig.pid == daemon)
    }

    /// How many there are; then some of them, others each time.
    private func sample(_ bench: Bench, _ blow: Blow, _ some: Int) throws {
        try bench.shim.arm(.fail, call: .max, changing: blow.mode == .kill)
        #expect(bench.export("count.mp4", "count").code == 0)
        let count = try bench.shim.count
        #expect(count > bench.least)
        let step = max(1, count / some)
        for number in stride(from: Int.random(in: 1...step), to: count, by: step) {
            _ = try bench.strike(blow, number)
        }
    }

    @Test(.enabled(if: isThorough), .timeLimit(.minutes(10)), arguments: blows)
    func everyCall(_ blow: Blow) throws {
        try every(try Bench(), blow)
    }

    @Test(.enabled(if: isThorough), .timeLimit(.minutes(10)), arguments: blows)
    func everyCallOfAWorker(_ blow: Blow) throws {
        try every(try Bench(strikingWorkers: true), blow)
    }

    private func every(_ bench: Bench, _ blow: Blow) throws {
        var names: [String: Int] = [:]
        var number = 1
        // Threads take turns as they like: the last call may be one more the next time.
        var misses = 0
        while misses < 3 {
            if let what = try bench.strike(blow, number) {
                names[what, default: 0] += 1
                misses = 0
            } else {
                misses += 1
            }
            number += 1
        }
        #expect(names.values.reduce(0, +) > bench.least)
        let list = names.sorted { $0.value > $1.value }.map { "\($0.value) \($0.key)" }.joined(
            separator: ", ")
        print("CallFaultTests: \(blow): \(list)")
    }

    /// A start is struck too: the daemon dies at every call of one that finds a job whose output was about to get its name.
    @Test(.enabled(if: isThorough), .timeLimit(.minutes(10))) func everyCallOfAStart() throws {
        let bench = try Bench()
        var number = 1
        while true {
            let key = "start-\(number)"
            try bench.shim.arm(.kill, call: 1, only: "renameat2")
            #expect(bench.export("\(key).mp4", key, isPatient: false).code != 0)
            bench.awaitDeath()
            #expect(try bench.rig.leftovers().count == 1)
            try bench.shim.arm(.kill, call: number, changing: true)
            _ = try bench.rig.boot(workers: 1, environment: try bench.shim.environment())
            try bench.shim.disarm()
            let isDone = try bench.shim.struck == nil
            if !isDone { bench.awaitDeath() }
            if !bench.rig.isRunning { try bench.boot() }
            let again = bench.export("\(key).mp4", key)
            #expect(again.code == 0, "call \(number) of a start: \(again.err)")
            #expect(Bench.size(bench.rig.path("\(key).mp4")) == bench.size)
            #expect(try bench.rig.leftovers().isEmpty)
            if isDone { break }
            bench.rig.end(SIGKILL)
            try bench.boot()
            number += 1
        }
        print("CallFaultTests: \(number - 1) calls of a start, each the last one once")
        #expect(number > 50)
    }
}
