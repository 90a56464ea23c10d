// SimulatedNode: does with the queue what a trimd does, at the same times, but that its workers only wait.
import Foundation
import Media
import Platform
import Synchronization

@testable import JobQueue

/// One of many nodes.
///
/// `@unchecked Sendable`: used by one thread at a time, but for the Mutex.
final class SimulatedNode: @unchecked Sendable {
    let store: JobStore
    private let node: QueueNode
    private let isTold = Mutex(false)
    private var lastEvent: Int64 = 0
    private var running: [(job: Job, until: ContinuousClock.Instant)] = []
    /// How long each call took, and what came of it.
    var submissions: [Duration] = [], claims: [Duration] = [], looks: [Duration] = []
    var claimed: [Int64] = [], failures: [String] = []
    var completed = 0
    private let workers = 4, wait: Int

    init(_ name: String, _ setting: String, wait: Int = 4000) throws {
        node = QueueNode(name: name, version: "1")
        store = try JobStore(postgresql: setting, node: node, owner: name)
        self.wait = wait
        try store.describe(node)
        store.listen { [weak self] in self?.isTold.withLock { $0 = true } }
    }

    private func timed<Result>(_ times: inout [Duration], _ body: () throws -> Result) rethrows -> Result {
        let start = ContinuousClock.now
        defer { times.append(ContinuousClock.now - start) }
        return try body()
    }

    func submit() throws {
        let request = try request("film\(Int.random(in: 0..<1_000_000_000))")
        _ = try timed(&submissions) {
            try store.submit(request, source: source, user: UInt32.random(in: 0..<20), limit: 1_000_000)
        }
    }

    /// Claims, waits and completes: renews every 15 s, looks at what others changed a tenth of a second after it heard of it and every two
    /// seconds, tells its progress every half second, and takes a job of its users every ten seconds.
    func work(for time: Duration) throws {
        let start = ContinuousClock.now
        var renewal = start, look = start, telling = start,
            submission = start + .milliseconds(Int.random(in: 0..<10_000))
        lastEvent = try store.lastEvent()
        while ContinuousClock.now - start < time || !running.isEmpty {
            let now = ContinuousClock.now
            let isOver = now - start >= time
            do {
                if now >= renewal {
                    try store.describe(node)
                    renewal = now + .seconds(15)
                }
                if isTold.withLock({ told in
                    defer { told = false }; return told
                }) {
                    look = min(look, now + .milliseconds(100))
                }
                if now >= look {
                    try timed(&looks) {
                        lastEvent =
                            try store.events(for: .all, after: lastEvent, since: nil, limit: 1000).last?.id
                            ?? lastEvent
                        _ = try store.asked()
                    }
                    look = now + .seconds(2)
                    while !isOver, running.count < workers, try store.availability().isReady, try claim() {}
                }
                if now >= telling, !running.isEmpty {
                    let live = LiveProgress(Progress(fraction: .random(in: 0..<1), phase: .exporting))
                    try store.tell(
                        running.map {
                            AttemptProgress(job: $0.job.id, user: $0.job.user, attempt: $0.job.attempts, live)
                        })
                    telling = now + .milliseconds(500)
                }
                if now >= submission, !isOver {
                    try submit()
                    submission = now + .seconds(10)
                }
                for (index, each) in running.enumerated().reversed() where each.until <= now {
                    try complete(each.job)
                    running.remove(at: index)
                    if !isOver { _ = try claim() }
                }
            } catch { failures.append("\(error)") }
            usleep(10_000)
        }
    }

    private func claim() throws -> Bool {
        guard let job = try timed(&claims, { try store.claim(worker: worker) }) else { return false }
        claimed.append(job.id)
        running.append((job, .now + .milliseconds(Int.random(in: 0...2 * wait))))
        return true
    }

    private func complete(_ job: Job) throws {
        let publication = Publication(device: 1, inode: UInt64(job.id), name: "\(job.id).m4a")
        try store.publish(job.id, attempt: job.attempts, publication, result: result())
        _ = try store.complete(job.id, attempt: job.attempts)
        completed += 1
    }
}
