// The hand-off between two queues: bounded, in order, and nobody waits for ever.
import Dispatch
import Media
import Synchronization
import Testing

@testable import Export

@Suite(.timeLimit(.minutes(60))) struct BoundedQueueTests {
    /// How far a sender on a queue of its own has come.
    private final class Sender: Sendable {
        let sent = Atomic<Int>(0)
        let wasRefused = Atomic<Bool>(false)
        let done = DispatchSemaphore(value: 0)

        func start(_ handoff: BoundedQueue<Int, MediaError>, count: Int, failure: MediaError? = nil) {
            DispatchQueue(label: "test.sender").async { [self] in
                for number in 0..<count {
                    guard handoff.send(number) else {
                        wasRefused.store(true, ordering: .sequentiallyConsistent)
                        break
                    }
                    sent.add(1, ordering: .sequentiallyConsistent)
                }
                handoff.end(failure)
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
        let handoff = BoundedQueue<Int, MediaError>(capacity: capacity)
        let sender = Sender()
        sender.start(handoff, count: 100)
        #expect(sender.settles(at: capacity))
        #expect(try handoff.receive() == 0)
        #expect(sender.settles(at: capacity + 1))
        for number in 1..<100 { #expect(try handoff.receive() == number) }
        #expect(try handoff.receive() == nil)
        #expect(try handoff.receive() == nil, "the end stays")
        #expect(sender.done.wait(timeout: .now() + 60) == .success)
    }

    /// Waking for each small packet would cost more than the packet.
    @Test func aLargeOneIsFilledAgainWhenHalfIsGone() throws {
        let handoff = BoundedQueue<Int, MediaError>(capacity: 64)
        let sender = Sender()
        sender.start(handoff, count: 200)
        #expect(sender.settles(at: 64))
        for number in 0..<31 { #expect(try handoff.receive() == number) }
        #expect(sender.settles(at: 64))
        #expect(try handoff.receive() == 31)
        #expect(sender.settles(at: 96))
        for number in 32..<200 { #expect(try handoff.receive() == number) }
        #expect(try handoff.receive() == nil)
    }

    @Test func aFailureComesAfterWhatWasSentBeforeIt() throws {
        let handoff = BoundedQueue<Int, MediaError>(capacity: 4)
        let sender = Sender()
        let failure = MediaError(.decodeFailed, "broken")
        sender.start(handoff, count: 2, failure: failure)
        #expect(sender.done.wait(timeout: .now() + 60) == .success)
        #expect(try handoff.receive() == 0)
        #expect(try handoff.receive() == 1)
        #expect(throws: failure) { try handoff.receive() }
        #expect(throws: failure) { try handoff.receive() }
    }

    @Test func theFirstEndCounts() throws {
        let handoff = BoundedQueue<Int, MediaError>(capacity: 1)
        handoff.end()
        handoff.end(MediaError(.decodeFailed, "too late"))
        #expect(try handoff.receive() == nil)
    }

    @Test func abandoningWakesASenderThatWaits() {
        let handoff = BoundedQueue<Int, MediaError>(capacity: 2)
        let sender = Sender()
        sender.start(handoff, count: 100)
        #expect(sender.settles(at: 2))
        handoff.abandon()
        #expect(sender.done.wait(timeout: .now() + 60) == .success)
        #expect(sender.isRefused)
        #expect(!handoff.send(7))
        #expect(!handoff.send(8), "each later one is refused, and none waits")
        handoff.waitForPlace()
        handoff.abandon()
    }

    @Test func endingWakesAReceiverThatWaits() {
        let handoff = BoundedQueue<Int, MediaError>(capacity: 1)
        let done = DispatchSemaphore(value: 0)
        DispatchQueue(label: "test.receiver").async {
            if (try? handoff.receive()) == .some(nil) { done.signal() }
        }
        #expect(done.wait(timeout: .now() + .milliseconds(50)) == .timedOut)
        handoff.end()
        #expect(done.wait(timeout: .now() + 60) == .success)
    }

    @Test func waitingForAPlaceTakesNone() throws {
        let handoff = BoundedQueue<Int, MediaError>(capacity: 1)
        for _ in 0..<5 { handoff.waitForPlace() }
        #expect(handoff.send(1))
        let done = DispatchSemaphore(value: 0)
        DispatchQueue(label: "test.waiter").async {
            handoff.waitForPlace()
            done.signal()
        }
        #expect(done.wait(timeout: .now() + .milliseconds(50)) == .timedOut)
        #expect(try handoff.receive() == 1)
        #expect(done.wait(timeout: .now() + 60) == .success)
    }

    @Test func whatLiesInItIsLetGo() {
        final class Load: Sendable {}
        weak var weakly: Load?
        let handoff = BoundedQueue<Load, MediaError>(capacity: 2)
        do {
            let load = Load()
            weakly = load
            #expect(handoff.send(load))
        }
        #expect(weakly != nil)
        handoff.abandon()
        #expect(weakly == nil)
    }
}
