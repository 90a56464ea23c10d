// FolderRights: whether a user may create files in a folder, enter it, or read a file, computed from its owner, group, mode and
// access list by the kernel's rules. A descriptor proves that its owner could open a folder for reading; no descriptor proves that they may write
// in it, so that is computed here. Pure except for reading the access list.
//
// `unsafe` here: fstat and fgetxattr fill buffers that are copied or released before the call returns.
internal import CLinux
internal import Glibc
internal import Platform
internal import Wire

/// The rights that decide who may write in a folder, or read a file.
struct FolderRights: Hashable, Sendable {
    /// An entry of an access list (POSIX.1e): its subject and its permissions.
    struct Entry: Hashable, Sendable {
        enum Whom: Hashable, Sendable {
            case owner, user(UInt32), owningGroup, group(UInt32), mask, others
        }
        var whom: Whom
        /// Read 4, write 2, search 1.
        var bits: UInt16
    }

    var owner: UInt32
    var group: UInt32
    /// The twelve bits of the mode.
    var mode: UInt32
    /// The access list; nil if the mode is complete.
    var list: [Entry]?

    /// The rights of an open folder.
    init(of folder: borrowing Descriptor, _ path: String) throws(SystemError) {
        let raw = folder.rawValue
        var status = stat()
        try SystemError.check("looking at", path) { unsafe fstat(raw, &status) }
        owner = status.st_uid
        group = status.st_gid
        mode = UInt32(status.st_mode) & 0o7777
        var bytes = [UInt8](repeating: 0, count: 4 + 8 * 512)
        let count = unsafe trim_fgetxattr(raw, "system.posix_acl_access", &bytes, bytes.count)
        list = try FolderRights.list(bytes, count, count < 0 ? errno : 0, of: path)
    }

    /// The access list from the result of fgetxattr. Only an error that says there is no list means that the mode is complete:
    /// after any other error it is unknown whom the list would exclude.
    static func list(
        _ bytes: [UInt8], _ count: Int64, _ code: Int32, of path: String
    ) throws(SystemError) -> [Entry]? {
        if count >= 0 { return entries(bytes.prefix(Int(count))) }
        switch code {
        case ENODATA, EOPNOTSUPP: return nil
        // Too long to read: grants nothing.
        case ERANGE: return []
        default: throw SystemError("reading the access list of", path, code: code)
        }
    }

    /// Rights from their parts.
    init(owner: UInt32, group: UInt32, mode: UInt32, list: [Entry]? = nil) {
        self.owner = owner
        self.group = group
        self.mode = mode
        self.list = list
    }

    /// Whether a user may create and rename files in the folder.
    func allowsWriting(by user: PeerCredentials) -> Bool {
        if user.uid == 0 { return true }
        return allows(3, to: user)
    }

    /// Whether a user may open what lies in the folder.
    func allowsEntering(by user: PeerCredentials) -> Bool { user.uid == 0 || allows(1, to: user) }

    /// Whether a user may read the file.
    func allowsReading(by user: PeerCredentials) -> Bool { user.uid == 0 || allows(4, to: user) }

    /// Whether only a file's owner may remove or rename it (sticky bit).
    var isSticky: Bool { mode & 0o1000 != 0 }

    /// The mode of a file created here for another user: read and write as the folder grants, never world-writable, never
    /// executable.
    var fileMode: UInt32 { 0o600 | mode & 0o060 | mode & 0o004 }

    /// Whether a user has all of these rights: read 4, write 2, search 1.
    private func allows(_ wanted: UInt32, to user: PeerCredentials) -> Bool {
        bits(for: user, wanted: wanted) & wanted == wanted
    }

    private func bits(for user: PeerCredentials, wanted: UInt32) -> UInt32 {
        let groups = [user.gid] + user.groups
        guard let list else {
            if user.uid == owner { return mode >> 6 & 7 }
            return groups.contains(group) ? mode >> 3 & 7 : mode & 7
        }
        let mask = list.first { $0.whom == .mask }?.bits ?? 7
        if user.uid == owner { return UInt32(list.first { $0.whom == .owner }?.bits ?? 0) }
        if let entry = list.first(where: { $0.whom == .user(user.uid) }) { return UInt32(entry.bits & mask) }
        let mine = list.filter { entry in
            switch entry.whom {
            case .owningGroup: groups.contains(group)
            case .group(let number): groups.contains(number)
            default: false
            }
        }
        // With several groups, a single one has to grant all bits.
        if !mine.isEmpty {
            return mine.contains { UInt32($0.bits & mask) & wanted == wanted } ? wanted : 0
        }
        return UInt32(list.first { $0.whom == .others }?.bits ?? 0)
    }

    /// Parses the attribute: a version, then eight bytes per entry; empty, which grants nothing, if it is malformed.
    static func entries(_ bytes: some Collection<UInt8>) -> [Entry] {
        let bytes = Array(bytes)
        func number(_ offset: Int, _ size: Int) -> UInt32 {
            (0..<size).reduce(0) { $0 | UInt32(bytes[offset + $1]) << (8 * UInt32($1)) }
        }
        guard bytes.count >= 4, (bytes.count - 4) % 8 == 0, number(0, 4) == 2 else { return [] }
        var entries: [Entry] = []
        for offset in stride(from: 4, to: bytes.count, by: 8) {
            let identity = number(offset + 4, 4)
            let whom: Entry.Whom
            switch number(offset, 2) {
            case 0x01: whom = .owner
            case 0x02: whom = .user(identity)
            case 0x04: whom = .owningGroup
            case 0x08: whom = .group(identity)
            case 0x10: whom = .mask
            case 0x20: whom = .others
            default: return []
            }
            entries.append(Entry(whom: whom, bits: UInt16(number(offset + 2, 2))))
        }
        return entries
    }
}
