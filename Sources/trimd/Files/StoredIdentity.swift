// StoredIdentity: identifies the file or folder that a user passed, as a text stored with the job's request. The job may begin days
// later, and after a reboot, which may change the device number. Pure.
internal import JobQueue
internal import Platform

/// The identity of a file or folder when it was passed.
struct StoredIdentity: Hashable, Sendable {
    /// Device and inode number.
    let device: UInt64, inode: UInt64
    /// The boot ID for which the device number holds; nil: unknown, or the device does not matter.
    var boot: String?
    /// Owner, group and mode, where they matter.
    let rights: String?

    /// The identity of a file whose status was read.
    init(_ file: FileIdentity, rights: FolderRights? = nil) {
        (device, inode, boot) = (file.device, file.inode, file.boot)
        self.rights = rights.map { "\($0.owner):\($0.group):\(String($0.mode, radix: 8))" }
    }

    /// Parses `DEVICE:INODE` or `DEVICE:INODE:OWNER:GROUP:MODE`, each with an optional `@BOOT` suffix; nil for anything else.
    init?(_ text: String) {
        let halves = text.split(separator: "@", maxSplits: 1)
        let parts = (halves.first ?? "").split(separator: ":", maxSplits: 2).map(String.init)
        guard parts.count >= 2, let device = UInt64(parts[0]), let inode = UInt64(parts[1]) else {
            return nil
        }
        (self.device, self.inode) = (device, inode)
        rights = parts.count > 2 ? parts[2] : nil
        boot = halves.count > 1 ? String(halves[1]) : nil
    }

    /// The text form that `init` parses.
    var text: String {
        "\(device):\(inode)" + (rights.map { ":\($0)" } ?? "") + (boot.map { "@\($0)" } ?? "")
    }

    /// The text of an identity that holds on other machines, and at another mount of a share: its device does not matter.
    var sharedText: String {
        var shared = self
        shared.boot = nil
        return shared.text
    }

    /// Whether a stored text names the same file.
    func isSame(asShown text: String) -> Bool { StoredIdentity(text).map(isSame) ?? false }

    /// Whether both are the same file with the same rights.
    func isSame(as other: StoredIdentity) -> Bool {
        func identity(_ stored: StoredIdentity) -> FileIdentity {
            FileIdentity(device: stored.device, inode: stored.inode, size: 0, modified: 0, boot: stored.boot)
        }
        return identity(self).isSameFile(as: identity(other)) && rights == other.rights
    }
}
