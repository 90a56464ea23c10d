// Memory: limits the memory that glibc's allocator keeps. Each allocating thread gets an arena, up to eight per processor, and
// freed memory stays in it: after a burst of clients, whose responses are made on one thread each, trimd would keep their peak
// memory. Any thread.
internal import CLinux
internal import Dispatch
internal import Synchronization

/// The allocator's memory.
enum Memory {
    private static let queue = DispatchQueue(label: "trimd.memory", qos: .utility)
    private static let isDue = Mutex(false)

    /// Seconds before freed memory is returned: once for many operations that end together.
    private static let pause = 2

    /// Limits all threads to two arenas. Call it before a second thread starts.
    static func limitArenas() { _ = trim_mallopt_arena_max(2) }

    /// Returns free memory to the system a little later; called after a large operation.
    static func giveBackSoon() {
        let isFirst = isDue.withLock { isDue in
            defer { isDue = true }
            return !isDue
        }
        guard isFirst else { return }
        queue.asyncAfter(deadline: .now() + .seconds(pause)) {
            isDue.withLock { $0 = false }
            _ = trim_malloc_trim()
        }
    }
}
