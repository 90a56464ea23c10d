// FilePlace: which file or folder a user has shown, as a text beside the job's request, so that it can be told from others when
// the job begins: days later, and perhaps after the machine began anew, which may give its device another number. Pure.
internal import JobQueue
internal import Platform

/// A file or folder as it was shown.
struct FilePlace: Hashable, Sendable {
    /// The device it lies on, and its number there.
    let device: UInt64, inode: UInt64
    /// The life of the machine for which the device has that number; nil: not known.
    let boot: String?
    /// Owner, group and mode, where they matter.
    let rights: String?

    /// A file that was looked at.
    init(_ file: FileIdentity, rights: FolderRights? = nil) {
        (device, inode, boot) = (file.device, file.inode, file.boot)
        self.rights = rights.map { "\($0.owner):\($0.group):\(String($0.mode, radix: 8))" }
    }

    /// Reads `DEVICE:INODE`, `DEVICE:INODE:OWNER:GROUP:MODE`, either with `@BOOT` behind; nil where it is neither.
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

    /// What `init` reads.
    var text: String {
        "\(device):\(inode)" + (rights.map { ":\($0)" } ?? "") + (boot.map { "@\($0)" } ?? "")
    }

    /// The same one as a text tells of.
    func isSame(asShown text: String) -> Bool { FilePlace(text).map(isSame) ?? false }

    /// The same one, with the same rights.
    func isSame(as other: FilePlace) -> Bool {
        func identity(_ place: FilePlace) -> FileIdentity {
            FileIdentity(device: place.device, inode: place.inode, size: 0, modified: 0, boot: place.boot)
        }
        return identity(self).isSameFile(as: identity(other)) && rights == other.rights
    }
}
