// The bounded queue between two threads: items stay in order, and neither side waits for ever.
import Dispatch
import Media
import Synchronization
import Testing

@testable import Export
@testable import Source

@Suite(.timeLimit(.minutes(10))) struct BoundedQueueTests {
    /// How far a sender on a queue of its own has come.
    private final class Sender: Sendable {
        let sent = Atomic<Int>(0)
        let wasRefused = Atomic<Bool>(false)
        let done = DispatchSemaphore(value: 0)

        func start(_ queue: BoundedQueue<Int, MediaError>, count: Int, failure: MediaError? = nil) {
            DispatchQueue(label: "test.sender").async { [self] in
                for number in 0..<count {
                    guard queue.send(number) else {
                        wasRefused.store(true, ordering: .sequentiallyConsistent)
                        break
                    }
                    sent.add(1, ordering: .sequentiallyConsistent)
                }
                queue.end(failure)
                done.signal()
            }
        }

        var isRefused: Bool { wasRefused.load(ordering: .sequentiallyConsistent) }
        var count: Int { sent.load(ordering: .sequentiallyConsistent) }

        /// Waits until it has come so far, and a little longer, in which it must not come further.
        func settles(at count: Int) -> Bool {
            for _ in 0..<30_000 where self.count < count { usleep() }
            for _ in 0..<20 { usleep() }
            return self.count == count
        }

        private func usleep() { _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(2)) }
    }

    @Test(arguments: [1, 3, 16]) func noMoreThanItsCapacityLiesInIt(_ capacity: Int) throws {
        let queue = BoundedQueue<Int, MediaError>(capacity: capacity)
        let sender = Sender()
        sender.start(queue, count: 100)
        #expect(sender.settles(at: capacity))
        #expect(try queue.receive() == 0)
        #expect(sender.settles(at: capacity + 1))
        for number in 1..<100 { #expect(try queue.receive() == number) }
        #expect(try queue.receive() == nil)
        #expect(try queue.receive() == nil, "the end stays")
        #expect(sender.done.wait(timeout: .now() + 60) == .success)
    }

    /// Waking for each small packet would cost more than the packet.
    @Test func aLargeOneIsFilledAgainWhenHalfIsGone() throws {
        let queue = BoundedQueue<Int, MediaError>(capacity: 64)
        let sender = Sender()
        sender.start(queue, count: 200)
        #expect(sender.settles(at: 64))
        for number in 0..<31 { #expect(try queue.receive() == number) }
        #expect(sender.settles(at: 64))
        #expect(try queue.receive() == 31)
        #expect(sender.settles(at: 96))
        for number in 32..<200 { #expect(try queue.receive() == number) }
        #expect(try queue.receive() == nil)
    }

    /// A receiver that waits for a sender of many small items is woken for several, or for the end.
    @Test(arguments: [(3, 1), (64, 8), (256, 32)]) func aReceiverThatWaitsIsWokenForSeveral(
        _ capacity: Int, _ batch: Int
    ) throws {
        let queue = BoundedQueue<Int, MediaError>(capacity: capacity, reuses: true)
        let receiver = Sender()
        DispatchQueue(label: "test.receiver").async {
            while let item = try? queue.receive(), item >= 0 {
                receiver.sent.add(1, ordering: .sequentiallyConsistent)
            }
            receiver.done.signal()
        }
        #expect(receiver.settles(at: 0))
        for number in 0..<(batch - 1) { #expect(queue.send(number)) }
        #expect(receiver.settles(at: 0))
        #expect(queue.send(batch))
        #expect(receiver.settles(at: batch))
        // The end wakes it for fewer.
        if batch > 1 { #expect(queue.send(batch + 1)) }
        queue.end()
        #expect(receiver.done.wait(timeout: .now() + 60) == .success)
        #expect(receiver.count == batch + (batch > 1 ? 1 : 0))
    }

    /// Only a queue that says so gives items back, no more than lie in it, and none to a sender that has ended.
    @Test func whatTheReceiverIsDoneWithGoesBackToTheSender() throws {
        let plain = BoundedQueue<Int, MediaError>(capacity: 4)
        plain.giveBack([1])
        #expect(plain.takeBack() == nil)
        let queue = BoundedQueue<Int, MediaError>(capacity: 2, reuses: true)
        #expect(queue.takeBack() == nil)
        queue.giveBack([1])
        queue.giveBack([2, 3])
        #expect(queue.takeBack() == 2)
        #expect(queue.takeBack() == 1)
        #expect(queue.takeBack() == nil)
        queue.giveBack([4])
        queue.abandon()
        #expect(queue.takeBack() == nil)
        queue.end()
        queue.giveBack([5])
        #expect(queue.takeBack() == nil)
    }

    /// All that is there at once, in order, and what failed after it; of a queue that does not reuse its items one at a time.
    @Test func someAreReceivedTogetherWhereItemsAreReused() throws {
        let single = BoundedQueue<Int, MediaError>(capacity: 4)
        for number in 1...2 { #expect(single.send(number)) }
        #expect(try single.receiveSome() == [1])
        let queue = BoundedQueue<Int, MediaError>(capacity: 4, reuses: true)
        for number in 1...4 { #expect(queue.send(number)) }
        #expect(try queue.receiveSome() == [1, 2, 3, 4])
        #expect(queue.send(5))
        queue.end(MediaError(.encodeFailed, "it fails"))
        #expect(try queue.receiveSome() == [5])
        #expect(throws: MediaError.self) { try queue.receiveSome() }
        single.end()
        #expect(try single.receiveSome() == [2])
        #expect(try single.receiveSome().isEmpty)
    }

    @Test func aFailureComesAfterWhatWasSentBeforeIt() throws {
        let queue = BoundedQueue<Int, MediaError>(capacity: 4)
        let sender = Sender()
        let failure = MediaError(.decodeFailed, "broken")
        sender.start(queue, count: 2, failure: failure)
        #expect(sender.done.wait(timeout: .now() + 60) == .success)
        #expect(try queue.receive() == 0)
        #expect(try queue.receive() == 1)
        #expect(throws: failure) { try queue.receive() }
        #expect(throws: failure) { try queue.receive() }
    }

    @Test func theFirstEndCounts() throws {
        let queue = BoundedQueue<Int, MediaError>(capacity: 1)
        queue.end()
        queue.end(MediaError(.decodeFailed, "too late"))
        #expect(try queue.receive() == nil)
    }

    @Test func abandoningWakesASenderThatWaits() {
        let queue = BoundedQueue<Int, MediaError>(capacity: 2)
        let sender = Sender()
        sender.start(queue, count: 100)
        #expect(sender.settles(at: 2))
        queue.abandon()
        #expect(sender.done.wait(timeout: .now() + 60) == .success)
        #expect(sender.isRefused)
        #expect(!queue.send(7))
        #expect(!queue.send(8), "each later one is refused, and none waits")
        queue.waitForRoom()
        queue.abandon()
    }

    @Test func endingWakesAReceiverThatWaits() {
        let queue = BoundedQueue<Int, MediaError>(capacity: 1)
        let done = DispatchSemaphore(value: 0)
        DispatchQueue(label: "test.receiver").async {
            if (try? queue.receive()) == .some(nil) { done.signal() }
        }
        #expect(done.wait(timeout: .now() + .milliseconds(50)) == .timedOut)
        queue.end()
        #expect(done.wait(timeout: .now() + 60) == .success)
    }

    @Test func waitingForRoomTakesNone() throws {
        let queue = BoundedQueue<Int, MediaError>(capacity: 1)
        for _ in 0..<5 { queue.waitForRoom() }
        #expect(queue.send(1))
        let done = DispatchSemaphore(value: 0)
        DispatchQueue(label: "test.waiter").async {
            queue.waitForRoom()
            done.signal()
        }
        #expect(done.wait(timeout: .now() + .milliseconds(50)) == .timedOut)
        #expect(try queue.receive() == 1)
        #expect(done.wait(timeout: .now() + 60) == .success)
    }

    @Test func whatLiesInItIsLetGo() {
        final class Load: Sendable {}
        weak var weakly: Load?
        let queue = BoundedQueue<Load, MediaError>(capacity: 2)
        do {
            let load = Load()
            weakly = load
            #expect(queue.send(load))
        }
        #expect(weakly != nil)
        queue.abandon()
        #expect(weakly == nil)
    }
}
