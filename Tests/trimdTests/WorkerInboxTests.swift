// Messages of a worker that wait while nobody takes them in.
import Dispatch
import Media
import MediaTime
import Synchronization
import Testing
import Wire

@testable import trimd

@Suite struct WorkerInboxTests {
    private final class Received: Sendable {
        let lines = Mutex<[String]>([])
        let progress = Mutex<[Progress]>([])
    }

    @Test func littleWaitsWhileNobodyListens() {
        let queue = DispatchQueue(label: "listener")
        let received = Received()
        let inbox = WorkerInbox(
            on: queue, onProgress: { progress in received.progress.withLock { $0.append(progress) } },
            onLine: { line in received.lines.withLock { $0.append(line) } })
        queue.suspend()
        for number in 0..<100_000 {
            inbox.take("line \(number)")
            _ = inbox.take(Progress(fraction: Double(number) / 100_000, phase: .exporting))
        }
        inbox.take(String(repeating: "x", count: 1 << 20))
        queue.resume()
        queue.sync {}
        let lines = received.lines.withLock(\.self)
        #expect(lines.count == WorkerInbox.mostLines + 1)
        #expect(lines.first == "line 0" && lines.last?.contains("left out") == true)
        #expect(received.progress.withLock { $0.map(\.fraction) } == [0.99999])
        // Progress is still reported when there is no room for lines any more.
        _ = inbox.take(Progress(fraction: 1, phase: .finishing))
        inbox.take("another")
        queue.sync {}
        #expect(received.lines.withLock(\.count) == lines.count)
        #expect(received.progress.withLock(\.last)?.phase == .finishing)
    }

    @Test func onlyTheFirstPlanIsTaken() {
        let queue = DispatchQueue(label: "listener")
        let plans = Mutex<[WorkerPlan]>([])
        let inbox = WorkerInbox(on: queue, onPlan: { plan in plans.withLock { $0.append(plan) } })
        for bytes in 1...1000 { inbox.take(WorkerPlan(bytes: Int64(bytes), length: nil)) }
        queue.sync {}
        inbox.take(WorkerPlan(bytes: 5, length: nil))
        queue.sync {}
        #expect(plans.withLock(\.self) == [WorkerPlan(bytes: 1, length: nil)])
    }

    @Test func changesOfTheProcessorsAreTaken() {
        let queue = DispatchQueue(label: "listener")
        let processors = Mutex<[Int]>([])
        let inbox = WorkerInbox(
            on: queue, onProcessors: { count in processors.withLock { $0.append(count) } })
        for count in [nil, 4, 4, 0, 0, nil, 2] {
            inbox.take(WorkerPlan(bytes: 1, length: nil, processors: count))
            queue.sync {}
        }
        #expect(processors.withLock(\.self) == [4, 0, .max, 2])
    }

    /// A worker that changes them without end does not keep the scheduler busy.
    @Test func fewChangesOfTheProcessorsAreTaken() {
        let queue = DispatchQueue(label: "listener")
        let count = Mutex(0)
        let inbox = WorkerInbox(on: queue, onProcessors: { _ in count.withLock { $0 += 1 } })
        for number in 0..<1000 {
            inbox.take(WorkerPlan(bytes: 1, length: nil, processors: number % 2))
            queue.sync {}
        }
        #expect(count.withLock(\.self) == WorkerInbox.mostChanges)
    }

    @Test func longLinesAreCut() {
        let queue = DispatchQueue(label: "listener")
        let received = Received()
        let inbox = WorkerInbox(on: queue, onLine: { line in received.lines.withLock { $0.append(line) } })
        inbox.take(String(repeating: "ü", count: 1 << 20))
        queue.sync {}
        #expect(received.lines.withLock { $0.first?.utf8.count ?? 0 } <= WorkerInbox.longestLine + 3)
    }

    @Test func whatGoesOnIsAhead() {
        let inbox = WorkerInbox(on: DispatchQueue(label: "listener"))
        func take(_ fraction: Double, _ phase: ExportPhase = .exporting, at time: Time? = nil) -> Bool {
            inbox.take(Progress(fraction: fraction, phase: phase, time: time))
        }
        #expect(take(0.1))
        #expect(!take(0.1))
        #expect(!take(0.05))
        #expect(take(0.2))
        #expect(take(0.2, at: Time(1, 1)))
        #expect(!take(0.2, at: Time(1, 1)))
        #expect(take(0.2, at: Time(2, 1)))
        #expect(!take(0.2, at: .positiveInfinity))
        #expect(take(0.1, .finishing))
        #expect(!take(0.9, .exporting))
    }
}
