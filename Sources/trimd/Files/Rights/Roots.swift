// Roots: the folders beneath which trimd acts for users other than itself and root. It opens paths so that no link, no `..` and
// no concurrent rename leads out of a root. The kernel resolves them (openat2); where it cannot, a stricter walk here follows
// no links. A value; any thread. Access to the opened file is checked elsewhere.
//
// `unsafe` here: a path is lent to C for the length of a call.
internal import CLinux
internal import FoundationEssentials
internal import Glibc
internal import Media
internal import Platform
internal import Text
internal import Wire

/// Folders that other users' jobs may use.
struct Roots: Hashable, Sendable, Decodable {
    /// Folders beneath which inputs may be read.
    var read: [String]
    /// Folders beneath which outputs may be created.
    var write: [String]
    /// Folders that all nodes of a queue have under a name, by name; they are among the lists too.
    var named: [String: String] = [:]
    /// The spool, in which each user has folders of their own; nil: there is none.
    var spool: SpoolRoot? = nil

    enum CodingKeys: String, CodingKey, CaseIterable {
        case read, write
    }

    /// Roots from two lists of absolute paths.
    init(read: [String] = [], write: [String] = []) {
        self.read = read
        self.write = write
    }

    /// A path beneath a root, by its text: links are not resolved yet.
    struct RootedPath: Hashable, Sendable {
        let root: String
        /// Relative to the root; `.` for the root itself.
        let relative: String
    }

    /// The positions of a path beneath the roots of a list, the longest root first; empty if it is beneath none.
    static func rootedPaths(of path: String, in roots: [String]) -> [RootedPath] {
        let parts = components(path)
        return roots.map { ($0, components($0)) }
            .filter { parts.starts(with: $0.1) }
            .sorted { $0.1.count > $1.1.count }
            .map { root, own in
                let rest = parts.dropFirst(own.count).joined(separator: "/")
                return RootedPath(root: root, relative: rest.isEmpty ? "." : rest)
            }
    }

    /// Opens a path without leaving its root.
    static func open(
        _ rooted: RootedPath, _ flags: Int32, walking: Bool = false
    ) throws(SystemError) -> Descriptor {
        let root = try Descriptor(opening: rooted.root, trim_O_PATH | O_DIRECTORY)
        if !walking {
            let folder = root.rawValue
            do throws(SystemError) {
                return Descriptor(
                    adopting: try SystemError.check("opening", rooted.relative) {
                        unsafe trim_open_beneath(folder, rooted.relative.nameBytes, flags)
                    })
            } catch {
                // Old kernels, and seccomp filters that do not know the call.
                guard error.code == ENOSYS || error.code == EPERM else { throw error }
            }
        }
        return try walk(from: root, rooted.relative, flags)
    }

    /// Opens component by component; a link or `..` is an error.
    private static func walk(
        from root: borrowing Descriptor, _ path: String, _ flags: Int32
    ) throws(SystemError) -> Descriptor {
        var here = try Descriptor(opening: ".", in: root, trim_O_PATH | O_DIRECTORY)
        var parts = components(path)[...]
        let last = parts.popLast() ?? "."
        for part in parts {
            if part == ".." { throw SystemError("opening", path, code: EXDEV) }
            here = try Descriptor(opening: part, in: here, trim_O_PATH | O_DIRECTORY | O_NOFOLLOW)
        }
        if last == ".." { throw SystemError("opening", path, code: EXDEV) }
        // O_PATH opens the link itself, which is neither a file nor a folder.
        return try Descriptor(opening: last, in: here, flags | O_NOFOLLOW)
    }

    private static func components(_ path: String) -> [String] {
        path.pathNames.filter { $0 != "." }
    }
}
