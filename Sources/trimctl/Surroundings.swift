// The process environment of a command: variables, working folder, console, signals. Read once, in one place, so that tests can
// replace it. It opens no file.
internal import FoundationEssentials
internal import Media
internal import Text
internal import TrimClient

/// The process environment of a command.
struct Surroundings {
    /// The environment's variables.
    let environment: [String: String]
    /// The working folder, absolute.
    let folder: String
    /// The path of trimctl itself; nil: unknown.
    let program: String?
    /// Where text is printed.
    let console: Console
    /// Ctrl-C and its like.
    let interrupts: Interrupts
    /// The command line, without the program's name.
    var words: [String] = []
    /// The descriptors of the standard streams, for an export from or to a pipe.
    var input = Terminal.standardInput, output = Terminal.standardOutput

    /// The same, with results on stderr: stdout carries media.
    var diverted: Surroundings {
        Surroundings(
            environment: environment, folder: folder, program: program, console: console.diverted,
            interrupts: interrupts, words: words, input: input, output: output)
    }

    /// The folders of the installed presets and of the machine's, for commands that ask no daemon.
    var presetFolders: [String] {
        let parts = program?.split(separator: "/") ?? []
        let installed =
            parts.count > 2 ? "/" + parts.dropLast(2).joined(separator: "/") + "/share/trimd/presets" : nil
        // A program that was built and not installed lies beneath its sources.
        let sources = (0..<max(parts.count, 1)).lazy.map {
            "/" + parts.dropLast($0).joined(separator: "/") + "/Presets"
        }
        .first { FileSystem.exists($0 + "/\(Preset.unnamed).json") }
        let first = installed.flatMap { FileSystem.exists($0) ? $0 : nil } ?? sources
        return [first, "/etc/trimd/presets"].compactMap(\.self)
    }

    /// The folder of a user's own presets.
    var presetFolder: String? {
        if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") {
            return folder + "/trimd/presets"
        }
        return environment["HOME"].map { $0 + "/.config/trimd/presets" }
    }

    /// A path as another process understands it: absolute, without `.` and `//`. `..` stays: behind a symbolic link it
    /// is not what it seems.
    func absolute(_ path: String) -> String {
        path.absolutePath(in: folder)
    }

    /// The daemon's socket.
    /// - Parameter option: the one that the command line names.
    func socket(option: String?) -> String {
        SocketPath.find(option: option, in: environment, folder: folder)
    }

    /// How to start the daemon of a socket.
    func start(socket: String) -> DaemonStart {
        DaemonStart(
            socket: socket, in: environment,
            program: InstalledProgram.path(beside: program, in: environment))
    }

    /// The path of an output; of a folder that is there it ends in a slash, and the output gets a name in it.
    func output(_ path: String) -> String {
        let full = absolute(path)
        return FileSystem.isFolder(full) && !full.endsInSlash ? full + "/" : full
    }

    /// The surroundings of this process.
    static func ofProcess() -> Surroundings {
        let environment = ProcessInfo.processInfo.environment
        return Surroundings(
            environment: environment, folder: FileSystem.workingFolder,
            program: try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
            console: Console(environment: environment), interrupts: Interrupts())
    }
}
