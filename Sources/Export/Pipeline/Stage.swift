// A stage of the pipeline: work on a labelled serial queue of its own. Nothing here uses a global queue, which a sealed
// process does not have.
internal import Dispatch
internal import Media

/// Runs the work of one stage.
enum Stage {
    /// Starts `work` on a new serial queue with this label. What it throws goes to `failed`.
    static func start(
        _ label: String, _ work: @escaping @Sendable () throws(MediaError) -> Void,
        failed: @escaping @Sendable (MediaError) -> Void
    ) {
        DispatchQueue(label: "trim-worker.\(label)").async {
            do throws(MediaError) { try work() } catch { failed(error) }
        }
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
