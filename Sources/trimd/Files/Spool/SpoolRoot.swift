// SpoolRoot: the names in the spool. Each of its folders begins with its user's number: `ROOT/UID-NUMBER/FILE`. Only trimd can make
// names there, so that a path's text says whose it is. Pure.
internal import Text

/// The folder of the spool.
struct SpoolRoot: Hashable, Sendable {
    let path: String

    /// A folder for a user.
    func folder(of user: UInt32, _ number: UInt64) -> String {
        "\(path)/\(user)-\(String(number, radix: 16))"
    }

    /// The folder that a path lies in, or is; nil: the path does not lie in the spool.
    func folder(of path: String) -> String? {
        guard path.hasPrefix(self.path + "/") else { return nil }
        let parts = path.dropFirst(self.path.count + 1).split(separator: "/")
        guard let folder = parts.first, parts.count <= 2, user(ofFolder: folder) != nil,
            !parts.contains(".."), !parts.contains(".")
        else { return nil }
        return "\(self.path)/\(folder)"
    }

    /// The user whose spool folder a path lies in, or is; nil: it does not lie in the spool.
    func owner(of path: String) -> UInt32? {
        guard let folder = folder(of: path) else { return nil }
        return user(ofFolder: folder.dropFirst(self.path.count + 1))
    }

    private func user(ofFolder name: Substring) -> UInt32? {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, UInt64(parts[1], radix: 16) != nil else { return nil }
        return UInt32(parts[0])
    }
}
