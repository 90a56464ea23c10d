// Roots: the folders beneath which trimd acts for users other than itself and root. It opens paths so that no link, no `..` and
// no concurrent rename leads out of a root. The kernel resolves them (openat2); where it cannot, a stricter walk here follows
// no links. A value; any thread. Access to the opened file is checked elsewhere.
//
// `unsafe` here: a path is lent to C for the length of a call.
internal import CLinux
internal import FoundationEssentials
internal import Glibc
internal import JobQueue
internal import Media
internal import Platform
internal import Text
internal import Wire

/// Folders that other users' jobs may use.
struct Roots: Hashable, Sendable, StrictDecodable {
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

// The roots in trimd.json: two lists of paths, `read` and `write`, each of which may give names instead; and names on their own, which are
// both read and written.
extension Roots {
    /// Decodes and validates.
    init(from decoder: any Decoder) throws {
        // Another key whose value is a text is a name.
        let texts = try JSONValue(from: decoder).object?.members.filter { member in
            CodingKeys(stringValue: member.name) == nil && member.name != "$schema"
                && member.value.string != nil
        }
        let all = try decoder.container(keyedBy: JSONKey.self)
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init()
        for key in (texts ?? []).map({ JSONKey($0.name) }) {
            try name(key.stringValue, try all.decode(String.self, forKey: key), .read)
        }
        let both = named.sorted { $0.key < $1.key }.map(\.value)
        for key in CodingKeys.allCases {
            var list = both
            if let pairs = try? values.decodeIfPresent([String: String].self, forKey: key) {
                for (word, path) in pairs.sorted(by: { $0.key < $1.key }) {
                    try name(word, path, key)
                    list.append(path)
                }
            } else {
                list += try values.decodeIfPresent([String].self, forKey: key) ?? []
            }
            if let path = list.first(where: { !$0.isAbsolutePath || $0.pathNames.contains("..") }) {
                throw InvalidValue(key, "names '\(path)', and each must be an absolute path without '..'")
            }
            if key == .read { read = list } else { write = list }
        }
    }

    /// Gives a path a name.
    private mutating func name(
        _ word: String, _ path: String, _ key: CodingKeys
    ) throws(InvalidValue) {
        guard NodeTag.isValid(word) else {
            throw InvalidValue(key, "has the name '\(word)'; \(NodeTag.rule)")
        }
        guard named[word] == nil || named[word] == path else {
            throw InvalidValue(
                key, "has the name '\(word)' for '\(path)', which is the name of another folder")
        }
        named[word] = path
    }
}

// Checks whether an accepted job is still beneath the roots: the settings and the links in its paths may have changed while it
// waited. This happens when an attempt begins, before its worker gets any descriptor.
extension Roots {
    /// Throws if trimd may no longer act for this job's user there. Jobs of root and of the daemon's own user need no roots.
    func check(_ job: Job, own: UInt32 = geteuid()) throws(MediaError) {
        guard job.user != 0, job.user != own else { return }
        let named = [job.request.input, job.request.options?.burnedFile].compactMap(\.self)
        for input in named + (job.request.sources ?? []).map(\.path) {
            // A file of the spool is the daemon's own; whose it is was asked when the job was accepted.
            let isThere =
                isSpooled(input, for: job.user)
                || Roots.rootedPaths(of: input, in: read).contains { candidate in
                    guard let found = try? Roots.open(candidate, trim_O_PATH),
                        let status = try? FileStatus(of: found, input)
                    else { return false }
                    return status.sort == .file
                }
            if !isThere { throw refusal(input, "read", read) }
        }
        let target = job.request.output
        let folder =
            isSpooled(target.folder, for: job.user)
            || Roots.rootedPaths(of: target.folder, in: write).contains { candidate in
                let flags = O_RDONLY | O_DIRECTORY | O_NONBLOCK
                guard let found = try? Roots.open(candidate, flags) else { return false }
                let folder = OutputFolder(adopting: found, target.folder)
                return (try? folder.storedIdentity()) != nil
            }
        if !folder { throw refusal(target.folder, "write", write) }
    }

    /// Whether a path lies in a spool folder of a user.
    func isSpooled(_ path: String, for user: UInt32) -> Bool { spool?.owner(of: path) == user }

    private func refusal(_ path: String, _ act: String, _ list: [String]) -> MediaError {
        let known =
            list.isEmpty
            ? "there is none to \(act) beneath" : "to \(act) there is \(list.joined(separator: ", "))"
        return MediaError(
            .permissionDenied,
            "refused by policy: \(path) is no longer under a root of this trimd, or cannot be opened there; \(known)",
            remedy: "have `roots` in trimd.json extended and retry the job, or move it and submit it again")
    }
}
