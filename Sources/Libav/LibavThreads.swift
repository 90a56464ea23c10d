// The threads that this process may use in FFmpeg's decoders and filters. One value for the process: a worker serves one request,
// which says it before anything is opened.
internal import CFFmpeg
internal import Synchronization

/// The threads of this process.
public enum LibavThreads {
    private static let bound = Atomic(0)

    /// The machine's CPUs.
    public static let available = Int(av_cpu_count())

    /// Threads of each decoder and filter graph; nil: as many as there are CPUs.
    public static var limit: Int? {
        let value = bound.load(ordering: .relaxed)
        return value > 0 ? value : nil
    }

    /// Sets the limit; nil removes it.
    public static func setLimit(_ threads: Int?) { bound.store(max(0, threads ?? 0), ordering: .relaxed) }
}
