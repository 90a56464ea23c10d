// OwnThread: runs a function on a new thread, while the caller waits or goes on. A process that was forked and not replaced by another
// program needs it before it uses a Mutex of Swift: such a lock holds the ID of the thread that has it, which Swift reads once a thread
// and then keeps, and a fork keeps that of the thread that forked. The kernel refuses a contended lock whose owner it does not find, and
// the process crashes. A new thread has its own ID. Any thread; no state.
//
// `unsafe` here: the attributes of a thread, gone when the call returns, and a reference that the thread releases.
internal import CLinux
internal import Glibc

/// Work on a thread of its own.
public enum OwnThread {
    /// The work of the thread, and its result.
    ///
    /// `@unchecked Sendable`: the result is written by the thread, and read by the caller after the thread's end.
    private final class Work: @unchecked Sendable {
        let body: @Sendable () -> Int32
        var result: Int32 = 0

        init(_ body: @escaping @Sendable () -> Int32) { self.body = body }
    }

    /// Runs a function on a new thread, and returns its result once it has returned. The thread inherits the sandbox of the caller's,
    /// and its name.
    /// - Parameter stack: the size of its stack in bytes.
    public static func run(stack: Int, _ body: @escaping @Sendable () -> Int32) throws(SystemError) -> Int32 {
        let work = Work(body)
        let thread = try create(work, stack: stack, isJoined: true)
        try check(pthread_join(thread, nil))
        return work.result
    }

    /// Starts a function on a new thread, and waits for nothing.
    /// - Parameter stack: the size of its stack in bytes.
    public static func start(stack: Int, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
        let work = Work {
            body()
            return 0
        }
        _ = try create(work, stack: stack, isJoined: false)
    }

    private static func create(_ work: Work, stack: Int, isJoined: Bool) throws(SystemError) -> pthread_t {
        var attributes = pthread_attr_t()
        try check(unsafe pthread_attr_init(&attributes))
        defer { unsafe pthread_attr_destroy(&attributes) }
        try check(unsafe pthread_attr_setstacksize(&attributes, stack))
        if !isJoined {
            try check(unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED)))
        }
        let given = unsafe Unmanaged.passRetained(work)
        var thread = pthread_t()
        let code = unsafe pthread_create(
            &thread, &attributes,
            { given in
                guard let given = unsafe given else { return nil }
                let work = unsafe Unmanaged<Work>.fromOpaque(given).takeRetainedValue()
                work.result = work.body()
                return nil
            }, given.toOpaque())
        if code != 0 { unsafe given.release() }
        try check(code)
        return thread
    }

    private static func check(_ code: Int32) throws(SystemError) {
        guard code == 0 else { throw SystemError("starting", "a thread", code: code) }
    }
}
