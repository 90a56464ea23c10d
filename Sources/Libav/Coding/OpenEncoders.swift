// State that the encoders of a process share without saying so.
internal import CEncoderCalls
internal import CLinux
internal import Synchronization

/// The open encoders of this process.
enum OpenEncoders {
    /// How new memory is cleared, so that an encoder's bytes do not depend on what the process has done before.
    enum Clearing {
        /// Blocks from memalign are cleared, large ones by the kernel: for x264, which reads memory that it has not written, and takes
        /// it from there. A chunk of 10 s of 720p takes 150 MB in large blocks.
        case aligned
        /// All blocks are filled.
        case all

        /// The one that an encoder needs.
        init(for encoder: String) {
            self = encoder.hasPrefix("libx264") && trim_can_clean_memory() == 1 ? .aligned : .all
        }

        func set(_ isOn: Bool) {
            switch self {
            case .aligned: trim_clean_memory(isOn ? 1 : 0)
            case .all: _ = isOn ? trim_fill_new_memory(0) : trim_leave_new_memory()
            }
        }
    }

    private static let counts = Mutex<[Clearing: Int]>([:])
    private static let shared = Mutex(())

    /// Clears new memory from now on, before an encoder is opened.
    static func begin(_ clearing: Clearing) {
        counts.withLock { counts in
            counts[clearing, default: 0] += 1
            clearing.set(true)
        }
    }

    /// An encoder is closed: after the last one, memory is left as it is. Copies would clear each packet.
    static func end(_ clearing: Clearing) {
        counts.withLock { counts in
            counts[clearing, default: 0] -= 1
            if counts[clearing] == 0 { clearing.set(false) }
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
