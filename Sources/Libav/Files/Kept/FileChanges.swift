// Counts what this process writes to files that it reads again: their times of change, which the kernel rounds to some milliseconds, may
// not tell. By descriptor, for whichever thread writes. Owns no descriptor.
internal import Synchronization

/// The changes of open files by this process.
enum FileChanges {
    private static let counts = Mutex<[Int32: Int]>([:])

    /// Counts a change of the file of a descriptor.
    static func count(_ descriptor: Int32) { counts.withLock { $0[descriptor, default: 0] += 1 } }

    /// Changes so far.
    static func changes(of descriptor: Int32) -> Int { counts.withLock { $0[descriptor] ?? 0 } }
}
