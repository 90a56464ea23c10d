// Caller: the caller's identity as the kernel reports it, and what they may see. `CallerAccess` checks their access to files.
// Pure.
internal import Glibc
internal import JobQueue
internal import Media
internal import Platform
internal import Wire

/// The identity of a caller.
struct Caller: Hashable, Sendable {
    let uid: UInt32
    /// The user this daemon runs as.
    let own: UInt32
    /// Member of the group that may read the metrics.
    let readsMetrics: Bool

    /// The peer of a connection; members of `metricsGroup` may read the metrics.
    init(_ peer: PeerCredentials, own: UInt32 = geteuid(), metricsGroup: UInt32? = nil) {
        let isReader = metricsGroup.map { peer.gid == $0 || peer.groups.contains($0) } ?? false
        self.init(uid: peer.uid, own: own, readsMetrics: isReader)
    }

    /// A user, and the one the daemon runs as.
    init(uid: UInt32, own: UInt32, readsMetrics: Bool = false) {
        self.uid = uid
        self.own = own
        self.readsMetrics = readsMetrics
    }

    /// Root and the daemon's own user see all jobs and may control the whole service.
    var seesAll: Bool { uid == 0 || uid == own }

    /// The jobs they see.
    var viewer: Viewer { seesAll ? .all : .user(uid) }

    /// Whether they see the jobs of a user.
    func sees(jobsOf user: UInt32) -> Bool { seesAll || user == uid }

    /// The highest priority they may give a job.
    var highestPriority: Int { seesAll ? 100 : JobReport.usualPriority }

    /// Throws if they may not give a job this priority.
    func check(priority: Int) throws(MediaError) {
        guard priority > highestPriority else { return }
        throw MediaError(
            .permissionDenied,
            "refused by policy: the priority is \(priority), and above \(highestPriority) is for root and the user trimd runs as",
            remedy: "give \(highestPriority) or less; it orders your own jobs alone")
    }
}
