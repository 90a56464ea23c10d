// Counts progress: it grows with each block read or written and each frame decoded or encoded, in all lanes. With it a watchdog
// distinguishes a slow job from one that hangs. One per process; usable from any thread.
internal import Synchronization

/// The work done so far.
public enum LibavPulse {
    private static let counter = Atomic<Int>(0)

    /// A number that grows while work continues.
    public static var count: Int { counter.load(ordering: .relaxed) }

    /// Records a unit of work.
    static func beat() { counter.add(1, ordering: .relaxed) }
}
