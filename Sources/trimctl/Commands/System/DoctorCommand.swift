// `trimctl doctor`: whether the installation is well: first the way to the daemon, then what the daemon finds. Exit code
// 0 where all is well, 1 where something is not, 5 where there is no daemon to ask.
internal import Media
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
            // What can be told without a daemon, before the error itself.
            guard error.code == .noDaemon, !arguments.has(.standalone) else { throw error }
            let socket = SocketPath.find(option: arguments.given(.socket), in: surroundings)
            let result = DoctorResult(DoctorAdvice(surroundings: surroundings, socket: socket).checks(error))
            if asJSON { console.json(result) } else { console.print(DoctorCommand.page(result)) }
            throw error
        }
    }

    private func examine() throws(MediaError) -> Int32 {
        try Session.run(arguments, surroundings) { daemon throws(MediaError) in
            let hello = try daemon.connect()
            let found: DoctorResult = try daemon.call(.serverDoctor)
            let result = DoctorResult([DoctorCommand.way(hello, daemon.path)] + found.checks)
            if asJSON { console.json(result) } else { console.print(DoctorCommand.page(result)) }
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

    /// The checks in words.
    static func page(_ result: DoctorResult) -> String {
        var lines = Labelled()
        for check in result.checks {
            let remedy = check.remedy.map { "\n  → \($0)" } ?? ""
            lines.add("\(check.ok ? "✓" : "✗") \(check.name)", check.message + remedy)
        }
        let bad = result.checks.count { !$0.ok }
        return lines.text + (result.ok ? "all is well" : "\(bad) of \(result.checks.count) checks failed")
            + "\n"
    }
}
