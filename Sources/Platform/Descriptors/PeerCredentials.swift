// PeerCredentials: who is at the other end of a Unix socket, told by the kernel. A value; any thread.
internal import CLinux
internal import Glibc

/// Who is at the other end of a socket, as the kernel saw it when the connection was made.
public struct PeerCredentials: Hashable, Sendable {
    /// The process.
    public let pid: Int32
    /// The user.
    public let uid: UInt32
    /// The group.
    public let gid: UInt32
    /// The supplementary groups; none where the kernel does not say.
    public let groups: [UInt32]

    /// Made-up credentials, for tests.
    public init(pid: Int32, uid: UInt32, gid: UInt32, groups: [UInt32] = []) {
        self.pid = pid
        self.uid = uid
        self.gid = gid
        self.groups = groups
    }

    /// This process's own.
    public static var own: PeerCredentials { PeerCredentials(pid: getpid(), uid: geteuid(), gid: getegid()) }
}

extension PeerCredentials {
    /// Who is at the other end of a connected socket.
    public init(of socket: borrowing Descriptor) throws(SystemError) {
        let raw = socket.rawValue
        var peer = trim_ucred(pid: 0, uid: 0, gid: 0)
        try SystemError.check("asking the user of", "the socket") { unsafe trim_peer_credentials(raw, &peer) }
        self.init(pid: peer.pid, uid: peer.uid, gid: peer.gid, groups: PeerCredentials.groups(of: raw))
    }

    /// Linux allows 65536 groups; who has more than fit here has, for us, none of them.
    private static func groups(of raw: Int32) -> [UInt32] {
        for room in [64, 65_536] {
            var groups = [UInt32](repeating: 0, count: room)
            let count = unsafe trim_peer_groups(raw, &groups, Int32(room))
            if count >= 0 { return Array(groups.prefix(Int(count))) }
            guard errno == ERANGE else { return [] }
        }
        return []
    }
}
