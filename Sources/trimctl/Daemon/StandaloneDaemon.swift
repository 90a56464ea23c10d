// A private trimd for one command: on a socket in a folder that only this user can access, removed with the command. It owns
// the child process and the folder; its creator must `end` it on every path (`Session` does).
internal import FoundationEssentials
internal import Glibc
internal import Media
internal import Platform
internal import TrimClient
internal import Wire

/// A private daemon.
final class StandaloneDaemon {
    /// Its socket.
    var socket: String { folder.socket }

    private let folder: StandaloneFolder
    private let child: ChildProcess

    /// Timeouts in seconds for the start and the end.
    private static let starting = 20.0, ending = 10.0

    /// Starts a daemon and waits until it answers.
    /// - Parameter sandbox: the policy for its workers; nil: from the settings.
    /// - Parameter state: a folder for a persistent queue; nil: the queue is removed with the daemon.
    /// - Parameter isForFew: for a job or two, it is ready sooner, and takes longer for each.
    static func start(
        in surroundings: Surroundings, sandbox: String? = nil, state: String? = nil,
        isForFew: Bool = false
    ) throws(MediaError) -> StandaloneDaemon {
        if let state { waitUntilFree(state) }
        let daemon = try StandaloneDaemon(surroundings, sandbox, state, isForFew: isForFew)
        do throws(MediaError) {
            try daemon.waitUntilReady(surroundings.interrupts)
        } catch {
            daemon.end()
            throw error
        }
        return daemon
    }

    /// Waits for a private daemon that is still ending because its command was killed. It holds a lock on its folder.
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
        _ surroundings: Surroundings, _ sandbox: String?, _ state: String?, isForFew: Bool
    ) throws(MediaError) {
        let program = try Self.program(for: surroundings)
        folder = try StandaloneFolder(in: surroundings.environment["TMPDIR"])
        // However this program ends, its end of the daemon's stdin closes, and the daemon exits.
        let words =
            [
                "--socket", folder.socket, "--state", state ?? folder.path + "/state",
                "--lifeline",
            ] + (sandbox.map { ["--sandbox", $0] } ?? [])
            + (isForFew ? ["--few-jobs"] : [])
        var spawn = Spawn(program, words, log: .appending(folder.path + "/trimd.log"))
        spawn.environment = surroundings.environment.filter { !Self.isServiceVariable($0.key) }
        do throws(SystemError) {
            child = try ChildProcess(spawn)
        } catch {
            folder.remove()
            throw MediaError(.noDaemon, error.description)
        }
    }

    /// Ends the daemon, waits for it, and removes its folder.
    func end() {
        child.end(within: Self.ending)
        folder.remove()
    }

    /// The last lines of the daemon's log, for an error: the log is removed with its folder.
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
                guard daemon.pause(milliseconds: 2) else { throw DaemonError.interrupted }
            }
        }
    }

    private func failed(_ message: String) -> MediaError {
        MediaError(.noDaemon, lastLines.map { "\(message): \($0)" } ?? message)
    }

    /// A line without the journal's priority prefix, such as `<6>`.
    private static func withoutPriority(_ line: Substring) -> String {
        guard line.first == "<", let end = line.firstIndex(of: ">"),
            line.distance(from: line.startIndex, to: end) == 2
        else { return String(line) }
        return String(line[line.index(after: end)...])
    }

    /// Whether systemd sets this variable for a service; a private daemon must not inherit it.
    private static func isServiceVariable(_ name: String) -> Bool {
        [
            "NOTIFY_SOCKET", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES", "WATCHDOG_USEC", "WATCHDOG_PID",
            "TRIMD_SOCKET",
        ]
        .contains(name)
    }

    /// The installed daemon, or another program of trimd: beside trimctl, in the installation folders, or on the path.
    static func program(
        _ name: String = "trimd", for surroundings: Surroundings
    ) throws(MediaError) -> String {
        if let path = InstalledProgram.path(
            of: name, beside: surroundings.program, in: surroundings.environment)
        {
            return path
        }
        throw MediaError(
            .noDaemon, "there is no \(name) beside trimctl or on the path",
            remedy: "install trimd, or name a daemon with --socket")
    }
}
