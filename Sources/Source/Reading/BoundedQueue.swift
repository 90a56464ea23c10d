// A bounded queue between two stages on two threads: the sender waits while it is full, the receiver waits while it is empty.
// Also passes the end and a failure. Owns only the items in it.
internal import Dispatch
internal import Synchronization

/// A bounded first-in, first-out queue between one sender and one receiver.
package final class BoundedQueue<Element: Sendable, Failure: Error>: Sendable {
    private struct State {
        var items: [Element] = []
        var isEnded = false
        var failure: Failure?
        var isAbandoned = false
        /// Set by the side that is about to wait, cleared by the side that wakes it: one signal per wait.
        var senderWaits = false, receiverWaits = false
    }
    private let state = Mutex(State())
    /// Items that the receiver is done with, and whether more are taken.
    private let used = Mutex((items: [Element](), isOpen: true))
    private let capacity: Int
    /// A waiting sender is woken when at most this many items are left: waking a thread costs more than passing a small packet,
    /// so large queues refill by half.
    private let ebb: Int
    /// A waiting receiver is woken when there are so many, or the sender has ended.
    private let batch: Int
    /// Whether items go back to the sender.
    private let reuses: Bool
    private let senderMayGo = DispatchSemaphore(value: 0)
    private let receiverMayGo = DispatchSemaphore(value: 0)

    /// Creates a queue of at most `capacity` items.
    /// - Parameter reuses: the sender makes many small items quickly. It takes back those that the receiver is done with: memory is
    ///   freed best by the thread that allocated it, since threads that free each other's wait for each other each time. And a
    ///   receiver that waits is woken for several items at once.
    package init(capacity: Int, reuses: Bool = false) {
        self.capacity = max(1, capacity)
        self.reuses = reuses
        ebb = capacity < 32 ? self.capacity - 1 : capacity / 2
        batch = reuses ? max(1, capacity / 8) : 1
    }

    /// Waits until an item can be sent at once, so that the sender does not make a large item before there is room.
    package func waitForRoom() {
        while !state.withLock({ hasRoom(&$0) }) { senderMayGo.wait() }
    }

    /// Sends an item; waits while full. False: the receiver is gone, and the sender should stop.
    package func send(_ item: Element) -> Bool {
        while true {
            let (isDone, isSent, wakes) = state.withLock { state -> (Bool, Bool, Bool) in
                guard hasRoom(&state) else { return (false, false, false) }
                guard !state.isAbandoned else { return (true, false, false) }
                state.items.append(item)
                return (true, true, state.items.count >= batch && lower(&state.receiverWaits))
            }
            if wakes { receiverMayGo.signal() }
            if isDone { return isSent }
            senderMayGo.wait()
        }
    }

    /// Ends the queue, normally or with a failure.
    package func end(_ failure: Failure? = nil) {
        let wakes = state.withLock { state -> Bool in
            guard !state.isEnded else { return false }
            state.isEnded = true
            state.failure = failure
            return lower(&state.receiverWaits)
        }
        if wakes { receiverMayGo.signal() }
        // The sender, which may have made them, frees them.
        _ = closeUsed()
    }

    /// Receives the items that are there, in order; waits while there are none. Empty: the sender has ended. Of a queue that does not
    /// reuse its items, which may be large, one at a time.
    package func receiveSome() throws(Failure) -> [Element] {
        guard reuses else { return try receive().map { [$0] } ?? [] }
        while true {
            let (items, isEnded, failure, wakes) = state.withLock {
                state -> ([Element], Bool, Failure?, Bool) in
                let items = state.items
                guard items.isEmpty else {
                    state.items = []
                    state.items.reserveCapacity(capacity)
                    return (items, false, nil, lower(&state.senderWaits))
                }
                state.receiverWaits = !state.isEnded
                return ([], state.isEnded, state.failure, false)
            }
            if wakes { senderMayGo.signal() }
            if let failure { throw failure }
            if isEnded || !items.isEmpty { return items }
            receiverMayGo.wait()
        }
    }

    /// Receives the next item; waits while empty. Nil: the sender has ended.
    package func receive() throws(Failure) -> Element? {
        while true {
            let (item, isDone, failure, wakes) = state.withLock {
                state -> (Element?, Bool, Failure?, Bool) in
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

    /// Gives items back to the sender, if that reuses items.
    package func giveBack(_ items: [Element]) {
        guard reuses else { return }
        used.withLock { used in
            guard used.isOpen else { return }
            used.items += items.prefix(capacity - used.items.count)
        }
    }

    /// Takes an item back that the receiver is done with; nil: there is none.
    package func takeBack() -> Element? {
        guard reuses else { return nil }
        return used.withLock { $0.items.popLast() }
    }

    /// Takes nothing back any more.
    private func closeUsed() -> [Element] {
        used.withLock { used in
            defer { used = ([], false) }
            return used.items
        }
    }

    /// Stops receiving: releases the queued items and makes the sender stop.
    package func abandon() {
        let (dropped, wakes) = state.withLock { state -> ([Element], Bool) in
            state.isAbandoned = true
            defer { state.items = [] }
            return (state.items, lower(&state.senderWaits))
        }
        if wakes { senderMayGo.signal() }
        _ = (dropped, closeUsed())
    }

    /// Whether the sender need not wait; records it where the sender must.
    private func hasRoom(_ state: inout State) -> Bool {
        state.senderWaits = state.items.count >= capacity && !state.isAbandoned
        return !state.senderWaits
    }

    /// Clears a flag.
    /// - Returns: whether it was set.
    private func lower(_ flag: inout Bool) -> Bool {
        defer { flag = false }
        return flag
    }
}
