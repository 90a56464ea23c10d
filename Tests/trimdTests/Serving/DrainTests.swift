// While the daemon drains, jobs are taken and wait, and everybody who waits is told why.
import Dispatch
import Glibc
import JobQueue
import Media
import MediaTime
import Testing
import Text

@testable import Wire
@testable import trimd

@Suite(.timeLimit(.minutes(60))) struct DrainTests {
    private func waits(_ isSo: () -> Bool) -> Bool {
        for _ in 0..<6000 where !isSo() { usleep(10_000) }
        return isSo()
    }

    @Test func thoseWhoWaitAreTold() throws {
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

        // Who watches hears of each change, and of no other.
        var told: [JSONValue] = []
        ann.onNotification = { method, params in if method == "server.draining" { told.append(params) } }
        let watched = try ann.ask(.jobWatch, WatchParams(ids: [id])).result?.array
        #expect(watched?.first?["draining"] == true)
        _ = try rig.store.hold(id)
        let own = try rig.connect(as: geteuid())
        #expect(try own.ask(.serverDrain, DrainParams(on: false)).result?["draining"] == false)
        #expect(try own.ask(.serverDrain, DrainParams(on: false)).result?["draining"] == false)
        #expect(try own.ask(.serverDrain).result?["draining"] == true)
        while told.count < 2 { #expect(try ann.waitForNotification(timeout: .seconds(60))) }
        #expect(told == [["draining": false], ["draining": true]])
        #expect(try ann.ask(.jobGet, JobParams(id: id)).result?["draining"] == nil, "it is held")
    }

    @Test func theDaemonEndsWhenNothingRuns() throws {
        // A worker that is slow: it ends when the test does.
        let rig = try ServiceRig(worker: "read request <&3; sleep 100\n", isDraining: false)
        let job = try rig.job(of: geteuid()).id
        let own = try rig.connect(as: geteuid())
        #expect(try own.ask(.jobRelease, JobParams(id: job)).code == nil)
        #expect(waits { rig.scheduler.busy == 1 })
        let answered = DispatchSemaphore(value: 0)
        let box = Box<DrainResult>()
        rig.services.server.drain(DrainParams(exit: true)) {
            box.value = try? $0.get()
            answered.signal()
        }
        #expect(waits { rig.scheduler.isDraining })
        #expect(answered.wait(timeout: .now() + .milliseconds(300)) == .timedOut)
        #expect(rig.exits.count == 0)
        #expect(try own.ask(.jobCancel, JobParams(id: job)).result?["status"] == "cancelled")
        #expect(answered.wait(timeout: .now() + 60) == .success)
        #expect(box.value == DrainResult(draining: true, waiting: 0, exiting: true))
        #expect(waits { rig.exits.count == 1 })
    }

    @Test func whoHasJobsStartedAgainKeepsTheDaemon() throws {
        let rig = try ServiceRig(worker: "read request <&3; sleep 100\n", isDraining: false)
        let job = try rig.job(of: geteuid()).id
        let own = try rig.connect(as: geteuid())
        #expect(try own.ask(.jobRelease, JobParams(id: job)).code == nil)
        #expect(waits { rig.scheduler.busy == 1 })
        let answered = DispatchSemaphore(value: 0)
        let box = Box<DrainResult>()
        rig.services.server.drain(DrainParams(exit: true)) {
            box.value = try? $0.get()
            answered.signal()
        }
        #expect(try own.ask(.serverDrain, DrainParams(on: false)).result?["draining"] == false)
        #expect(answered.wait(timeout: .now() + 60) == .success)
        #expect(box.value?.draining == false && box.value?.exiting == nil)
        #expect(try own.ask(.jobCancel, JobParams(id: job)).code == nil)
        #expect(rig.exits.count == 0)
    }

    @Test func toEndAndToStartIsNoWish() throws {
        let rig = try ServiceRig()
        let called = try rig.connect(as: geteuid()).ask(
            .serverDrain, ["on": false, "exit": true] as JSONValue)
        #expect(called.code == "invalidRequest")
    }
}
