// A daemon and its leases where several share the queue.
import Foundation
import Glibc
import Media
import Platform
import Synchronization
import Testing
import Text

@testable import JobQueue
@testable import trimd

@Suite(.timeLimit(.minutes(10))) struct SharedQueueTests {
    /// A worker that makes no progress, for ever.
    private static let stuck = """
        read request <&3; read more <&3

        """

    private func sharing(_ rig: ServiceRig) -> SharedQueue? {
        let log = Log(level: .error, isJournal: false)
        let logs = JobLogs(folder: rig.scratch.path + "/logs")
        let recovery = Recovery(store: rig.store, logs: logs, log: log, mode: 0o644)
        return SharedQueue(
            store: rig.store, scheduler: rig.scheduler, recovery: recovery, hub: rig.hub, log: log)
    }

    @Test func aQueueInAFileIsNotShared() throws {
        let rig = try ServiceRig()
        #expect(sharing(rig) == nil)
    }

    /// The queue is away for longer than two thirds of a lease: the daemon ends its workers itself, and begins again when the
    /// queue is back; nothing of it counts against the job.
    @Test(arguments: [false, true]) func workersEndBeforeTheLeaseDoes(_ stalls: Bool) throws {
        let storage = Mutex<LeasedStorage?>(nil)
        let rig = try ServiceRig(worker: Self.stuck, isDraining: false) { file in
            let leased = try LeasedStorage(file)
            storage.withLock { $0 = leased }
            return JobStore(leased, owner: "test", policy: QueuePolicy())
        }
        let leased = try #require(storage.withLock { $0 })
        let shared = try #require(sharing(rig))
        let id = try rig.job(of: 0).id
        shared.start()
        defer { shared.leave() }
        // Found by its look at the queue, though nobody submitted it here.
        #expect(eventually { rig.scheduler.busy == 1 })
        let first = try #require(try rig.store.job(id).worker)
        // A queue that does not answer at all keeps the scheduler waiting, but not the end of the workers.
        (stalls ? leased.stalls : leased.isAway).isOn = true
        #expect(eventually { ProcessTable.identity(of: first.pid) != first })
        // Not before: what runs goes on until then.
        let last = leased.renewed.withLock(\.self)
        let renewed = try #require(last)
        #expect(ContinuousClock.now - renewed >= .milliseconds(LeasedStorage.lease / 3 * 2))
        (stalls ? leased.stalls : leased.isAway).isOn = false
        #expect(eventually { (try? rig.store.job(id))?.attempts == 2 })
        #expect(try rig.store.job(id).interruptions == 0)
    }

    /// The queue is away when the plan of a job is to be stored: the job waits and begins again, however often; it has not failed.
    @Test func noJobFailsForTheQueue() throws {
        let scratch = try Scratch()
        let unit = ExportUnit(number: 1, kind: .video, work: .null, seconds: 1, memory: 1)
        let plan = UnitPlan(plan: .null, fingerprint: "f", units: [unit])
        let answer = String(decoding: try JSONEncoder().encode(ExportOutcome.units(plan)), as: UTF8.self)
        let script = """
            read request <&3
            until [ -e \(scratch.path)/go ]; do sleep 0.02; done
            echo '{"jsonrpc":"2.0","id":1,"result":\(answer)}' >&3
            read more <&3

            """
        let storage = Mutex<LeasedStorage?>(nil)
        let rig = try ServiceRig(worker: script, isDraining: false) { file in
            let leased = try LeasedStorage(file)
            storage.withLock { $0 = leased }
            return JobStore(leased, owner: "test", policy: QueuePolicy())
        }
        let leased = try #require(storage.withLock { $0 })
        let id = try rig.job(of: 0).id
        rig.scheduler.othersChanged([])
        #expect(eventually { rig.scheduler.busy == 1 })
        leased.isAway.isOn = true
        _ = try scratch.file("go")
        // The worker has answered, and nothing of it can be stored.
        let log = rig.scratch.path + "/logs/\(id).log"
        #expect(
            eventually {
                (try? String(contentsOfFile: log, encoding: .utf8))?.contains("the queue cannot be reached")
                    == true
            })
        // The next attempt waits.
        try FileManager.default.removeItem(atPath: scratch.path + "/go")
        leased.isAway.isOn = false
        #expect(eventually { (try? rig.store.job(id))?.attempts ?? 0 > 1 })
        let job = try rig.store.job(id)
        #expect(job.state != .failed && job.failures == 0 && job.error == nil && job.interruptions == 0)
    }

    /// A user cancels at another daemon: this one ends its worker.
    @Test func aJobThatWasCancelledElsewhereEndsHere() throws {
        let rig = try ServiceRig(worker: Self.stuck, isDraining: false) { file in
            JobStore(try LeasedStorage(file), owner: "test", policy: QueuePolicy())
        }
        let shared = try #require(sharing(rig))
        let id = try rig.job(of: 0).id
        shared.start()
        defer { shared.leave() }
        #expect(eventually { rig.scheduler.busy == 1 })
        let other = try JobStore(file: rig.scratch.path + "/queue.db", owner: "other")
        #expect(try other.cancel(id).state == .cancelled)
        #expect(eventually { rig.scheduler.busy == 0 })
        #expect(try rig.store.job(id).state == .cancelled)
    }

    /// Lines that are written while the queue is away wait, up to a limit, and are stored in their order, each once.
    @Test func linesWaitForTheQueue() throws {
        let scratch = try Scratch()
        let leased = try LeasedStorage(scratch.path + "/queue.db")
        let store = JobStore(leased, owner: "test", policy: QueuePolicy())
        let logs = JobLogs(
            folder: scratch.path,
            shared: SharedLogs(store, node: "n1", log: Log(level: .error, isJournal: false)))
        logs.write(1, "a")
        #expect(eventually { leased.log(of: 1).hasSuffix(" n1: a\n") })
        leased.isAway.isOn = true
        for number in 0..<2000 { logs.write(1, "\(number) " + String(repeating: "x", count: 100)) }
        logs.write(2, "c\nd")
        #expect(throws: MediaError.self) { try logs.read(1) }
        leased.isAway.isOn = false
        #expect(eventually { leased.log(of: 2).hasSuffix(" n1: c d\n") })
        // Where some were left out, it says how many.
        var (stored, leftOut): ([Int], Int) = ([], 0)
        for line in leased.log(of: 1).split(separator: "\n").dropFirst() {
            guard let number = line.split(separator: " ").dropFirst(2).first.flatMap({ Int($0) }) else {
                continue
            }
            if line.hasSuffix("x") { stored.append(number) } else { leftOut += number }
        }
        #expect(stored == Set(stored).sorted() && stored.count > 300 && leftOut > 0)
        #expect(stored.count + leftOut == 2000)
        #expect(
            leased.log(of: 1).contains(" further lines are left out, since the queue could not be reached\n"))
        // Its file is not written: nothing removes it when another node removes the job.
        #expect(logs.jobs.isEmpty)
    }
}
