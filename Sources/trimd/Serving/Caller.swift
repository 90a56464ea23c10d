// Caller: who asks, as the kernel says it, and what they may see. What files they may have done something with is
// judged by a Warrant. Pure.
internal import Glibc
internal import JobQueue
internal import Media
internal import Wire

/// Who asks.
struct Caller: Hashable, Sendable {
    let uid: UInt32
    /// The user this daemon runs as.
    let own: UInt32

    /// The user at the other end of a connection.
    init(_ peer: PeerCredentials) {
        self.init(uid: peer.uid, own: geteuid())
    }

    /// A user, and the one the daemon runs as.
    init(uid: UInt32, own: UInt32) {
        self.uid = uid
        self.own = own
    }

    /// Root and the daemon's own user see everybody's jobs.
    var seesAll: Bool { uid == 0 || uid == own }

    /// Whose jobs they see.
    var viewer: Viewer { seesAll ? .all : .user(uid) }

    /// Whether they see the jobs of a user.
    func sees(jobsOf user: UInt32) -> Bool { seesAll || user == uid }
}
