// While the daemon drains, it accepts jobs, which wait, and notifies every waiting client of the reason.
import Dispatch
import Glibc
import JobQueue
import Media
import MediaTime
import Testing
import Text

@testable import Wire
@testable import trimd

@Suite(.timeLimit(.minutes(10))) struct DrainTests {
    @Test func waitingClientsAreNotified() throws {
        let rig = try ServiceRig()
        let ann = try rig.connect(as: ServiceRig.ann)
        var params = SubmitParams(input: rig.film)
        params.output = rig.out + "/"
        // It is accepted, and its answer says why it does not begin.
        let job = try #require(try ann.ask(.jobSubmit, params, passing: try rig.files()).result)
        #expect(job["status"] == "waiting" && job["draining"] == true, "\(job)")
        let id = try #require(job["id"]?.int)
        #expect(try ann.ask(.jobGet, JobParams(id: id)).result?["draining"] == true)
        #expect(try ann.ask(.jobList, ListParams()).result?.array?.first?["draining"] == true)
        #expect(try ann.ask(.serverStatus).result?["draining"] == true)
        let checks = try #require(try ann.ask(.serverDoctor).result?["checks"]?.array)
        let queue = try #require(checks.first { $0["name"] == "queue" })
        #expect(queue["ok"] == false && queue["message"]?.string?.contains("draining") == true, "\(queue)")

        // A watcher is notified of each change, and of no other.
        var received: [JSONValue] = []
        ann.onNotification = { method, params in if method == "server.draining" { received.append(params) } }
        let watched = try ann.ask(.jobWatch, WatchParams(ids: [id])).result?.array
        #expect(watched?.first?["draining"] == true)
        _ = try rig.store.hold(id)
        let own = try rig.connect(as: geteuid())
        #expect(try own.ask(.serverDrain, DrainParams(on: false)).result?["draining"] == false)
        #expect(try own.ask(.serverDrain, DrainParams(on: false)).result?["draining"] == false)
        #expect(try own.ask(.serverDrain).result?["draining"] == true)
        while received.count < 2 { #expect(try ann.waitForNotification(timeout: .seconds(60))) }
        #expect(received == [["draining": false], ["draining": true]])
        #expect(try ann.ask(.jobGet, JobParams(id: id)).result?["draining"] == nil, "it is held")
    }

    /// It holds over restarts, until jobs are started again, or it drains as before.
    @Test func aDrainingDaemonMayRefuse() throws {
        let rig = try ServiceRig()
        let own = try rig.connect(as: geteuid())
        var params = SubmitParams(input: rig.film)
        (params.output, params.key) = (rig.out + "/", "known")
        let known = try #require(try own.ask(.jobSubmit, params).result?["id"])
        #expect(try own.ask(.serverDrain, DrainParams(refuse: true)).code == nil)
        #expect(try rig.store.isRefusing())
        #expect(try own.ask(.serverStatus).result?["refusing"] == true)
        #expect(try own.ask(.jobSubmit, params).result?["id"] == known, "it was accepted before")
        params.key = "new"
        #expect(try own.ask(.jobSubmit, params).code == "queueUnavailable")
        #expect(try own.ask(.serverDrain).code == nil)
        #expect(try own.ask(.jobSubmit, params).code == nil)
        #expect(try own.ask(.serverDrain, DrainParams(refuse: true)).code == nil)
        #expect(try own.ask(.serverDrain, DrainParams(on: false)).code == nil)
        params.key = "newer"
        #expect(try own.ask(.jobSubmit, params).code == nil)
        #expect(
            try own.ask(.serverDrain, ["on": false, "refuse": true] as JSONValue).code == "invalidRequest")
    }

    @Test func exitWithDrainOffIsRefused() throws {
        let rig = try ServiceRig()
        let called = try rig.connect(as: geteuid()).ask(
            .serverDrain, ["on": false, "exit": true] as JSONValue)
        #expect(called.code == "invalidRequest")
    }

    /// A daemon with a job whose worker is slow, and a request to drain and exit that waits for it.
    private struct Leaving {
        let rig: ServiceRig, own: Client, job: Int64
        let answered = DispatchSemaphore(value: 0)
        let result = Box<DrainResult>()

        init() throws {
            rig = try ServiceRig(worker: "read request <&3; sleep 100\n", isDraining: false)
            job = try rig.job(of: geteuid()).id
            own = try rig.connect(as: geteuid())
            #expect(try own.ask(.jobRelease, JobParams(id: job)).code == nil)
            let rig = rig
            #expect(eventually { rig.scheduler.busy == 1 })
            rig.services.server.drain(DrainParams(exit: true)) { [result, answered] in
                result.value = try? $0.get()
                answered.signal()
            }
        }
    }

    @Test func theDaemonEndsWhenNothingRuns() throws {
        let leaving = try Leaving()
        #expect(eventually { leaving.rig.scheduler.isDraining })
        #expect(leaving.answered.wait(timeout: .now() + .milliseconds(300)) == .timedOut)
        #expect(leaving.rig.exits.count == 0)
        #expect(
            try leaving.own.ask(.jobCancel, JobParams(id: leaving.job)).result?["status"] == "cancelled")
        #expect(leaving.answered.wait(timeout: .now() + 60) == .success)
        #expect(leaving.result.value == DrainResult(draining: true, waiting: 0, exiting: true))
        #expect(eventually { leaving.rig.exits.count == 1 })
    }

    @Test func whoHasJobsStartedAgainKeepsTheDaemon() throws {
        let leaving = try Leaving()
        #expect(try leaving.own.ask(.serverDrain, DrainParams(on: false)).result?["draining"] == false)
        #expect(leaving.answered.wait(timeout: .now() + 60) == .success)
        #expect(leaving.result.value?.draining == false && leaving.result.value?.exiting == nil)
        #expect(try leaving.own.ask(.jobCancel, JobParams(id: leaving.job)).code == nil)
        #expect(leaving.rig.exits.count == 0)
    }
}
