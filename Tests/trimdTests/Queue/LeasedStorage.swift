// A queue that several owners share, in a file, with the faults of a database that is elsewhere.
import Foundation
import Glibc
import Media
import Synchronization

@testable import JobQueue

/// The tables of a file, with leases of six seconds, and away when a test wants it.
final class LeasedStorage: TableStorage {
    private let file: SQLiteStorage
    /// Calls fail, or do not return, or fail once they have changed the tables.
    let isAway: Shared, stalls: Shared, losesAnswers: Shared
    /// The next call that ends an attempt returns late: others see what it has changed before it does.
    let delaysEnd = Shared()
    private let isEndDelayed = Shared()
    private let added = Mutex<[LogBatch]>([])
    /// When a renewal was asked for that succeeded.
    let renewed = Mutex<ContinuousClock.Instant?>(nil)

    var version: Int { file.version }
    var place: String { file.place }
    var drainSwitch: String { file.drainSwitch }
    static let lease: Int64 = 6000
    var leaseTime: Int64? { LeasedStorage.lease }

    /// A switch that a test sets.
    final class Shared: Sendable {
        private let state = Mutex(false)
        var isOn: Bool {
            get { state.withLock(\.self) }
            set { state.withLock { $0 = newValue } }
        }
    }

    init(_ path: String) throws {
        (isAway, stalls, losesAnswers) = (Shared(), Shared(), Shared())
        file = try SQLiteStorage(file: path) { .now }
    }

    private func check() throws(MediaError) {
        while stalls.isOn { usleep(10_000) }
        if isAway.isOn { throw MediaError(.queueUnavailable, "the queue is away") }
    }

    func read<Result>(_ body: (any TableConnection, Moment) throws -> Result) throws(MediaError) -> Result {
        try check()
        return try file.read(body)
    }

    func change<Result>(
        _ body: @escaping (any TableConnection, Moment) throws -> Result
    ) throws(MediaError) -> Result {
        try check()
        let result = try file.change(body)
        if losesAnswers.isOn { throw MediaError(.queueUnavailable, "the answer is lost") }
        if delaysEnd.isOn, !isEndDelayed.isOn, let job = result as? Job, !JobState.begun.contains(job.state) {
            isEndDelayed.isOn = true
            while delaysEnd.isOn { usleep(10_000) }
        }
        return result
    }

    func add(_ lines: LogBatch, _ owner: String) throws(MediaError) {
        try check()
        added.withLock { $0.append(lines) }
    }
    func log(of id: Int64, from offset: Int64?, limit: Int) throws(MediaError) -> LogPart {
        try check()
        return LogPart(log(of: id), next: 0)
    }
    func log(of id: Int64) -> String { added.withLock { $0.compactMap { $0.texts[id] }.joined() } }
    func renew(_ owner: String) throws(MediaError) {
        let asked = ContinuousClock.now
        try check()
        renewed.withLock { $0 = asked }
    }
    func leave(_ owner: String) {}
    func takeOver(by owner: String) throws(MediaError) -> [Job] { try check(); return [] }
    func willClaim(_ table: JobTable) {}
    func lastJob() throws(MediaError) -> Int64 { try file.lastJob() }
    func lastEvent() throws(MediaError) -> Int64 { try file.lastEvent() }
    func numberEvents() {}
    func skipNumbers(jobs: Int64, events: Int64) throws(MediaError) {
        try file.skipNumbers(jobs: jobs, events: events)
    }
    func checkFiles() throws(MediaError) { try file.checkFiles() }
    func checkIntegrity() throws(MediaError) { try file.checkIntegrity() }
}
