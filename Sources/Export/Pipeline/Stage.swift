// A stage of the pipeline: work on a thread of its own. Not on a dispatch queue: stages wait for each other, and where a film has
// a hundred tracks and more, each with two or three, those that wait would take all threads that libdispatch may have from
// those that would wake them.
internal import Glibc
internal import Media

/// Runs the work of one stage.
enum Stage {
    /// Bytes of stack. The address space of a worker is limited, and eight megabytes a thread, as glibc has it, times a few
    /// hundred are too many; codecs do with half a megabyte elsewhere.
    private static let stack = 2 << 20

    /// Starts `work` on a new thread. What it throws goes to `failed`, and so does that there is no thread.
    /// - Parameter label: what the stage does, for errors.
    static func start(
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

    /// What a thread is given: one reference, which the thread lets go of.
    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts a thread that nobody waits for.
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

/// Passes something that one queue owns at a time to the next queue; taken once.
final class Slot<Value>: @unchecked Sendable {
    // Whoever fills it lets go of it before the other queue starts, and only that queue takes it.
    private var value: Value?

    init(_ value: Value) { self.value = value }

    func take() -> Value? {
        defer { value = nil }
        return value
    }
}
