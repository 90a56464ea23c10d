// StoredVersion: the identity of a file and of its version, as a text stored with a job's request: of a file beside the source, to which
// nobody may write once the job is accepted, and which is the same on all nodes. Pure.
internal import JobQueue
internal import Platform

/// The version of a file when it was passed.
struct StoredVersion: Hashable, Sendable {
    /// The file's identity.
    let identity: FileIdentity

    /// The version of a file whose status was read.
    init(_ identity: FileIdentity) { self.identity = identity }

    /// Parses `DEVICE:INODE:SIZE:MODIFIED:DIGEST`, of which the digest may be empty, with an optional `@BOOT` suffix; nil for anything
    /// else.
    init?(_ text: String) {
        let halves = text.split(separator: "@", maxSplits: 1).map(String.init)
        let parts = (halves.first ?? "").split(separator: ":", omittingEmptySubsequences: false).map(
            String.init)
        guard parts.count == 5, let device = UInt64(parts[0]), let inode = UInt64(parts[1]),
            let size = Int64(parts[2]), let modified = Int64(parts[3])
        else { return nil }
        identity = FileIdentity(
            device: device, inode: inode, size: size, modified: modified,
            boot: halves.count > 1 ? halves[1] : nil, digest: parts[4].isEmpty ? nil : parts[4])
    }

    /// The text form that `init` parses.
    var text: String {
        "\(identity.device):\(identity.inode):\(identity.size):\(identity.modified):\(identity.digest ?? "")"
            + (identity.boot.map { "@\($0)" } ?? "")
    }
}
