// Work on a thread of its own: in a fork of a thread that is gone, where a lock of Swift held by the forked thread would name an
// owner that does not exist.
import Dispatch
import Glibc
import Synchronization
import Testing

@testable import Platform

@Suite(.timeLimit(.minutes(10))) struct OwnThreadTests {
    /// Locks that are held while another thread waits for them, in a process forked by a thread that has used one, and has ended.
    private enum Fork {
        private final class Lock: Sendable {
            let held = Mutex(0)
        }

        /// Glibc's overlay hides fork.
        private static func fork() -> Int32 {
            guard let symbol = unsafe dlsym(nil, "fork") else { return -1 }
            return unsafe unsafeBitCast(symbol, to: (@convention(c) () -> Int32).self)()
        }

        /// Forks; in the new process runs `work`, and exits with 0 once two threads have contended for a lock there.
        /// - Returns: the status of the new process, as from waitpid.
        static func status(of work: @escaping @Sendable (@escaping @Sendable () -> Int32) -> Int32) throws
            -> Int32
        {
            // Its own: no other thread may hold it when the process is forked.
            let lock = Lock()
            // A thread of its own, which is gone when the lock is contended for.
            let pid = try OwnThread.run(stack: 1 << 20) {
                lock.held.withLock { $0 += 1 }
                let pid = fork()
                guard pid == 0 else { return pid }
                alarm(60)
                // Swift's runtime would look into the crash.
                for number in [SIGILL, SIGTRAP] { signal(number, SIG_DFL) }
                // Its forker has ended by then.
                usleep(200_000)
                _exit(work { contend(lock) })
            }
            var status: Int32 = -1
            let ended = unsafe waitpid(pid, &status, 0)
            #expect(ended == pid)
            return status
        }

        /// Holds the lock until another thread waits for it.
        private static func contend(_ lock: Lock) -> Int32 {
            var other = pthread_t()
            let given = unsafe Unmanaged.passRetained(lock)
            let code = lock.held.withLock { _ in
                let code = unsafe pthread_create(
                    &other, nil,
                    { given in
                        guard let given = unsafe given else { return nil }
                        let lock = unsafe Unmanaged<Lock>.fromOpaque(given).takeRetainedValue()
                        lock.held.withLock { $0 += 1 }
                        return nil
                    }, given.toOpaque())
                usleep(200_000)
                return code
            }
            guard code == 0, pthread_join(other, nil) == 0 else { return 1 }
            return lock.held.withLock { $0 } == 2 ? 0 : 2
        }
    }

    @Test func aForkMayWaitForLocks() throws {
        let status = try Fork.status { work in
            (try? OwnThread.run(stack: 1 << 20, work)) ?? 3
        }
        #expect(status == 0)
    }

    /// Otherwise the other test proves nothing.
    @Test func onTheForkedThreadTheLockCrashes() throws {
        let status = try Fork.status { work in work() }
        #expect(status & 0x7f != 0)
    }

    @Test func theResultIsReturned() throws {
        let own = pthread_self()
        #expect(try OwnThread.run(stack: 1 << 20) { pthread_equal(own, pthread_self()) == 0 ? 7 : 8 } == 7)
        #expect(throws: SystemError.self) { try OwnThread.run(stack: 1) { 0 } }
    }

    @Test func oneThatIsOnlyStartedRunsBesideItsCaller() throws {
        let (here, there) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        try OwnThread.start(stack: 1 << 20) {
            here.wait()
            there.signal()
        }
        here.signal()
        #expect(there.wait(timeout: .now() + 60) == .success)
        #expect(throws: SystemError.self) { try OwnThread.start(stack: 1) {} }
    }
}
