// The promises of any back end about units that other owners make than the one that has the job's attempt.
import JobQueue
import Media
import Platform
import Testing
import Text

extension ConformanceTests {
    private func unit(_ number: Int, inputs: [Int] = [], isPending: Bool = false) -> ExportUnit {
        var unit = ExportUnit(
            number: number, kind: number == 9 ? .audio : .video, work: .string("\(number)"), seconds: 1,
            memory: 5)
        (unit.inputs, unit.isPending) = (inputs, isPending)
        return unit
    }

    private func plan(_ units: [ExportUnit], _ fingerprint: String = "a") -> UnitPlan {
        UnitPlan(plan: .string("p"), fingerprint: fingerprint, units: units)
    }

    private var file: FileIdentity { FileIdentity(device: 1, inode: 2, size: 7, modified: 8, boot: "boot") }

    private func report(_ number: Int) -> UnitReport {
        UnitReport(number: number, bytes: 7, details: .null)
    }

    private func finish(_ queue: any JobQueue, _ claim: UnitClaim) throws {
        _ = try queue.finishUnit(claim, file: file, report: report(claim.number), progress: 0)
    }

    /// A job whose attempt the first queue has, with units.
    private func begin(_ queue: any JobQueue, _ units: [ExportUnit]) throws -> Int64 {
        let id = try submit(queue).job.id
        _ = try queue.claim(worker: worker)
        _ = try queue.plan(id, attempt: 1, plan(units))
        return id
    }

    private func claim(_ queue: any JobQueue, except jobs: Set<Int64> = []) throws -> UnitClaim? {
        #expect(try queue.hasFreeUnit(except: jobs) || queue.claimUnit(worker: worker, except: jobs) == nil)
        return try queue.claimUnit(worker: worker, except: jobs).map { UnitClaim($0.job.id, $0.unit) }
    }

