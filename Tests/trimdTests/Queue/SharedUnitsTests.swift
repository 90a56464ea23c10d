// Units of another owner's job that could not be given back, or of which nobody knows here: no job waits for them.
import Foundation
import Media
import Platform
import Synchronization
import Testing
import Text

@testable import JobQueue
@testable import trimd

@Suite(.timeLimit(.minutes(10))) struct SharedUnitsTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// A daemon whose workers plan one unit, and end without having made it when the file `go` is there; its storage, and a job of which
    /// another owner has the attempt, with the unit that nobody has begun.
    private func divided() throws -> (rig: ServiceRig, storage: LeasedStorage, other: JobStore, id: Int64) {
        let unit = ExportUnit(number: 1, kind: .video, work: .null, seconds: 1, memory: 1)
        var plan = UnitPlan(plan: .null, fingerprint: "f", units: [unit])
        let answer = String(decoding: try JSONEncoder().encode(ExportOutcome.units(plan)), as: UTF8.self)
        let script = """
            read request <&3
            case "$request" in
            *'"method":"unit"'*) until [ -e \(scratch.path)/go ]; do sleep 0.02; done ;;
            *) echo '{"jsonrpc":"2.0","id":1,"result":\(answer)}' >&3; read more <&3 ;;
            esac

            """
        let storage = Mutex<LeasedStorage?>(nil)
        let rig = try ServiceRig(worker: script, isDraining: true) { file in
            let leased = try LeasedStorage(file)
            storage.withLock { $0 = leased }
            return JobStore(leased, owner: "test", policy: QueuePolicy())
        }
        let leased = try #require(storage.withLock { $0 })
        let other = JobStore(
            try LeasedStorage(rig.scratch.path + "/queue.db"), owner: "other", policy: QueuePolicy())
        let id = try rig.job(of: 0).id
        try rig.store.setDraining(false)
        let claimed = try other.claim(worker: ProcessIdentity(pid: 1, start: 1, boot: "boot"))
        try #require(claimed?.id == id)
        plan.fingerprint += JobRun.release
        _ = try other.plan(id, attempt: 1, plan)
        return (rig, leased, other, id)
    }

    private func unit(_ store: JobStore, _ id: Int64) throws -> JobUnit {
        try #require(try store.units(id)?.units.first)
    }

    private func sharedUnits(_ rig: ServiceRig) -> Scheduler.SharedUnits {
        rig.scheduler.queue.sync { rig.scheduler.sharedUnits }
    }

    /// A unit that cannot be given back while the queue is away. The other owner gives up its job, and this daemon has it next: the unit
    /// is its own, and none that is being made.
    @Test func aUnitThatCouldNotBeGivenBackIsMade() throws {
        let (rig, storage, other, id) = try divided()
        rig.scheduler.othersChanged([])
        #expect(eventually { (try? unit(other, id).owner) == "test" })
        #expect(eventually { sharedUnits(rig).runs.count == 1 })
        storage.isAway.isOn = true
        _ = try scratch.file("go")
        #expect(
            eventually { (try? unit(other, id)).map { UnitClaim(id, $0) } == sharedUnits(rig).owed.first })
        _ = try other.interrupt(id, attempt: 1, counted: false)
        try FileManager.default.removeItem(atPath: scratch.path + "/go")
        storage.isAway.isOn = false
        rig.scheduler.othersChanged([])
        #expect(eventually { (try? rig.store.job(id).attempts) == 2 })
        #expect(eventually { (try? unit(other, id).attempts) == 2 })
        #expect(sharedUnits(rig).owed.isEmpty)
    }

    /// A claim whose answer was lost: the unit is not this owner's for ever.
    @Test func aUnitThatWasClaimedUnknowinglyIsGivenBack() throws {
        let (rig, storage, other, id) = try divided()
        storage.losesAnswers.isOn = true
        rig.scheduler.othersChanged([])
        #expect(eventually { (try? unit(other, id).owner) == "test" })
        #expect(eventually { sharedUnits(rig).isInDoubt })
        #expect(sharedUnits(rig).runs.isEmpty)
        storage.losesAnswers.isOn = false
        rig.scheduler.othersChanged([])
        #expect(eventually { (try? unit(other, id).attempts) == 2 })
        #expect(!sharedUnits(rig).isInDoubt && sharedUnits(rig).runs.count == 1)
    }
}
