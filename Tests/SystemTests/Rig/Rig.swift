// The real programs, as processes, in a folder of their own: a booted trimd, trimctl, and media made for the test. All
// processes started here end with the test, on every path.
import Foundation
import Glibc
import Synchronization
import Testing

/// How a program ended.
struct Ended {
    var code: Int32
    var out: String
    var err: String
    /// It did not end in its time, and was killed.
    var isEndless = false

    /// The last line of the output as a JSON object.
    func json() throws -> [String: Any] {
        let line = try #require(out.split(separator: "\n").last, "no output; stderr: \(err)")
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
        return try #require(object as? [String: Any])
    }
}

/// A folder with a daemon of its own.
final class Rig {
    let folder: URL
    private var daemon: Process?
    private var started: [Process] = []
    /// The number in the names of a process's log files: its object's address may be another's later.
    private var numbers: [ObjectIdentifier: Int] = [:]
    private var lastNumber = 0

    /// The folder of the programs: beside the program that runs the tests.
    static let programs: URL = {
        if let named = ProcessInfo.processInfo.environment["TRIMD_PROGRAMS"] { return URL(filePath: named) }
        let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        var folder = URL(filePath: own ?? "/").deletingLastPathComponent()
        while folder.path != "/" {
            if FileManager.default.isExecutableFile(atPath: folder.appending(path: "trimctl").path) {
                return folder
            }
            folder.deleteLastPathComponent()
        }
        return URL(filePath: own ?? "/").deletingLastPathComponent()
    }()

    private static let presets = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Presets")

    var socket: String { folder.appending(path: "s").path }

