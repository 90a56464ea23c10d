// `trimctl doctor`: checks the installation: first the connection to the daemon, then the daemon's own checks. Exit code 0 if
// all pass, 1 if one fails, 5 if there is no daemon.
internal import Media
internal import TrimClient
internal import Wire

/// `trimctl doctor`.
struct DoctorCommand: Command {
    let arguments: Arguments
    let surroundings: Surroundings

    init(_ arguments: Arguments, _ surroundings: Surroundings) {
        self.arguments = arguments
        self.surroundings = surroundings
    }

    func run() throws(MediaError) -> Int32 {
        do throws(MediaError) {
            return try examine()
        } catch {
            // Checks without a daemon come before the error itself.
            guard error.code == .noDaemon, !arguments.has(.standalone) else { throw error }
            let socket = surroundings.socket(option: arguments.given(.socket))
            let result = DoctorResult(DoctorAdvice(surroundings: surroundings, socket: socket).checks(error))
            if asJSON {
                console.json(result)
            } else {
                console.print(DoctorCommand.page(result, isUnicode: console.isUnicode))
            }
            throw error
        }
    }

    private func examine() throws(MediaError) -> Int32 {
        try Session.run(arguments, surroundings) { daemon throws(MediaError) in
            let hello = try daemon.connect()
            let found: DoctorResult = try daemon.call(.serverDoctor)
            let result = DoctorResult([DoctorCommand.way(hello, daemon.path)] + found.checks)
            if asJSON {
                console.json(result)
            } else {
                console.print(DoctorCommand.page(result, isUnicode: console.isUnicode))
            }
            return result.ok ? 0 : 1
        }
    }

    /// The check that only the client can make.
    static func way(_ hello: HelloResult, _ path: String) -> DoctorResult.Check {
        let said = "trimd \(hello.version) answers on \(path) (process \(hello.pid), user \(hello.user))"
        guard hello.version != trimdVersion else { return DoctorResult.Check("daemon", ok: true, said) }
        return DoctorResult.Check(
            "daemon", ok: false, "\(said), and this is trimctl \(trimdVersion)",
            remedy: "install both from one release, and restart trimd")
    }

    /// The checks as text.
    static func page(_ result: DoctorResult, isUnicode: Bool) -> String {
        let (good, bad, arrow) = isUnicode ? ("✓", "✗", "→") : ("ok", "NO", "->")
        var lines = Labelled()
        for check in result.checks {
            let remedy = check.remedy.map { "\n  \(arrow) \($0)" } ?? ""
            lines.add("\(check.ok ? good : bad) \(check.name)", check.message + remedy)
        }
        let failed = result.checks.count { !$0.ok }
        return lines.text
            + (result.ok ? "all is well" : "\(failed) of \(Units.count(result.checks.count, "check")) failed")
            + "\n"
    }
}

extension CommandTable {
    static let doctor = CommandEntry(
        "doctor", DoctorCommand.self, synopsis: ["[--json]"],
        abstract: "Check the installation: daemon, sandbox, state, presets, database",
        discussion: [
            "The daemon starts a sealed process that tries what a worker must not be able to do.",
            "Root and the user that trimd runs as also see the database, the paths that trimd may write, and all users' jobs.",
            "With --standalone a private trimd is checked, as `trimctl export --standalone` would start it.",
        ],
        positionals: [], options: [.json, .standalone, .sandbox, .socket],
        exclusive: [[.standalone, .socket]],
        examples: [
            Example("trimctl doctor", "whether all is well: exit code 0 or 1, and 5 without a daemon")
        ],
        exitCodes: codes(0, 1, 2, 4, 5))
}
