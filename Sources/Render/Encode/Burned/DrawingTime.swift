// The time that drawing subtitles has taken in this process, for the thread that ends a job at its time limit: a frame whose text is dear
// takes libass minutes, and it cannot be interrupted. One per process; usable from any thread.
internal import Synchronization

/// The time that drawing subtitles has taken.
public enum DrawingTime {
    private struct State {
        /// The subtitles, as the object of a sentence.
        var subtitles: String?
        var total = Duration.zero
        /// When the frame that is being drawn was begun.
        var begun: ContinuousClock.Instant?
    }
    private static let state = Mutex(State())

    /// Measures the drawing of a frame.
    /// - Parameter subtitles: its subtitles, as the object of a sentence.
    static func measure<Result, Failure: Error>(
        _ subtitles: String, _ draw: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        state.withLock { ($0.subtitles, $0.begun) = (subtitles, ContinuousClock.now) }
        defer {
            state.withLock { state in
                if let begun = state.begun { state.total += ContinuousClock.now - begun }
                state.begun = nil
            }
        }
        return try draw()
    }

    /// The subtitles that were drawn last, and how long drawing has taken so far; nil: none were drawn.
    public static var current: (subtitles: String, time: Duration)? {
        state.withLock { state in
            let running = state.begun.map { ContinuousClock.now - $0 } ?? .zero
            return state.subtitles.map { ($0, state.total + running) }
        }
    }
}
