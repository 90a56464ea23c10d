// A counter of real work: it grows with each block read or written and each frame decoded or encoded, in all lanes. Who
// watches it can tell a long job from one that hangs. One for the process; any thread.
internal import Synchronization

/// The work done so far.
public enum LibavPulse {
    private static let counter = Atomic<Int>(0)

    /// A number that grows while work goes on.
    public static var count: Int { counter.load(ordering: .relaxed) }

    /// A piece of work is done.
    static func beat() { counter.add(1, ordering: .relaxed) }
}
