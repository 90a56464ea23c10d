// Finds the daemon's socket. It only checks whether a path exists; it does not connect.
internal import FoundationEssentials

/// The daemon's socket path.
package enum SocketPath {
    /// The system service's socket.
    package static let system = "/run/trimd/trimd.sock"

    /// The option, else `$TRIMD_SOCKET`, else the system socket if it exists, else the user's.
    /// - Parameter folder: the working folder.
    package static func find(
        option: String? = nil, in environment: [String: String], folder: String,
        exists: (String) -> Bool = { FileManager.default.fileExists(atPath: $0) }
    ) -> String {
        if let option { return option.absolutePath(in: folder) }
        if let path = environment["TRIMD_SOCKET"], !path.isEmpty { return path.absolutePath(in: folder) }
        if exists(system) { return system }
        guard let folder = environment["XDG_RUNTIME_DIR"], !folder.isEmpty else { return system }
        return folder + "/trimd/trimd.sock"
    }
}
