// CrashPoint: places on a job's way at which a debug build can be told to die as by `kill -9`, so that tests can see
// what the next start makes of it. `TRIMD_CRASH_AT=NAME` names the place. In a release build there is nothing here.
internal import Glibc

/// The places at which a daemon that is tested dies.
enum CrashPoint: String, CaseIterable {
    /// A job was accepted, and nobody has been told.
    case afterCommit
    /// A job was claimed; its worker has its request.
    case afterSpawn
    /// The worker has written the output; nobody has looked at it.
    case beforeVerify
    /// The output is verified and synced; the row does not say so.
    case beforePublishing
    /// The row says `publishing`; the file has no name.
    case beforeRename
    /// The file has its name; the folder is not synced.
    case afterRename
    /// All is on the disk; the row does not say so.
    case beforeDone
    /// The row says `completed`; nobody has been told.
    case afterDone

    #if DEBUG
        private static let chosen = Kernel.variable("TRIMD_CRASH_AT")

        /// Dies here, where that was asked for.
        static func reach(_ point: CrashPoint) {
            if chosen == point.rawValue { kill(getpid(), SIGKILL) }
        }
    #else
        /// Nothing.
        @inline(__always) static func reach(_: CrashPoint) {}
    #endif
}
