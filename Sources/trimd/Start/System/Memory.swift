// Memory: what glibc's allocator keeps of it. Each thread that allocates gets an arena of its own, up to eight a processor, and
// what is freed in one stays there: after a storm of clients, whose answers are made on a thread each, trimd would keep as much
// as they all took at once. Any thread.
internal import CLinux
internal import Dispatch
internal import Synchronization

/// The allocator's memory.
enum Memory {
    private static let queue = DispatchQueue(label: "trimd.memory", qos: .utility)
    private static let isDue = Mutex(false)

    /// So long after something has ended freed memory goes back, in seconds: once for many that end together.
    private static let pause = 2

    /// Threads share two arenas. To be called before there is a second thread.
    static func limitArenas() { _ = trim_mallopt_arena_max(2) }

    /// Something large has ended: what is free goes back to the system a little later.
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
