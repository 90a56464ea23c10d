// Paths: the default paths, from the user, the environment and the path of the program. Pure except for checks whether files
// exist.
internal import Glibc
internal import Media
internal import Platform
internal import Text
internal import Wire

/// The default paths.
struct Paths: Sendable {
    /// The user this process runs as.
    var user: UInt32
    /// The relevant environment variables.
    var environment: [String: String]
    /// The absolute path of this program, symbolic links resolved.
    var executable: String
    /// The folder that relative paths start from.
    var workingFolder: String
    /// Whether a path exists; replaced in tests.
    var exists: @Sendable (String) -> Bool = { Kernel.mayAccess($0, F_OK) }

    /// The paths of this process.
    static func current() -> Paths {
        let names = [
            "STATE_DIRECTORY", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "HOME", "TRIMD_SOCKET",
            "JOURNAL_STREAM", "RUNTIME_DIRECTORY", "CONFIGURATION_DIRECTORY",
        ]
        var environment: [String: String] = [:]
        for name in names {
            environment[name] = Kernel.variable(name)
        }
        return Paths(
            user: geteuid(), environment: environment.filter { !$0.value.isEmpty },
            executable: Kernel.resolved("/proc/self/exe") ?? "/usr/bin/trimd",
            workingFolder: Kernel.resolved(".") ?? "/")
    }

    /// The state directory.
    func state() throws(MediaError) -> String {
        if let given = systemd("STATE_DIRECTORY") { return given }
        if let base = environment["XDG_STATE_HOME"] { return base + "/trimd" }
        if user == 0 { return "/var/lib/trimd" }
        return try home("--state") + "/.local/state/trimd"
    }

    /// Whether the environment names the socket.
    var namesSocket: Bool { environment["TRIMD_SOCKET"] != nil }

    /// The path of the socket.
    func socket() throws(MediaError) -> String {
        if let given = environment["TRIMD_SOCKET"] { return given }
        if let given = systemd("RUNTIME_DIRECTORY") { return given + "/trimd.sock" }
        if user == 0 { return "/run/trimd/trimd.sock" }
        guard let base = environment["XDG_RUNTIME_DIR"] else {
            throw MediaError(
                .invalidRequest, "XDG_RUNTIME_DIR is not set, so there is no default path for the socket",
                remedy: "give --socket PATH")
        }
        return base + "/trimd/trimd.sock"
    }

    /// The settings file, whether or not it exists.
    func settings() -> String? { configurationFolder().map { $0 + "/trimd.json" } }

    /// The preset folders, the installation's first, since later ones override.
    func presetFolders() -> [String] {
        var folders = [folder + "/../share/trimd/presets", "/etc/trimd/presets"]
        if !exists(folders[0]), let sources = above("Presets") { folders[0] = sources }
        if let own = configurationFolder(), own != "/etc/trimd" { folders.append(own + "/presets") }
        return folders
    }

    /// The worker's program: the first path that exists.
    func workerProgram() throws(MediaError) -> String {
        let candidates = [
            folder + "/trim-worker", folder + "/../libexec/trimd/trim-worker",
            "/usr/libexec/trimd/trim-worker",
        ]
        if let found = candidates.first(where: exists) { return found }
        throw MediaError(
            .fileNotFound, "the program trim-worker is not there: \(candidates.joined(separator: ", "))",
            remedy: "give --worker-program PATH")
    }

    /// Makes a path absolute.
    func absolute(_ path: String) -> String {
        path.isAbsolutePath ? path : (workingFolder == "/" ? "" : workingFolder) + "/" + path
    }

    private var folder: String { FileName.split(executable)?.folder ?? "/" }

    /// A folder that systemd created for the unit; the first of several.
    private func systemd(_ name: String) -> String? {
        environment[name]?.split(separator: ":").first.map(String.init)
    }

    private func configurationFolder() -> String? {
        if let given = systemd("CONFIGURATION_DIRECTORY") { return given }
        if let base = environment["XDG_CONFIG_HOME"] { return base + "/trimd" }
        if user == 0 { return "/etc/trimd" }
        return environment["HOME"].map { $0 + "/.config/trimd" }
    }

    private func home(_ option: String) throws(MediaError) -> String {
        guard let home = environment["HOME"] else {
            throw MediaError(
                .invalidRequest, "HOME is not set, so there is no default path", remedy: "give \(option) PATH"
            )
        }
        return home
    }

    /// A name in a folder above the program: a build in its source tree.
    private func above(_ name: String) -> String? {
        var here = folder
        while let (parent, _) = FileName.split(here) {
            let candidate = (parent == "/" ? "" : parent) + "/" + name
            if exists(candidate + "/m4v720.json") { return candidate }
            here = parent
        }
        return nil
    }
}