    /// Of the job that began first, audio first; not those that wait for others, are decided later, or are begun; nor the own.
    @Test(arguments: Backend.all) func othersClaimUnitsInOrder(_ backend: Backend) throws {
        let (host, other) = (try open(backend), try open(backend, of: "other"))
        let first = try begin(
            host, [unit(1), unit(2, inputs: [1]), unit(3, isPending: true), unit(4), unit(9)])
        time.pass(1)
        let second = try begin(host, [unit(1)])
        #expect(try !host.hasFreeUnit(except: []) && host.claimUnit(worker: worker, except: []) == nil)
        let own = try host.beginUnit(first, attempt: 1, 4, worker: worker, progress: 0.25)
        #expect(own.owner == "first")
        let audio = try #require(try other.claimUnit(worker: worker, except: []))
        #expect(audio.job.id == first && audio.unit.number == 9 && audio.unit.owner == "other")
        #expect(
            audio.plan == .string("p") && audio.fingerprint == "a" && audio.unit.attempts == 1
                && audio.others == 2)
        #expect(try claim(other, except: [first])?.job == second)
        let input = try #require(try claim(other))
        #expect(input.job == first && input.number == 1)
        #expect(try claim(other) == nil)
        try finish(other, input)
        let last = try #require(try other.claimUnit(worker: worker, except: []))
        #expect(last.unit.number == 2 && last.inputs.map(\.number) == [1])
        #expect(try claim(other) == nil)
        // Each beginning has a number of its own.
        let claims = try #require(try host.units(first)).units.map(\.claim).filter { $0 > 0 }
        #expect(Set(claims).count == 4)
    }

    /// The attempt begins none that another has, and sees what others have changed, once each.
    @Test(arguments: Backend.all) func theAttemptSeesWhatOthersMake(_ backend: Backend) throws {
        let (host, other) = (try open(backend), try open(backend, of: "other"))
        let id = try begin(host, [unit(1), unit(2), unit(3)])
        var last = try #require(try host.units(id)).lastChange
        let mine = try #require(try claim(other))
        let refused = try host.beginUnit(id, attempt: 1, mine.number, worker: worker, progress: 0.9)
        #expect(refused.owner == "other" && refused.attempts == 1)
        try finish(other, mine)
        let failed = try #require(try claim(other))
        try other.returnUnit(failed, isFailed: true)
        let left = try #require(try claim(other))
        #expect([mine, failed, left].map(\.number) == [1, 2, 3])
        try other.returnUnit(left, isFailed: false)
        let seen = try host.unitChanges(id, after: last)
        #expect(seen.map(\.number) == [1, 2, 3])
        #expect(
            seen.map(\.isDone) == [true, false, false] && seen.map(\.isReserved) == [false, true, false])
        #expect(seen[1].owner == nil && seen[2].owner == nil)
        last = try #require(seen.last).change
        #expect(try host.unitChanges(id, after: last).isEmpty)
        #expect(try host.job(id).units == UnitCounts(total: 3, done: 1, kept: 0))
        #expect(try host.job(id).progress == 0)
        try host.reach(id, attempt: 1, progress: 0.5)
        #expect(try host.job(id).progress == 0.5)
        // A unit that failed elsewhere is the attempt's own to make.
        #expect(try claim(other)?.number == 3)
        #expect(try claim(other) == nil)
        let begun = try host.beginUnit(id, attempt: 1, 2, worker: worker, progress: 0)
        #expect(begun.owner == "first" && begun.attempts == 2 && begun.claim > failed.claim)
        // Asked again, as after an answer that was lost, it is the same beginning.
        #expect(try host.beginUnit(id, attempt: 1, 2, worker: worker, progress: 0) == begun)
    }

    /// An order reaches the owner of the attempt, once; the last of several counts.
    @Test(arguments: Backend.all) func ownersAreAskedByOthers(_ backend: Backend) throws {
        let (host, other) = (try open(backend), try open(backend, of: "other"))
        let id = try begin(host, [unit(1)])
        try other.ask(id, toPause: false)
        try other.ask(id, toPause: true)
        #expect(try other.asked().isEmpty)
        #expect(try host.asked() == [id: true])
        #expect(try host.asked().isEmpty)
        let waiting = try submit(host).job.id
        let error = #expect(throws: MediaError.self) { try other.ask(waiting, toPause: true) }
        #expect(error?.code == .jobStateNotValid)
    }

    /// Nobody helps a job that is paused.
    @Test(arguments: Backend.all) func aPausedJobHasNoFreeUnits(_ backend: Backend) throws {
        let (host, other) = (try open(backend), try open(backend, of: "other"))
        let id = try begin(host, [unit(1)])
        _ = try host.pause(id, attempt: 1, true)
        #expect(try claim(other) == nil)
        _ = try host.pause(id, attempt: 1, false)
        #expect(try claim(other)?.job == id)
    }

    /// Units that others make outlive the attempt, and the next one of the same plan keeps them, made or not.
    @Test(arguments: Backend.all) func unitsOfOthersOutliveTheAttempt(_ backend: Backend) throws {
        let (host, other) = (try open(backend), try open(backend, of: "other"))
        let units = (1...4).map { unit($0) }
        let id = try begin(host, units)
        let (made, running) = (try #require(try claim(other)), try #require(try claim(other)))
        let own = UnitClaim(id, try host.beginUnit(id, attempt: 1, 3, worker: worker, progress: 0))
        _ = try host.interrupt(id, attempt: 1, counted: false)
        try finish(other, made)
        #expect(throws: MediaError.self) { try finish(host, own) }
        #expect(try host.claim(worker: worker)?.attempts == 2)
        let next = try host.plan(id, attempt: 2, plan(units))
        #expect(next.units.map(\.owner) == ["other", "other", nil, nil] && next.counts.kept == 1)
        try finish(other, running)
        #expect(try host.units(id)?.units.map(\.isDone) == [true, true, false, false])
        // Of another plan nothing is kept, and what others still make is refused.
        let late = try #require(try claim(other))
        _ = try host.interrupt(id, attempt: 2, counted: false)
        #expect(try host.claim(worker: worker)?.attempts == 3)
        _ = try host.plan(id, attempt: 3, plan(units, "b"))
        #expect(throws: MediaError.self) { try finish(other, late) }
        #expect(try host.units(id)?.counts.done == 0)
        let lost = try #require(try claim(other))
        _ = try host.cancel(id, attempt: 3)
        #expect(throws: MediaError.self) { try finish(other, lost) }
        try other.returnUnit(lost, isFailed: true)
        #expect(try claim(other) == nil)
    }

    /// Units of an owner that leaves, and of one that forgot them, are free again; of one whose lease ended, when it is taken over.
    @Test(arguments: Backend.all) func unitsComeBackFromWhoHasGone(_ backend: Backend) throws {
        let (host, other) = (try open(backend), try open(backend, of: "other"))
        guard let lease = host.leaseTime else { return }
        let third = try open(backend, of: "third")
        let id = try begin(host, [unit(1), unit(2), unit(3)])
        let claims = try (1...3).map { _ in try #require(try claim(other)) }
        #expect(try claim(third) == nil)
        try other.returnUnits(except: [claims[0], claims[1]])
        #expect(try claim(third)?.number == 3)
        try third.leave("third")
        #expect(try claim(other)?.number == 3)
        time.pass(lease)
        try host.renew()
        #expect(try third.takeOver().isEmpty)
        let again = try (1...3).map { _ in try #require(try claim(third)) }
        #expect(again.map(\.number) == [1, 2, 3])
        try other.renew()
        for claim in claims { #expect(throws: MediaError.self) { try finish(other, claim) } }
        for claim in claims { try other.returnUnit(claim, isFailed: true) }
        #expect(try host.units(id)?.units.allSatisfy { $0.owner == "third" && !$0.isReserved } == true)
        for claim in again { try finish(third, claim) }
        #expect(try host.job(id).units?.done == 3)
    }
}
