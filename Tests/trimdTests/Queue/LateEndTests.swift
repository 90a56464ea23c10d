// Orders about a job whose attempt has ended, as others can see, and has not told the scheduler of it.
import Foundation
import Glibc
import Media
import Synchronization
import Testing
import Text

@testable import JobQueue
@testable import Wire
@testable import trimd

@Suite(.timeLimit(.minutes(10))) struct LateEndTests {
    /// A job whose first attempt has ended with its worker, as others can see, while the attempt itself does not know yet. The worker of
    /// any further attempt neither ends nor says anything.
    struct LateEnd {
        let scratch: Scratch
        let rig: ServiceRig
        let storage: LeasedStorage
        let id: Int64

        /// - Parameters:
        ///   - crashes: how many workers may die on the job.
        ///   - isKnown: whether the end is on record; else the queue is away, and the attempt knows its end alone.
        init(crashes: Int, isKnown: Bool = true) throws {
            let scratch = try Scratch()
            let script = """
                read request <&3
                case "$request" in *other.mov*) exec sleep 1000;; esac
                mkdir \(scratch.path)/first 2>&1 || exec sleep 1000
                until [ -e \(scratch.path)/end ]; do sleep 0.02; done
                exit 1

                """
            let opened = Mutex<LeasedStorage?>(nil)
            // The peak of a worker that this process starts may be this process's own, which grows with all other tests.
            rig = try ServiceRig(worker: script, workers: 2, memory: 1 << 42) { file in
                let leased = try LeasedStorage(file)
                opened.withLock { $0 = leased }
                var policy = QueuePolicy()
                policy.crashes = crashes
                return JobStore(leased, owner: "test", policy: policy)
            }
            self.scratch = scratch
            let leased = opened.withLock(\.self)
            storage = try #require(leased)
            id = try rig.job(of: 0).id
            // It takes one processor of two, and the other one is free again.
            let other = try rig.job(of: 0, film: rig.scratch.file("other.mov")).id
            // Both are there when the first one begins.
            rig.scheduler.drain(false) { _ in }
            #expect(eventually { scratch.exists("first") })
            _ = try cancel(other)
            (isKnown ? storage.delaysEnd : storage.isAway).isOn = true
            _ = try scratch.file("end")
            let (store, scheduler, id) = (rig.store, rig.scheduler, id)
            #expect(
                eventually {
                    isKnown
                        ? (try? store.job(id)).map { !JobState.begun.contains($0.state) } ?? false
                        : scheduler.queue.sync { scheduler.foreseen[id] != nil }
                })
        }

        /// Waits until the job is due and was claimed again: something else has the scheduler look for jobs that can start.
        func awaitClaim() {
            let (store, scheduler, id) = (rig.store, rig.scheduler, id)
            #expect(
                eventually {
                    scheduler.othersChanged([])
                    return (try? store.job(id))?.attempts == 2
                })
        }

        /// The attempt learns that its end is on record.
        func goOn() { storage.delaysEnd.isOn = false }

        /// Another attempt runs: the scheduler knows it, and it can be cancelled.
        func checkNextAttempt() throws {
            let (store, scheduler, id) = (rig.store, rig.scheduler, id)
            #expect(eventually { scheduler.busy == 1 && (try? store.job(id))?.attempts ?? 0 > 1 })
            // Whatever the first attempt still has to say has been heard.
            usleep(200_000)
            #expect(scheduler.busy == 1)
            let job = try store.job(id)
            #expect(job.state == .running && job.interruptions == 0)
            #expect(try cancel().state == .cancelled)
            #expect(scheduler.busy == 0)
            #expect(scheduler.presentBudget.usedProcessors == 0)
        }

        /// Cancels the job; as it is in the answer.
        func cancel() throws -> Job { try cancel(id) }

        private func cancel(_ id: Int64) throws -> Job {
            let answer = Mutex<Result<Job, MediaError>?>(nil)
            rig.scheduler.cancel(id) { result in answer.withLock { $0 = result } }
            #expect(eventually { answer.withLock { $0 != nil } })
            let result = answer.withLock(\.self)
            return try #require(result).get()
        }
    }

    @Test func aRetryBeginsBehindIt() throws {
        let late = try LateEnd(crashes: 1)
        let (id, store, storage) = (late.id, late.rig.store, late.storage)
        let state = Mutex<JobState?>(nil)
        let goingOn = Thread {
            usleep(300_000)
            state.withLock { $0 = try? store.job(id).state }
            storage.delaysEnd.isOn = false
        }
        goingOn.start()
        let called = try late.rig.connect(as: geteuid()).ask(.jobRetry, JobParams(id: id))
        #expect(called.result?["status"] != nil, "\(called)")
        // No word of the second attempt comes before the last one of the first: to its watchers the job would have failed.
        #expect(state.withLock { $0 == .failed })
        try late.checkNextAttempt()
    }

    @Test func anAttemptThatIsDueBeginsBehindIt() throws {
        let late = try LateEnd(crashes: 3)
        late.awaitClaim()
        late.goOn()
        try late.checkNextAttempt()
    }

    @Test(arguments: [false, true]) func aJobThatIsCancelledDoesNotRunAgain(_ isClaimed: Bool) throws {
        let late = try LateEnd(crashes: 3)
        if isClaimed { late.awaitClaim() }
        let storage = late.storage
        let waiting = Thread {
            usleep(200_000)
            storage.delaysEnd.isOn = false
        }
        waiting.start()
        #expect(try late.cancel().state == .cancelled)
        #expect(late.rig.scheduler.busy == 0)
    }

    /// The attempt has failed and the job is to run again, which cannot be written down.
    @Test func aCancellationOutlivesAQueueThatIsAway() throws {
        let late = try LateEnd(crashes: 3, isKnown: false)
        let storage = late.storage
        let waiting = Thread {
            usleep(200_000)
            storage.isAway.isOn = false
        }
        waiting.start()
        #expect(try late.cancel().state == .cancelled)
        #expect(try late.rig.store.job(late.id).state == .cancelled && late.rig.scheduler.busy == 0)
    }

    /// The daemon ends meanwhile: what it claimed for itself waits for the next one.
    @Test func aStopLeavesItWaiting() throws {
        let late = try LateEnd(crashes: 3)
        late.awaitClaim()
        let isStopped = Mutex(false)
        late.rig.scheduler.stop { isStopped.withLock { $0 = true } }
        late.goOn()
        #expect(eventually { isStopped.withLock(\.self) })
        let job = try late.rig.store.job(late.id)
        #expect(job.state == .waiting && job.interruptions == 0, "\(job.state)")
    }
}
