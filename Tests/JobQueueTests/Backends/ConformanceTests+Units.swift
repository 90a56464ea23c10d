// The promises of any back end about exports that are made in units.
import JobQueue
import Media
import Platform
import Testing
import Text

extension ConformanceTests {
    private func unit(_ number: Int, _ work: String = "", memory: Int64 = 5) -> ExportUnit {
        ExportUnit(
            number: number, kind: number == 3 ? .audio : .video, work: .string("\(number)\(work)"),
            seconds: 10.25, memory: memory, mayUseThreads: number == 2)
    }
    private func plan(_ units: [ExportUnit], _ fingerprint: String = "a", plan: String = "p") -> UnitPlan {
        UnitPlan(plan: .string(plan), fingerprint: fingerprint, units: units)
    }
    private func file(_ inode: UInt64) -> FileIdentity {
        FileIdentity(device: .max, inode: inode, size: 7, modified: 8, boot: "boot")
    }
    private func report(_ number: Int) -> UnitReport {
        UnitReport(number: number, bytes: 7, details: .object(["frames": .int(250)]))
    }

    /// A running job with a plan, of which some units are made.
    func begun(_ queue: any JobQueue, made: [Int] = [], of units: [ExportUnit]? = nil) throws -> Int64 {
        let id = try submit(queue).job.id
        #expect(try queue.claim(worker: worker)?.id == id)
        _ = try queue.plan(id, attempt: 1, plan(units ?? (1...4).map { unit($0) }))
        try make(queue, id, made)
        return id
    }

    private func make(_ queue: any JobQueue, _ id: Int64, attempt: Int = 1, _ numbers: [Int]) throws {
        for number in numbers {
            let unit = try queue.beginUnit(id, attempt: attempt, number, worker: nil, progress: 0)
            try queue.finishUnit(
                UnitClaim(id, unit), file: file(UInt64(number)), report: report(number), progress: 0)
        }
    }

    private func done(_ units: JobUnits?) -> [Int] { units?.units.filter(\.isDone).map(\.number) ?? [] }
    @Test(arguments: Backend.all) func unitsAreStoredAsTheyAre(_ backend: Backend) throws {
        var queue = try open(backend)
        let units = [unit(1), unit(2), unit(3)]
        let id = try begun(queue, of: [units[2], units[0], units[1]])
        time.pass(5)
        let begun = try queue.beginUnit(id, attempt: 1, 2, worker: nil, progress: 0.25)
        #expect(begun.attempts == 1 && begun.started == time.now && !begun.isDone && begun.unit == units[1])
        time.pass(5)
        let made = try queue.finishUnit(
            UnitClaim(id, begun), file: file(9), report: report(2), progress: 0.5)
        #expect(made.isDone && made.file == file(9) && made.report == report(2) && made.ended == time.now)
        let stored = try #require(try queue.units(id))
        #expect(stored.units.map(\.unit) == units && stored.units[1] == made)
        #expect(stored.plan == .string("p") && stored.fingerprint == "a")
        let counts = UnitCounts(total: 3, done: 1, kept: 0)
        #expect(stored.counts == counts && stored.progress == 0.5)
        let job = try queue.job(id)
        #expect(job.units == counts && job.progress == 0.5 && job.report().progress == 0.5)
        queue = try open(backend)
        #expect(try queue.units(id) == stored)
        #expect(try queue.units(id + 1) == nil)
    }

    /// After each way to start again, what is made is kept, and counted as kept.
    @Test(arguments: Backend.all) func unitsOutliveAttempts(_ backend: Backend) throws {
        let queue = try open(backend)
        let units = (1...4).map { unit($0) }
        let ends: [AttemptEnd] = [.interrupted, .failed(MediaError(.diskFull, "full"))]
        for end in ends {
            let id = try begun(queue, made: [1, 3], of: units)
            _ = try queue.beginUnit(id, attempt: 1, 2, worker: nil, progress: 0.75)
            #expect(try !queue.end(id, attempt: 1, end).state.isFinal)
            #expect(try done(queue.units(id)) == [1, 3])
            #expect(try queue.job(id).report().progress == 0.75)
            time.pass(queue.policy.retryDelay)
            #expect(try queue.claim(worker: worker)?.attempts == 2)
            let again = try queue.plan(id, attempt: 2, plan(units))
            #expect(done(again) == [1, 3] && again.counts == UnitCounts(total: 4, done: 2, kept: 2))
            #expect(again.progress == 0.75 && again.units[1].attempts == 1)
            #expect(try queue.job(id).units == again.counts)
            try make(queue, id, attempt: 2, [2, 4])
            #expect(try queue.job(id).units == UnitCounts(total: 4, done: 4, kept: 2))
            _ = try queue.cancel(id, attempt: 2)
        }
    }

