// A bounded hand-off between two stages on two queues: one side sends and waits where it is full, the other receives
// and waits where it is empty. Carries the end and a failure too. Owns what lies in it, nothing else.
internal import Dispatch
internal import Media
internal import Synchronization

/// A bounded first-in, first-out hand-off between one sender and one receiver.
final class Handoff<Element: Sendable>: Sendable {
    private struct State {
        var items: [Element] = []
        var isEnded = false
        var failure: MediaError?
        var isAbandoned = false
    }
    private let state = Mutex(State())
    /// Counts free places; made with 0 and raised, since Dispatch traps when one dies below its first value.
    private let places = DispatchSemaphore(value: 0)
    /// Counts items, and the end.
    private let items = DispatchSemaphore(value: 0)

    /// A hand-off that holds at most `capacity` items.
    init(capacity: Int) {
        for _ in 0..<capacity { places.signal() }
    }

    /// Waits until an item can be sent at once: for a sender that should not make a large item before there is room.
    func waitForPlace() {
        places.wait()
        places.signal()
    }

    /// Sends an item; waits while full. False: nobody receives any more, and the sender should stop.
    func send(_ item: Element) -> Bool {
        places.wait()
        let taken = state.withLock { state in
            guard !state.isAbandoned else { return false }
            state.items.append(item)
            return true
        }
        // Whoever abandons frees one place for good, so that each later send passes too.
        if taken { items.signal() } else { places.signal() }
        return taken
    }

    /// Says that no more items follow, or why.
    func end(_ failure: MediaError? = nil) {
        state.withLock { state in
            guard !state.isEnded else { return }
            state.isEnded = true
            state.failure = failure
        }
        items.signal()
    }

    /// Receives the next item; waits while empty. Nil: the sender has ended.
    func receive() throws(MediaError) -> Element? {
        items.wait()
        let (item, failure) = state.withLock { state -> (Element?, MediaError?) in
            state.items.isEmpty ? (nil, state.failure) : (state.items.removeFirst(), nil)
        }
        if let item {
            places.signal()
            return item
        }
        // The end stays to be received.
        items.signal()
        if let failure { throw failure }
        return nil
    }

    /// Stops receiving: what lies here is let go, and the sender is told.
    func abandon() {
        let dropped = state.withLock { state -> [Element] in
            state.isAbandoned = true
            defer { state.items = [] }
            return state.items
        }
        _ = dropped
        places.signal()
    }
}
