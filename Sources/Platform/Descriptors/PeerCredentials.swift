// PeerCredentials: the peer of a Unix socket, as the kernel reports it. A value; any thread.
internal import CLinux
internal import Glibc

/// The peer of a socket when the connection was made.
public struct PeerCredentials: Hashable, Sendable {
    /// The process ID.
    public let pid: Int32
    /// The user ID.
    public let uid: UInt32
    /// The group ID.
    public let gid: UInt32
    /// The supplementary groups; empty if the kernel does not report them.
    public let groups: [UInt32]

    /// Arbitrary credentials, for tests.
    public init(pid: Int32, uid: UInt32, gid: UInt32, groups: [UInt32] = []) {
        self.pid = pid
        self.uid = uid
        self.gid = gid
        self.groups = groups
    }

    /// This process's credentials.
    public static var own: PeerCredentials { PeerCredentials(pid: getpid(), uid: geteuid(), gid: getegid()) }
}

extension PeerCredentials {
    /// The peer of a connected socket.
    public init(of socket: borrowing Descriptor) throws(SystemError) {
        let raw = socket.rawValue
        var peer = trim_ucred(pid: 0, uid: 0, gid: 0)
        try SystemError.check("asking the user of", "the socket") { unsafe trim_peer_credentials(raw, &peer) }
        self.init(pid: peer.pid, uid: peer.uid, gid: peer.gid, groups: PeerCredentials.groups(of: raw))
    }

    /// Linux allows 65536 groups; a user with more than fit here is treated as having none.
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
