// Roots: the folders beneath which trimd acts for users other than its own and root, and opening things so that
// no link, no `..` and no swap of a folder leads out of them. The kernel walks (openat2); where it cannot, a
// stricter walk here takes no links at all. A value; any thread. Who may have what is opened is judged elsewhere.
//
// `unsafe` here: a path lent to C for the length of a call.
internal import CLinux
internal import FoundationEssentials
internal import Glibc
internal import Media
internal import Platform
internal import Wire

/// Folders that are open to other users' jobs.
struct Roots: Hashable, Sendable, Decodable {
    /// What may be read beneath.
    var read: [String]
    /// Where outputs may be made beneath.
    var write: [String]

    enum CodingKeys: String, CodingKey, CaseIterable {
        case read, write
    }

    /// Roots from two lists of absolute paths.
    init(read: [String] = [], write: [String] = []) {
        self.read = read
        self.write = write
    }

    /// Reads and checks.
    init(from decoder: any Decoder) throws {
        let values = try StrictKeys(decoder, CodingKeys.self)
        read = try values.may(.read, [String].self) ?? []
        write = try values.may(.write, [String].self) ?? []
        for (key, list) in [(CodingKeys.read, read), (.write, write)] {
            if let path = list.first(where: { !$0.isAbsolutePath || $0.pathNames.contains("..") }) {
                throw values.wrong(key, "names '\(path)', and each must be an absolute path without '..'")
            }
        }
    }

    /// A place beneath a root, as its words say: links are not looked at yet.
    struct Place: Hashable, Sendable {
        let root: String
        /// From the root on; `.` for the root itself.
        let relative: String
    }

    /// Where a path lies beneath the roots of a list, the longest root first; empty where it lies beneath none.
    static func places(of path: String, in roots: [String]) -> [Place] {
        let parts = components(path)
        return roots.map { ($0, components($0)) }
            .filter { parts.starts(with: $0.1) }
            .sorted { $0.1.count > $1.1.count }
            .map { root, own in
                let rest = parts.dropFirst(own.count).joined(separator: "/")
                return Place(root: root, relative: rest.isEmpty ? "." : rest)
            }
    }

    /// Opens a place without leaving its root.
    static func open(
        _ place: Place, _ flags: Int32, walking: Bool = false
    ) throws(SystemError) -> Descriptor {
        let root = try Descriptor(opening: place.root, trim_O_PATH | O_DIRECTORY)
        if !walking {
            let folder = root.rawValue
            do throws(SystemError) {
                return Descriptor(
                    adopting: try SystemError.check("opening", place.relative) {
                        unsafe trim_open_beneath(folder, place.relative.nameBytes, flags)
                    })
            } catch {
                // Old kernels, and filters that know the call only as a wrong number.
                guard error.code == ENOSYS || error.code == EPERM else { throw error }
            }
        }
        return try walk(from: root, place.relative, flags)
    }

    /// Part by part; a link or `..` is an error.
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
        // O_PATH opens a link itself, which then is neither a file nor a folder.
        return try Descriptor(opening: last, in: here, flags | O_NOFOLLOW)
    }

    private static func components(_ path: String) -> [String] {
        path.pathNames.filter { $0 != "." }
    }
}
