// State that the encoders of a process share without saying so.
internal import CLinux
internal import Synchronization

/// The open encoders of this process.
enum OpenEncoders {
    private static let count = Mutex(0)
    private static let shared = Mutex(())

    /// Fills the memory that encoders get with zeros, from before the first one is opened. x264 reads memory that it has not written:
    /// without this, its bytes depend on what the process has done before. It costs a cut of two seconds of 720p 4 % of its CPU time.
    static func begin() {
        count.withLock { count in
            count += 1
            _ = trim_fill_new_memory(0)
        }
    }

    /// An encoder is closed: after the last one, memory is left as it is. Copies would fill each packet twice.
    static func end() {
        count.withLock { count in
            count -= 1
            if count == 0 { _ = trim_leave_new_memory() }
        }
    }

    /// Opens or closes an encoder, not while another one does if it is one of those that keep state outside of their instances.
    /// SVT-AV1 1.4 crashes when an instance opens while another one closes: both write its table of processors.
    /// - Returns: FFmpeg's code.
    @discardableResult
    static func alone(_ name: String, _ work: () -> Int32) -> Int32 {
        guard name == "libsvtav1" else { return work() }
        return shared.withLock { _ in work() }
    }
}
