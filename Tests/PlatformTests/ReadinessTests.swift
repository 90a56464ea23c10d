// Watches on descriptors whose other side goes away, by the thousand: every end is reported, nothing is lost, nothing crashes.
import Dispatch
import Glibc
import Synchronization
import Testing

@testable import Platform

@Suite struct ReadinessTests {
    private struct Missing: Error {}

    /// The events of one pipe.
    private final class PipeWatch: Sendable {
        let reading: Descriptor
        let bytes = Mutex(0)
        let ended: DispatchSemaphore

        init(_ reading: consuming Descriptor, _ ended: DispatchSemaphore) throws(SystemError) {
            self.reading = reading
            self.ended = ended
            try Readiness(of: self.reading.rawValue, on: DispatchQueue(label: "test.watching")) { watch, _ in
                var byte: UInt8 = 0
                // One byte a turn: the end comes after the other side is long gone.
                switch unsafe read(self.reading.rawValue, &byte, 1) {
                case 1: self.bytes.withLock { $0 += 1 }
                case 0: watch.cancel()
                default: return
                }
            } cancelled: {
                _ = self.reading.rawValue
                self.ended.signal()
            }
        }
    }

    @Test(.timeLimit(.minutes(10))) func everyEndIsReported() throws {
        let atOnce = 40
        let rounds = 200
        for _ in 0..<rounds {
            let ended = DispatchSemaphore(value: 0)
            var watches: [PipeWatch] = []
            for index in 0..<atOnce {
                // Pipes and sockets hang up in different ways.
                var pair = index % 2 == 0 ? try Descriptor.pipe() : try Descriptor.socketPair()
                guard let reading = pair.takeFirst() else { throw Missing() }
                guard let writing = pair.takeSecond() else { throw Missing() }
                try reading.setNonBlocking()
                try watches.append(PipeWatch(reading, ended))
                #expect(unsafe write(writing.rawValue, "abc", 3) == 3)
                let raw = writing.release()
                DispatchQueue.global().async { _ = close(raw) }
            }
            for _ in 0..<atOnce {
                try #require(ended.wait(timeout: .now() + 60) == .success, "an end was never reported")
            }
            for watch in watches { #expect(watch.bytes.withLock { $0 } == 3) }
        }
    }

    @Test(.timeLimit(.minutes(10))) func aPauseHoldsAndEnds() throws {
        var pair = try Descriptor.socketPair()
        guard let reading = pair.takeFirst() else { throw Missing() }
        guard let writing = pair.takeSecond() else { throw Missing() }
        let called = DispatchSemaphore(value: 0)
        let ended = DispatchSemaphore(value: 0)
        let watch = try Readiness(of: reading.rawValue, on: DispatchQueue(label: "test.pause"), for: []) {
            watch, ready in
            guard watch.interest.contains(.reading) else { return }
            watch.suspend(.reading)
            #expect(ready.contains(.reading))
            called.signal()
        } cancelled: {
            ended.signal()
        }
        #expect(unsafe write(writing.rawValue, "a", 1) == 1)
        #expect(called.wait(timeout: .now() + 0.05) == .timedOut)
        // Unread data is reported again after each pause.
        for _ in 0..<3 {
            watch.resume(.reading)
            #expect(called.wait(timeout: .now() + 60) == .success)
        }
        _ = consume writing
        #expect(called.wait(timeout: .now() + 0.05) == .timedOut)
        watch.cancel()
        watch.cancel()
        #expect(ended.wait(timeout: .now() + 60) == .success)
        _ = reading.rawValue
    }
}
