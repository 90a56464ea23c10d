// The promises of any back end when attempts end twice, are lost, or are followed by others.
import JobQueue
import Media
import MediaTime
import Platform
import Testing

extension ConformanceTests {
    /// A disk error may hide that an end was stored, and then it is stored again; what the user has ordered meanwhile stays.
    @Test(arguments: Backend.all) func anEndThatIsRepeatedUndoesNoOrder(_ backend: Backend) throws {
        let queue = try open(backend)
        let ends: [AttemptEnd] = [
            .failed(MediaError(.diskFull, "full")), .failed(MediaError(.decodeFailed, "no")), .cancelled,
            .interrupted,
        ]
        for end in ends {
            for order in ["hold", "cancel", "retry"] {
                let id = try submit(queue, of: 3).job.id
                #expect(try queue.claim(worker: worker)?.id == id)
                _ = try queue.end(id, attempt: 1, end)
                switch order {
                case "hold": _ = try? queue.hold(id)
                case "cancel": _ = try? queue.cancel(id)
                default: _ = try? queue.retry(id, source: source, request: nil, limit: nil)
                }
                let (job, events, totals) = (try queue.job(id), try queue.lastEvent(), try sums(queue))
                #expect(try queue.end(id, attempt: 1, end) == job, "\(end), \(order)")
                #expect(try queue.job(id) == job && queue.lastEvent() == events && sums(queue) == totals)
                // Nor does it become completed.
                #expect(throws: MediaError.self) { try queue.complete(id, attempt: 1) }
                #expect(try queue.job(id) == job)
                if !job.state.isFinal { _ = try queue.cancel(id) }
            }
        }
    }

    private func sums(_ queue: any JobQueue) throws -> Set<JobTotal> { Set(try queue.totals()) }

    /// The next attempt has a number of its own: the one before has no say.
    @Test(arguments: Backend.all) func anAttemptThatIsOverCannotEndTheNext(_ backend: Backend) throws {
        let queue = try open(backend)
        let id = try submit(queue).job.id
        _ = try queue.claim(worker: worker)
        _ = try queue.interrupt(id, attempt: 1, counted: false)
        #expect(try queue.claim(worker: worker)?.attempts == 2)
        try refuse(queue, id)
        _ = try queue.cancel(id, attempt: 2)
        let other = FileIdentity(device: 8, inode: 9, size: 10, modified: 11, boot: nil)
        let again = try queue.retry(id, source: other, request: nil, limit: nil)
        #expect(again.attempts == 2 && again.source == other && again.error == nil && again.ended == nil)
        #expect(again.failures == 0 && again.crashes == 0 && again.interruptions == 0)
        #expect(try queue.claim(worker: worker)?.attempts == 3)
        try refuse(queue, id)
    }

    /// A lease that was taken over is a new one, and renewing the old one regains nothing.
    @Test(arguments: Backend.all) func aLeaseThatIsLostIsLost(_ backend: Backend) throws {
        let first = try open(backend)
        let id = try submit(first).job.id
        _ = try first.claim(worker: worker)
        let second = try open(backend, of: "second")
        if let lease = first.leaseTime { time.pass(lease) }
        let events = try second.lastEvent()
        #expect(try second.takeOver().map(\.id) == [id])
        #expect(try second.lastEvent() == events)
        try first.renew()
        try refuse(first, id)
        if let lease = first.leaseTime {
            let third = try open(backend, of: "third")
            time.pass(lease - 1)
            #expect(try third.takeOver().isEmpty)
        }
        #expect(try second.interrupt(id, attempt: 1, counted: true).interruptions == 1)
    }

    /// Who is known to have ended has no leases any more: nobody waits for their end.
    @Test(arguments: Backend.all) func anOwnerThatLeftIsTakenOverAtOnce(_ backend: Backend) throws {
        let first = try open(backend)
        let id = try submit(first).job.id
        _ = try first.claim(worker: worker)
        let second = try open(backend, of: "second")
        if first.leaseTime != nil { #expect(try second.takeOver().isEmpty) }
        try second.leave("first")
        #expect(try second.takeOver().map(\.id) == [id])
        try refuse(first, id)
        #expect(!first.place.isEmpty)
    }

    /// Crashes and failures are counted, each up to its number; then the job has failed.
    @Test(arguments: Backend.all) func failuresAreCounted(_ backend: Backend) throws {
        let queue = try open(backend)
        for (code, isCounted) in [(ErrorCode.diskFull, true), (.workerCrashed, true), (.decodeFailed, false)]
        {
            let id = try submit(queue, of: 5).job.id
            var job = try queue.job(id)
            var delays: [Int64] = []
            while !job.state.isFinal {
                #expect(try queue.claim(worker: worker)?.id == id)
                let error = MediaError(code, "no")
                job = try queue.fail(id, attempt: job.attempts + 1, error)
                guard let due = job.due else { continue }
                let delay = due.milliseconds - time.now.milliseconds
                delays.append(delay)
                #expect(try queue.claim(worker: worker) == nil)
                time.pass(delay)
            }
            #expect(job.state == .failed && delays.isEmpty != isCounted, "\(code): \(delays)")
            #expect(delays == delays.sorted())
            let failed = try queue.totals().filter { $0.event == "failed" && $0.code == code.rawValue }
            #expect(failed.map(\.jobs) == [1])
            let again = try queue.totals().filter { $0.event == "retried" && $0.code == code.rawValue }
            #expect(again.map(\.jobs) == (delays.isEmpty ? [] : [Int64(delays.count)]))
        }
    }

    /// An attempt that ends shows what it reported, not what its units might have reached; so does the next one's beginning.
    @Test(arguments: Backend.all) func anAttemptEndsWithTheProgressItReported(_ backend: Backend) throws {
        let queue = try open(backend)
        for end in [.cancelled, .failed(MediaError(.decodeFailed, "no")), .interrupted] as [AttemptEnd] {
            let id = try begun(queue, made: [1])
            _ = try queue.beginUnit(id, attempt: 1, 2, worker: nil, progress: 0.75)
            try queue.settle(id, attempt: 1, progress: 0.3125)
            _ = try queue.end(id, attempt: 1, end)
            #expect(try queue.job(id).report().progress == 0.3125)
            #expect(throws: MediaError.self) { try queue.settle(id, attempt: 1, progress: 0.1) }
            if end == .interrupted {
                #expect(try queue.claim(worker: worker)?.progress == 0.3125)
                _ = try queue.cancel(id, attempt: 2)
            }
        }
    }

    /// The stored progress is no lower than the reported one, by no millionth: a restart shows it, and progress never falls.
    @Test(arguments: Backend.all) func storedProgressIsNoLowerThanTheReportedOne(_ backend: Backend) throws {
        let queue = try open(backend)
        let id = try begun(queue, made: [1])
        let thirds = (1...200).map { Double($0) / 203 }
        // One step of a Double above a millionth, and one below: what a product by a million rounds to that millionth.
        let millionths = (1...200).map { Double($0 * 4999) / 1e6 }
        let besideMillionths = millionths.flatMap { [$0.nextDown, $0, $0.nextUp] }
        for progress in thirds + besideMillionths {
            try queue.settle(id, attempt: 1, progress: progress)
            let settled = try queue.job(id).progress
            #expect(settled >= progress && settled < progress + 2e-6)
            // The latest one that may be reached: nothing lowers it, so it begins below.
            try queue.settle(id, attempt: 1, progress: 0)
            try queue.reach(id, attempt: 1, progress: progress)
            #expect(try queue.job(id).progress == settled)
        }
    }
}
