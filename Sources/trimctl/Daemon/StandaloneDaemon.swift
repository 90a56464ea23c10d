// A private trimd for one command: on a socket in a folder that only this user can enter, gone with the command. It owns
// the child process and the folder; whoever starts it must `end` it on every path (`Session` does).
internal import FoundationEssentials
internal import Glibc
internal import Media
internal import Platform
internal import Wire

/// A private daemon.
final class StandaloneDaemon {
    /// Its socket.
    var socket: String { folder.socket }

    private let folder: StandaloneFolder
    private let child: ChildProcess

    /// Seconds it may take to answer, and to end.
    private static let starting = 20.0, ending = 10.0

    /// Starts a daemon and waits until it answers.
    /// - Parameter sandbox: the policy for its workers; nil: that of the settings.
    /// - Parameter workers: exports that run at once.
    /// - Parameter state: a folder for a queue that outlives the daemon; nil: its queue goes with it.
    static func start(
        in surroundings: Surroundings, sandbox: String? = nil, workers: Int = 1, state: String? = nil
    ) throws(MediaError) -> StandaloneDaemon {
        if let state { waitUntilFree(state) }
        let daemon = try StandaloneDaemon(surroundings, sandbox, workers, state)
        do throws(MediaError) {
            try daemon.waitUntilReady(surroundings.interrupts)
        } catch {
            daemon.end()
            throw error
        }
        return daemon
    }

    /// Waits for a private daemon that is still ending: its command was killed a moment ago. It holds a lock on its folder.
    private static func waitUntilFree(_ state: String) {
        let folder = unsafe open(state, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return }
        defer { close(folder) }
        let limit = Terminal.now + ending + 5
        while flock(folder, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK, Terminal.now < limit {
            usleep(50_000)
        }
    }

    private init(
        _ surroundings: Surroundings, _ sandbox: String?, _ workers: Int, _ state: String?
    ) throws(MediaError) {
        let program = try Self.program(for: surroundings)
        folder = try StandaloneFolder(in: surroundings.environment["TMPDIR"])
        // However this program ends, its end of the daemon's standard input closes, and the daemon ends too.
        let words =
            [
                "--socket", folder.socket, "--state", state ?? folder.path + "/state",
                "--workers", "\(workers)", "--lifeline",
            ] + (sandbox.map { ["--sandbox", $0] } ?? [])
        var spawn = Spawn(program, words, log: .appending(folder.path + "/trimd.log"))
        spawn.environment = surroundings.environment.filter { !Self.isServiceVariable($0.key) }
        do throws(SystemError) {
            child = try ChildProcess(spawn)
        } catch {
            folder.remove()
            throw MediaError(.noDaemon, error.description)
        }
    }

    /// Ends the daemon, waits for that, and removes its folder.
    func end() {
        child.end(within: Self.ending)
        folder.remove()
    }

    /// The end of what the daemon said, for an error: its log goes with its folder.
    var lastLines: String? {
        guard let bytes = FileManager.default.contents(atPath: folder.path + "/trimd.log") else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").suffix(3)
        return lines.isEmpty ? nil : lines.map { Self.withoutPriority($0) }.joined(separator: " / ")
    }

    private func waitUntilReady(_ interrupts: Interrupts) throws(MediaError) {
        let limit = Terminal.now + Self.starting
        let daemon = DaemonConnection(path: socket, interrupts: interrupts)
        while true {
            do throws(MediaError) {
                try daemon.connect(within: .seconds(Self.starting))
                return
            } catch {
                if error.code != .noDaemon { throw error }
                guard child.isRunning else { throw failed("the private trimd ended at once") }
                guard Terminal.now < limit else {
                    throw failed("the private trimd did not answer within \(Int(Self.starting)) s")
                }
                guard daemon.pause(milliseconds: 10) else { throw DaemonError.interrupted }
            }
        }
    }

    private func failed(_ message: String) -> MediaError {
        MediaError(.noDaemon, lastLines.map { "\(message): \($0)" } ?? message)
    }

    /// The journal's priority before a line, as `<6>`.
    private static func withoutPriority(_ line: Substring) -> String {
        guard line.first == "<", let end = line.firstIndex(of: ">"),
            line.distance(from: line.startIndex, to: end) == 2
        else { return String(line) }
        return String(line[line.index(after: end)...])
    }

    /// What systemd tells a service is not meant for a daemon within it.
    private static func isServiceVariable(_ name: String) -> Bool {
        [
            "NOTIFY_SOCKET", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES", "WATCHDOG_USEC", "WATCHDOG_PID",
            "TRIMD_SOCKET",
        ]
        .contains(name)
    }

    /// The daemon of this installation: beside trimctl, in the folders it is installed to, or on the path.
    static func program(for surroundings: Surroundings) throws(MediaError) -> String {
        var folders: [String] = []
        if let parts = surroundings.program?.split(separator: "/"), !parts.isEmpty {
            // Links in it are resolved already, so what is above it is what its words say.
            let own = "/" + parts.dropLast().joined(separator: "/")
            let above = "/" + parts.dropLast(2).joined(separator: "/")
            folders += [own] + ["/libexec/trimd", "/libexec", "/sbin", "/bin"].map { above + $0 }
        }
        folders += (surroundings.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        for folder in folders where folder.hasPrefix("/") {
            let path = folder + "/trimd"
            var isFolder = false
            if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder,
                FileManager.default.isExecutableFile(atPath: path)
            {
                return path
            }
        }
        throw MediaError(
            .noDaemon, "there is no trimd beside trimctl or on the path",
            remedy: "install trimd, or name a daemon with --socket")
    }
}