    /// Whatever ends a job for good takes its units.
    @Test(arguments: Backend.all) func unitsEndWithTheirJob(_ backend: Backend) throws {
        let queue = try open(backend)
        let units = (1...3).map { unit($0) }
        let ends: [AttemptEnd?] = [
            .completed, .failed(MediaError(.decodeFailed, "no")), .cancelled, nil,
            .givenUp(MediaError(.diskFull, "full")),
        ]
        for end in ends {
            let id = try begun(queue, made: [2], of: units)
            if end == .completed {
                let publication = Publication(device: 1, inode: 2, name: "x\(id).m4a")
                try queue.publish(id, attempt: 1, publication, result: result())
            }
            if let end {
                #expect(try queue.end(id, attempt: 1, end).state.isFinal)
                #expect(try queue.end(id, attempt: 1, end).state.isFinal)
            } else {
                _ = try queue.end(id, attempt: 1, .interrupted)
                _ = try queue.cancel(id)
            }
            #expect(try queue.units(id) == nil, "\(String(describing: end))")
            #expect(try queue.job(id).units == UnitCounts(total: 3, done: 1, kept: 0))
            guard try queue.job(id).state != .completed else { continue }
            let again = try queue.retry(id, source: source, request: nil, limit: nil)
            #expect(again.units == nil && again.progress == 0)
            #expect(try queue.claim(worker: worker)?.id == id)
            #expect(try queue.plan(id, attempt: 2, plan(units)).counts.done == 0)
            _ = try queue.cancel(id, attempt: 2)
        }
    }

    /// Units that are decided later are counted, replaced by a correction, and stay so when the job is planned again.
    @Test(arguments: Backend.all) func pendingUnitsAreDecidedByACorrection(_ backend: Backend) throws {
        let queue = try open(backend)
        var pending = unit(2), decided = unit(2, "decided")
        (pending.isPending, decided.inputs) = (true, [1])
        let id = try begun(queue, made: [1], of: [unit(1), pending])
        #expect(try queue.job(id).units == UnitCounts(total: 2, done: 1, kept: 0))
        let next = try queue.correct(id, attempt: 1, plan([decided], "", plan: "q"))
        #expect(next.units.map(\.unit) == [unit(1), decided])
        _ = try queue.end(id, attempt: 1, .interrupted)
        #expect(try queue.claim(worker: worker)?.attempts == 2)
        let again = try queue.plan(id, attempt: 2, plan([unit(1), pending]))
        #expect(again.units.map(\.unit) == [unit(1), decided] && again.plan == .string("q"))
        #expect(again.counts == UnitCounts(total: 2, done: 1, kept: 1))
    }

    /// Units that are not the same work are made again, and so is everything of another fingerprint.
    @Test(arguments: Backend.all) func anotherPlanKeepsWhatIsTheSame(_ backend: Backend) throws {
        let queue = try open(backend)
        let units = (1...4).map { unit($0) }
        for (next, fingerprint, kept) in [
            (units, "a", [1, 2, 3]), (units, "b", []), (Array(units.dropLast(2)), "a", [1, 2]),
            ([units[0], unit(2, "x"), units[2], units[3]], "a", [1, 3]), (units + [unit(5)], "a", [1, 2, 3]),
            ([units[0], unit(2, memory: 6), units[2], units[3]], "a", [1, 3]),
        ] {
            let id = try begun(queue, made: [1, 2, 3], of: units)
            _ = try queue.beginUnit(id, attempt: 1, 4, worker: nil, progress: 0.5)
            _ = try queue.interrupt(id, attempt: 1, counted: true)
            _ = try queue.claim(worker: worker)
            let again = try queue.plan(id, attempt: 2, plan(next, fingerprint))
            #expect(done(again) == kept && again.units.map(\.unit) == next)
            #expect(again.counts.kept == kept.count && again.progress == (fingerprint == "a" ? 0.5 : 0))
            #expect(try queue.units(id) == again)
            _ = try queue.cancel(id, attempt: 2)
        }
    }

