// The surroundings of a command in a test: a scratch folder, a console that remembers, and no process around it. It runs a command
// line on the caller's thread. It starts no daemon: that is FakeDaemon.
import FoundationEssentials
import Media
import Testing
import Text
import Wire

@testable import TrimClient
@testable import trimctl

/// A command's surroundings in a test.
final class Rig {
    let folder: String
    let interrupts = Interrupts()
    var environment: [String: String]
    var isTerminal = false
    /// Where trimctl itself would lie.
    var program: String?
    var columns = 80
    /// The standard streams of an export from or to a pipe; -1: closed.
    var input: Int32 = -1, output: Int32 = -1
    /// Everything written, in order of its stream.
    private(set) var out = "", err = ""
    /// Sees each piece of text as it is written; gets the rig, so as not to hold it.
    var onWrite: (Rig, String) -> Void = { _, _ in }
    /// The result of writing to stdout: 0, or an errno.
    var outcome: Int32 = 0

    init() throws {
        folder = "/tmp/trimctl-test-" + String(UInt64.random(in: .min ... .max), radix: 36)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        environment = ["HOME": folder, "LANG": "C.UTF-8"]
    }

    deinit {
        // A daemon that is ending may take its socket away in the same moment.
        for _ in 0..<3 where FileManager.default.fileExists(atPath: folder) {
            try? FileManager.default.removeItem(atPath: folder)
        }
    }

    var socket: String { folder + "/trimd.sock" }

    var surroundings: Surroundings {
        let console = Console(
            environment: environment, isTerminal: isTerminal, columns: { self.columns },
            out: { text in
                self.out += text
                self.onWrite(self, text)
                return self.outcome
            },
            err: { text in
                self.err += text
                self.onWrite(self, text)
                return 0
            })
        return Surroundings(
            environment: environment, folder: folder, program: program, console: console,
            interrupts: interrupts, input: input, output: output)
    }

    /// Runs a command line; the answer is the exit code.
    func run(_ words: [String]) -> Int32 { Program.run(words, in: surroundings) }

    /// Runs a command line against the daemon on the rig's socket.
    func ask(_ words: String...) -> Int32 { run(words + ["--socket", socket]) }

    /// The lines of stdout.
    var lines: [String] { out.split(separator: "\n").map(String.init) }

    /// The last line of stdout as JSON.
    func lastJSON() throws -> JSONValue { try JSONValue(parsing: Array((lines.last ?? "").utf8)) }
}

extension JobReport {
    /// A job in some state.
    static func sample(_ id: Int64 = 1, _ status: JobStatus = .waiting, progress: Double = 0) -> JobReport {
        var job = JobReport(
            id: id, status: status, preset: "m4v720", render: .encode, input: "/in.mov",
            output: "/in-trim.m4v",
            created: Moment(milliseconds: 1_700_000_000_000), user: 0)
        job.progress = progress
        if status == .exporting { job.phase = .exporting }
        if status == .failed { job.error = MediaError(.decodeFailed, "decoding failed", track: 0) }
        return job
    }
}