    /// Makes the folder, and boots a daemon in it unless `booted` is false.
    init(workers: Int = 2, booted: Bool = true) throws {
        folder = FileManager.default.temporaryDirectory.appending(
            path: "trimd-test-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        if booted { try boot(workers: workers) }
    }

    deinit {
        for process in started where process.isRunning { kill(process.processIdentifier, SIGKILL) }
        for process in started { process.waitUntilExit() }
        try? FileManager.default.removeItem(at: folder)
    }

    /// Starts the daemon on this folder's state, and waits until it answers; with more variables in its environment, and
    /// settings. False where it does not come to answering, and has ended.
    @discardableResult
    func boot(
        workers: Int = 2, environment more: [String: String] = [:],
        settings: String = #"{"limits": {"retrySeconds": 0}}"#, options: [String] = []
    ) throws -> Bool {
        try Data(settings.utf8).write(to: folder.appending(path: "trimd.json"))
        let process = Process()
        process.executableURL = Rig.programs.appending(path: "trimd")
        process.arguments =
            [
                "--socket", socket, "--state", path("state"), "--workers", "\(workers)", "--presets",
                Rig.presets.path, "--config", path("trimd.json"),
            ] + options
        process.environment = ProcessInfo.processInfo.environment.merging(more) { $1 }
        process.standardError = try log("trimd.log")
        try process.run()
        started.append(process)
        daemon = process
        try wait("the daemon to answer") { !process.isRunning || trimctl("status").code == 0 }
        return process.isRunning
    }

    /// Waits for the daemon's own end; the signal that ended it.
    func awaitDeath() throws -> Int32 {
        try wait("the daemon's end") { daemon?.isRunning == false }
        return daemon?.terminationReason == .uncaughtSignal ? daemon?.terminationStatus ?? 0 : 0
    }

    /// The logs of the daemons of this folder.
    var daemonLog: String {
        String(decoding: FileManager.default.contents(atPath: path("trimd.log")) ?? Data(), as: UTF8.self)
    }

    /// The daemon has not ended.
    var isRunning: Bool { daemon?.isRunning ?? false }

    /// The daemon's process.
    var pid: Int32 { daemon?.processIdentifier ?? 0 }

    /// Sends the daemon a signal and waits for its end.
    func end(_ signal: Int32) {
        kill(pid, signal)
        guard let daemon else { return }
        daemon.waitUntilExit()
        forget(daemon)
    }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

    /// Names in the folder that an unfinished export left.
    func leftovers() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".part") }
    }

    private func log(_ name: String) throws -> FileHandle {
        if !exists(name) { _ = FileManager.default.createFile(atPath: path(name), contents: nil) }
        let handle = try FileHandle(forWritingTo: folder.appending(path: name))
        try handle.seekToEnd()
        return handle
    }

    /// A number of its own for a process that is about to be started.
    private func number(_ process: Process) -> Int {
        if let number = numbers[ObjectIdentifier(process)] { return number }
        lastNumber += 1
        numbers[ObjectIdentifier(process)] = lastNumber
        return lastNumber
    }

    /// Runs trimctl to its end.
    @discardableResult
    func trimctl(_ arguments: String..., daemon: Bool = true) -> Ended {
        let process = start(arguments, daemon: daemon)
        return finish(process)
    }

    /// Runs another program to its end, in the folder.
    func run(_ program: String, _ arguments: [String]) throws -> Ended {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.standardOutput = try log("\(number(process)).out")
        process.standardError = try log("\(number(process)).err")
        process.standardInput = FileHandle.nullDevice
        try process.run()
        started.append(process)
        return finish(process)
    }

    /// Starts trimctl, with this folder for queues of private daemons.
    func start(_ arguments: [String], daemon: Bool = true, state: String = "states") -> Process {
        let process = Process()
        process.executableURL = Rig.programs.appending(path: "trimctl")
        process.arguments = arguments
        process.currentDirectoryURL = folder
        var environment = ProcessInfo.processInfo.environment
        environment["TRIMD_SOCKET"] = daemon ? socket : path("nobody")
        environment["XDG_STATE_HOME"] = path(state)
        process.environment = environment
        process.standardOutput = try? log("\(number(process)).out")
        process.standardError = try? log("\(number(process)).err")
        process.standardInput = FileHandle.nullDevice
        try? process.run()
        started.append(process)
        return process
    }

    /// Waits for a trimctl that was started.
    func finish(_ process: Process) -> Ended {
        process.waitUntilExit()
        defer { forget(process) }
        return Ended(code: process.terminationStatus, out: said(process, "out"), err: said(process, "err"))
    }

    /// Waits for a trimctl that was started, so long and no longer.
    func finish(_ process: Process, within seconds: Double) -> Ended {
        let limit = ContinuousClock.now + .seconds(seconds)
        while process.isRunning, ContinuousClock.now < limit { usleep(10_000) }
        let isEndless = process.isRunning
        if isEndless { kill(process.processIdentifier, SIGKILL) }
        var ended = finish(process)
        ended.isEndless = isEndless
        return ended
    }

    /// Lets go of a process that has ended, with its descriptors: a test of thousands would run out of them.
    private func forget(_ process: Process) {
        started.removeAll { $0 === process }
        numbers[ObjectIdentifier(process)] = nil
    }

    /// The output of a trimctl so far, on `out` or `err`.
    func said(_ process: Process, _ kind: String) -> String {
        let data = FileManager.default.contents(
            atPath: path("\(numbers[ObjectIdentifier(process)] ?? 0).\(kind)"))
        return String(decoding: data ?? Data(), as: UTF8.self)
    }

    /// Waits until something is so, at most two minutes: a machine may have much else to do.
    func wait(_ what: String, until isSo: () throws -> Bool) throws {
        let began = ContinuousClock.now
        while ContinuousClock.now - began < .seconds(120) {
            if try isSo() { return }
            usleep(50_000)
        }
        Issue.record("waited too long for \(what)")
    }

    /// A film of 4 seconds with audio.
    func film(_ name: String = "film.mp4") throws -> String {
        try ffmpeg(
            "-f", "lavfi", "-i", "testsrc2=size=320x180:rate=25:duration=4", "-f", "lavfi", "-i",
            "aevalsrc=0.2*sin(2*PI*(200*t+60*t*t)):s=48000:d=4", "-c:v", "libx264", "-preset", "veryfast",
            "-g", "25", "-pix_fmt", "yuv420p", "-c:a", "aac", path(name))
        return path(name)
    }

    /// A film that takes many seconds to export.
    func longFilm(_ name: String = "long.mp4", seconds: Int = 60) throws -> String {
        try ffmpeg(
            "-f", "lavfi", "-i", "testsrc2=size=1280x720:rate=25:duration=\(seconds)", "-c:v", "libx264",
            "-preset", "ultrafast", "-pix_fmt", "yuv420p", path(name))
        return path(name)
    }

    /// Runs `ffmpeg`. A file that is made of nothing but test signals is encoded once in a process, and copied from then on.
    func ffmpeg(_ arguments: String...) throws {
        let isMadeHere = zip(["-i"] + arguments, arguments).allSatisfy { $1 != "-i" || $0 == "lavfi" }
        let file = URL(filePath: arguments.last ?? "")
        let key = arguments.dropLast() + [file.pathExtension]
        if isMadeHere, let film = Rig.films.withLock({ $0[key] }) { return try film.write(to: file) }
        _ = try Rig.capture("ffmpeg", ["-v", "error", "-nostdin", "-y"] + arguments)
        guard isMadeHere else { return }
        let film = try Data(contentsOf: file)
        Rig.films.withLock { $0[key] = film }
    }

    /// Films of test signals, by the words that made them.
    private static let films = Mutex<[ArraySlice<String>: Data]>([:])

    /// Presentation times of the frames of a file, according to ffprobe.
    static func frameTimes(_ path: String) throws -> [String] {
        try capture(
            "ffprobe",
            [
                "-v", "error", "-select_streams", "v:0", "-show_entries", "frame=best_effort_timestamp_time",
                "-of", "csv=p=0", path,
            ]
        ).split(separator: "\n").map { String($0.filter { $0 != "," }) }.filter { !$0.isEmpty }
    }

    static func capture(_ program: String, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(program) \(arguments)")
        return String(decoding: data, as: UTF8.self)
    }
}