    /// A correction makes units again or adds some; planning again does not undo it, unless the plan has changed.
    @Test(arguments: Backend.all) func aCorrectionStays(_ backend: Backend) throws {
        let queue = try open(backend)
        let units = (1...3).map { unit($0) }
        for isSame in [true, false] {
            let id = try begun(queue, made: [1, 2, 3], of: units)
            let fix = plan([unit(2, "again"), unit(7)], plan: "corrected")
            let corrected = try queue.correct(id, attempt: 1, fix)
            #expect(done(corrected) == [1, 3] && corrected.units.map(\.number) == [1, 2, 3, 7])
            #expect(corrected.plan == .string("corrected") && corrected.units[1].attempts == 0)
            try make(queue, id, [7, 2])
            _ = try queue.interrupt(id, attempt: 1, counted: false)
            _ = try queue.claim(worker: worker)
            let next = isSame ? units : [units[0], units[1]]
            let again = try queue.plan(id, attempt: 2, plan(next))
            #expect(again == (try queue.units(id)))
            if isSame {
                #expect(done(again) == [1, 2, 3, 7] && again.units[1].unit == unit(2, "again"))
                #expect(again.plan == .string("corrected") && again.counts.kept == 4)
            } else {
                #expect(done(again) == [1] && again.units.map(\.unit) == next && again.plan == .string("p"))
            }
            _ = try queue.cancel(id, attempt: 2)
        }
    }

