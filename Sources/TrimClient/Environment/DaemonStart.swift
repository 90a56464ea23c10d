// How to start a daemon that is not there: by its service where one is installed for the socket, else by the program. It looks for
// the units of systemd, and opens nothing.
internal import FoundationEssentials

/// How to start the daemon of a socket.
package struct DaemonStart {
    /// The program that starts it.
    package enum Means: Equatable {
        /// The machine's service.
        case systemService
        /// The service of this user.
        case userService
        /// The program, on the socket where users' daemons have theirs.
        case program
        /// The program, on a socket of its own.
        case programAt(String)
    }

    /// The means, by the socket and the units that are installed.
    package let means: Means
    /// The program, with its path where it is known: few shells find what lies in libexec.
    private let program: String

    /// Folders of units, without `/system` and `/user`.
    private static let folders = [
        "/etc/systemd", "/usr/lib/systemd", "/usr/local/lib/systemd", "/lib/systemd",
    ]

    /// How to start the daemon of a socket.
    /// - Parameters:
    ///   - program: the path of the program; nil: it is not installed where anybody looks.
    ///   - exists: whether a path exists.
    package init(
        socket: String, in environment: [String: String], program: String?,
        exists: (String) -> Bool = { FileManager.default.fileExists(atPath: $0) }
    ) {
        self.program = ShellWord.quoted(program ?? "trimd")
        let runs = exists("/run/systemd/system")
        func isInstalled(_ kind: String) -> Bool {
            let own = environment["HOME"].map { $0 + "/.config/systemd" }
            let folders = DaemonStart.folders + (kind == "user" ? [own].compactMap(\.self) : [])
            return runs && folders.contains { exists("\($0)/\(kind)/trimd.service") }
        }
        let user = environment["XDG_RUNTIME_DIR"].map { $0 + "/trimd/trimd.sock" }
        // The user's socket is also where clients look last, when there is no service of the machine yet.
        means =
            switch socket {
            case SocketPath.system: isInstalled("system") || runs ? .systemService : .program
            case user where isInstalled("user"): .userService
            case user where isInstalled("system"): .systemService
            case user: runs ? .userService : .program
            default: .programAt(socket)
            }
    }

    /// The command, for a remedy.
    package var command: String {
        switch means {
        case .systemService: "systemctl start trimd"
        case .userService: "systemctl --user start trimd"
        case .program: "\(program) &"
        case .programAt(let socket): "\(program) --socket \(ShellWord.quoted(socket)) &"
        }
    }

    /// The remedy where nothing answers.
    /// - Parameter orStandalone: the command needs no daemon.
    package func remedy(orStandalone: Bool = false) -> String {
        "start it with `\(command)`" + (orStandalone ? ", or add --standalone, which needs no daemon" : "")
    }
}
