// A stage of the pipeline: work on its own thread. Not on a dispatch queue: stages wait for each other, and in a file with a
// hundred tracks and two or three stages each, waiting stages would take all of libdispatch's threads from the stages that would
// wake them.
internal import Glibc
package import Media

/// Runs the work of one stage.
package enum Stage {
    /// Stack size in bytes. A worker's address space is limited, and glibc's 8 MiB times a few hundred threads is too much; on
    /// other systems codecs run with 512 KiB.
    private static let stack = 2 << 20

    /// Starts `work` on a new thread. Errors that it throws, or a failure to create the thread, go to `failed`.
    /// - Parameter label: the stage's task, for errors.
    package static func start(
        _ label: String, _ work: @escaping @Sendable () throws(MediaError) -> Void,
        failed: @escaping @Sendable (MediaError) -> Void
    ) {
        let code = Stage.thread {
            do throws(MediaError) { try work() } catch { failed(error) }
        }
        guard code != 0 else { return }
        failed(
            MediaError(
                .outOfMemory, "starting a thread for \(label): \(unsafe String(cString: strerror(code)))",
                remedy: "export fewer tracks, or raise limits.memoryMiB in trimd.json"))
    }

    /// The thread's argument: one reference, which the thread releases.
    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts a detached thread.
    /// - Returns: 0, or an errno.
    private static func thread(_ body: @escaping @Sendable () -> Void) -> Int32 {
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        defer { unsafe attributes.deallocate() }
        let made = unsafe pthread_attr_init(attributes)
        guard made == 0 else { return made }
        defer { unsafe pthread_attr_destroy(attributes) }
        unsafe pthread_attr_setstacksize(attributes, stack)
        unsafe pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
        let work = unsafe Unmanaged.passRetained(Work(body))
        var thread = pthread_t()
        let code = unsafe pthread_create(
            &thread, attributes,
            { given in
                guard let given = unsafe given else { return nil }
                let work = unsafe Unmanaged<Work>.fromOpaque(given).takeRetainedValue()
                work.body()
                return nil
            }, work.toOpaque())
        if code != 0 { unsafe work.release() }
        return code
    }
}

/// Passes a value from the queue that owns it to the next queue; taken once.
///
/// `@unchecked Sendable`: the writer releases it before the other queue starts, and only that queue takes it.
final class Slot<Value>: @unchecked Sendable {
    private var value: Value?

    init(_ value: Value) { self.value = value }

    func take() -> Value? {
        defer { value = nil }
        return value
    }
}
