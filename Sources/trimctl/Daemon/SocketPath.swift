// Finds the daemon's socket. It only checks whether a path exists; it does not connect.
internal import FoundationEssentials
internal import Media

/// The daemon's socket path.
enum SocketPath {
    /// The system service's socket.
    static let system = "/run/trimd/trimd.sock"

    /// The option, else `$TRIMD_SOCKET`, else the system socket if it exists, else the user's.
    static func find(
        option: String?, in surroundings: Surroundings,
        exists: (String) -> Bool = { FileManager.default.fileExists(atPath: $0) }
    ) -> String {
        if let option { return surroundings.absolute(option) }
        if let path = surroundings.environment["TRIMD_SOCKET"], !path.isEmpty {
            return surroundings.absolute(path)
        }
        if exists(system) { return system }
        guard let folder = surroundings.environment["XDG_RUNTIME_DIR"], !folder.isEmpty else { return system }
        return folder + "/trimd/trimd.sock"
    }
}