    /// Failures count for their unit alone, and over restarts.
    @Test(arguments: Backend.all) func aUnitHasAttemptsOfItsOwn(_ backend: Backend) throws {
        let queue = try open(backend)
        let id = try begun(queue, of: [unit(1), unit(2)])
        let crash = MediaError(.workerCrashed, "crashed")
        var attempt = 1
        for _ in 1..<queue.policy.crashes {
            let begun = try queue.beginUnit(id, attempt: attempt, 2, worker: nil, progress: 0)
            guard case .again(let delay) = try queue.failUnit(UnitClaim(id, begun), attempt: attempt, crash)
            else {
                Issue.record("given up too early")
                return
            }
            let failed = try #require(try queue.units(id)?.units.last)
            #expect(failed.due == Moment(milliseconds: time.now.milliseconds + delay))
            #expect(failed.error == crash && failed.crashes == attempt)
            _ = try queue.interrupt(id, attempt: attempt, counted: false)
            _ = try queue.claim(worker: worker)
            attempt += 1
            _ = try queue.plan(id, attempt: attempt, plan([unit(1), unit(2)]))
        }
        func fail(_ number: Int, _ error: MediaError) throws -> UnitFailure {
            let begun = try queue.beginUnit(id, attempt: attempt, number, worker: nil, progress: 0)
            return try queue.failUnit(UnitClaim(id, begun), attempt: attempt, error)
        }
        #expect(try fail(1, crash) == .again(after: 500))
        guard case .final(let last) = try fail(2, crash) else {
            Issue.record("tried too often")
            return
        }
        #expect(last.message.hasPrefix("crashed"))
        #expect(
            try fail(1, MediaError(.decodeFailed, "no")) == .final(MediaError(.decodeFailed, "no")))
        #expect(try queue.job(id).crashes == 0)
        #expect(try queue.giveUp(id, attempt: attempt, last).error == last)
        #expect(try queue.totals().filter { $0.event == "crashed" }.map(\.jobs) == [Int64(attempt) + 1])
    }

    /// A job that gets on is not what its daemon dies of.
    @Test(arguments: Backend.all) func aFinishedUnitEndsTheCountOfInterruptions(_ backend: Backend) throws {
        let queue = try open(backend)
        let units = (1...9).map { unit($0) }
        let id = try begun(queue, of: units)
        for attempt in 1...9 {
            _ = try queue.plan(id, attempt: attempt, plan(units))
            try make(queue, id, attempt: attempt, [attempt])
            let job = try queue.interrupt(id, attempt: attempt, counted: true)
            #expect(job.state == .waiting && job.interruptions == 1)
            _ = try queue.claim(worker: worker)
        }
    }

    /// A job that gets on has all its retries again; one that makes the same unit over and over does not.
    @Test(arguments: Backend.all) func aNewUnitEndsTheCountOfFailures(_ backend: Backend) throws {
        let queue = try open(backend)
        let id = try begun(queue, made: [1], of: [unit(1), unit(2)])
        for (attempt, next) in [(1, 2), (2, 1)] {
            #expect(try queue.fail(id, attempt: attempt, MediaError(.diskFull, "full")).failures == 1)
            time.pass(3_600_000)
            _ = try queue.claim(worker: worker)
            if next == 1 { _ = try queue.loseUnit(id, attempt: attempt + 1, next) }
            try make(queue, id, attempt: attempt + 1, [next])
            #expect(try queue.job(id).failures == (next == 1 ? 1 : 0))
        }
    }

    @Test(arguments: Backend.all) func aLostUnitIsMadeAgain(_ backend: Backend) throws {
        let queue = try open(backend)
        let units = [unit(1), unit(2)]
        let id = try begun(queue, made: [1, 2], of: units)
        _ = try queue.interrupt(id, attempt: 1, counted: false)
        _ = try queue.claim(worker: worker)
        _ = try queue.plan(id, attempt: 2, plan(units))
        let lost = try queue.loseUnit(id, attempt: 2, 1)
        #expect(!lost.isDone && lost.file == nil && lost.attempts == 1)
        #expect(try queue.job(id).units == UnitCounts(total: 2, done: 1, kept: 1))
        try queue.dropUnits(id, attempt: 2)
        #expect(try queue.units(id) == nil && queue.job(id).units == nil)
        #expect(try queue.plan(id, attempt: 2, plan(units)).counts.done == 0)
    }

    /// Who has lost the job changes none of its units.
    @Test(arguments: Backend.all) func unitsBelongToTheirAttempt(_ backend: Backend) throws {
        var queue = try open(backend)
        let id = try begun(queue, made: [1], of: [unit(1), unit(2), unit(3)])
        let begun = UnitClaim(id, try queue.beginUnit(id, attempt: 1, 2, worker: nil, progress: 0))
        let dead = queue
        func refuse(_ queue: any JobQueue, attempt: Int) throws {
            let other = UnitClaim(job: id, number: 2, claim: attempt == 1 ? begun.claim : begun.claim + 9)
            let (before, file, report) = (try queue.units(id), self.file(2), self.report(2))
            let calls: [() throws -> Void] = [
                { _ = try queue.plan(id, attempt: attempt, self.plan([self.unit(1)])) },
                { _ = try queue.correct(id, attempt: attempt, self.plan([self.unit(1)])) },
                { _ = try queue.beginUnit(id, attempt: attempt, 3, worker: nil, progress: 1) },
                { _ = try queue.finishUnit(other, file: file, report: report, progress: 1) },
                { _ = try queue.failUnit(other, attempt: attempt, MediaError(.diskFull, "full")) },
                { try queue.reach(id, attempt: attempt, progress: 1) },
                { _ = try queue.loseUnit(id, attempt: attempt, 1) },
                { try queue.dropUnits(id, attempt: attempt) },
            ]
            for (number, call) in calls.enumerated() {
                #expect(#expect(throws: MediaError.self) { try call() }?.code == .invalidRequest, "\(number)")
            }
            #expect(try queue.units(id) == before)
        }
        try refuse(queue, attempt: 2)
        #expect(throws: MediaError.self) { try queue.giveUp(id, attempt: 2, MediaError(.unknown, "no")) }
        #expect(throws: MediaError.self) { try queue.beginUnit(id, attempt: 1, 99, worker: nil, progress: 0) }
        queue = try open(backend, of: "second")
        if let lease = queue.leaseTime { time.pass(lease) }
        #expect(try queue.takeOver().map(\.id) == [id])
        try refuse(dead, attempt: 1)
        _ = try queue.interrupt(id, attempt: 1, counted: false)
        try refuse(queue, attempt: 1)
        #expect(try queue.claim(worker: worker)?.attempts == 2)
        try refuse(queue, attempt: 1)
    }
}
