// The checks of `trimctl doctor` without a daemon: why none answers, and what to do, from the files on disk. It opens no file
// but presets, and changes nothing.
internal import FoundationEssentials
internal import Media
internal import TrimClient
internal import Wire

/// Checks that need no daemon.
struct DoctorAdvice {
    let surroundings: Surroundings
    /// The daemon's expected socket.
    let socket: String

    /// Why no daemon answers, whether the programs exist, and the user's presets.
    func checks(_ error: MediaError) -> [DoctorResult.Check] {
        [daemon(error), program(), presets()]
    }

    private func daemon(_ error: MediaError) -> DoctorResult.Check {
        guard let found = try? FileManager.default.attributesOfItem(atPath: socket) else {
            return DoctorResult.Check(
                "daemon", ok: false,
                "there is no socket at \(socket): trimd is not running, or listens elsewhere",
                remedy: start)
        }
        guard found[.type] as? FileAttributeType == .typeSocket else {
            return DoctorResult.Check(
                "daemon", ok: false, "\(socket) is not a socket",
                remedy: "name the daemon's with --socket or $TRIMD_SOCKET")
        }
        guard FileManager.default.isWritableFile(atPath: socket) else {
            return DoctorResult.Check(
                "daemon", ok: false, "you have no right to ask on \(socket)",
                remedy: "ask its owner to be let in, or start a trimd of your own")
        }
        return DoctorResult.Check(
            "daemon", ok: false, error.message,
            remedy: "see why it ended with `journalctl -u trimd`, and \(start)")
    }

    /// How to start a daemon here.
    private var start: String {
        let start = surroundings.start(socket: socket)
        switch start.means {
        case .systemService: return "start it with `sudo systemctl enable --now trimd.socket`"
        case .userService: return "start it with `systemctl --user enable --now trimd.socket`"
        case .program, .programAt:
            return "start one with `\(start.command)`, or add --standalone to a command, which needs none"
        }
    }

    private func program() -> DoctorResult.Check {
        do throws(MediaError) {
            return DoctorResult.Check(
                "program", ok: true, "trimd is installed: \(try StandaloneDaemon.program(for: surroundings))")
        } catch {
            return DoctorResult.Check("program", ok: false, error.message, remedy: error.remedy)
        }
    }

    private func presets() -> DoctorResult.Check {
        let own = OwnPresets(surroundings).catalogue
        // A preset that extends one of the daemon's cannot be checked without it.
        let known = own.unresolved.isEmpty ? own.problems : []
        let problems = known.map { "\($0.file): \($0.message)" }
        return DoctorResult.Check(
            "presets", ok: problems.isEmpty,
            problems.isEmpty
                ? Units.count(own.presets.count, "preset") + " of your own"
                : problems.joined(separator: "; "),
            remedy: problems.isEmpty ? nil : "repair or remove these files")
    }
}
