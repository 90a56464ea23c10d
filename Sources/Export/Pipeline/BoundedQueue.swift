// A bounded hand-off between two stages on two queues: one side sends and waits where it is full, the other receives
// and waits where it is empty. Carries the end and a failure too. Owns what lies in it, nothing else.
internal import Dispatch
internal import Media
internal import Synchronization

/// A bounded first-in, first-out hand-off between one sender and one receiver.
final class BoundedQueue<Element: Sendable>: Sendable {
    private struct State {
        var items: [Element] = []
        var isEnded = false
        var failure: MediaError?
        var isAbandoned = false
        /// Each is raised by who is about to wait, and lowered by who wakes him: one signal for each wait.
        var senderWaits = false, receiverWaits = false
    }
    private let state = Mutex(State())
    private let capacity: Int
    /// A sender that found it full is woken when no more than so many items are left: waking another thread costs more than
    /// handing over a small packet does, so that large hand-offs are filled by the half.
    private let ebb: Int
    private let senderMayGo = DispatchSemaphore(value: 0)
    private let receiverMayGo = DispatchSemaphore(value: 0)

    /// A hand-off that holds at most `capacity` items.
    init(capacity: Int) {
        self.capacity = max(1, capacity)
        ebb = capacity < 32 ? self.capacity - 1 : capacity / 2
    }

    /// Waits until an item can be sent at once: for a sender that should not make a large item before there is room.
    func waitForPlace() {
        while !state.withLock({ hasPlace(&$0) }) { senderMayGo.wait() }
    }

    /// Sends an item; waits while full. False: nobody receives any more, and the sender should stop.
    func send(_ item: Element) -> Bool {
        while true {
            let (isDone, isSent, wakes) = state.withLock { state -> (Bool, Bool, Bool) in
                guard hasPlace(&state) else { return (false, false, false) }
                guard !state.isAbandoned else { return (true, false, false) }
                state.items.append(item)
                return (true, true, lower(&state.receiverWaits))
            }
            if wakes { receiverMayGo.signal() }
            if isDone { return isSent }
            senderMayGo.wait()
        }
    }

    /// Says that no more items follow, or why.
    func end(_ failure: MediaError? = nil) {
        let wakes = state.withLock { state -> Bool in
            guard !state.isEnded else { return false }
            state.isEnded = true
            state.failure = failure
            return lower(&state.receiverWaits)
        }
        if wakes { receiverMayGo.signal() }
    }

    /// Receives the next item; waits while empty. Nil: the sender has ended.
    func receive() throws(MediaError) -> Element? {
        while true {
            let (item, isDone, failure, wakes) = state.withLock {
                state -> (Element?, Bool, MediaError?, Bool) in
                guard state.items.isEmpty else {
                    let item = state.items.removeFirst()
                    return (item, true, nil, state.items.count <= ebb && lower(&state.senderWaits))
                }
                state.receiverWaits = !state.isEnded
                return (nil, state.isEnded, state.failure, false)
            }
            if wakes { senderMayGo.signal() }
            if let failure { throw failure }
            if isDone { return item }
            receiverMayGo.wait()
        }
    }

    /// Stops receiving: what lies here is let go, and the sender is told.
    func abandon() {
        let (dropped, wakes) = state.withLock { state -> ([Element], Bool) in
            state.isAbandoned = true
            defer { state.items = [] }
            return (state.items, lower(&state.senderWaits))
        }
        if wakes { senderMayGo.signal() }
        _ = dropped
    }

    /// Whether the sender need not wait; where it must, that is noted.
    private func hasPlace(_ state: inout State) -> Bool {
        state.senderWaits = state.items.count >= capacity && !state.isAbandoned
        return !state.senderWaits
    }

    /// Lowers a flag.
    /// - Returns: whether it was raised.
    private func lower(_ flag: inout Bool) -> Bool {
        defer { flag = false }
        return flag
    }
}
