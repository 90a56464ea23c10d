// job.modify of a job that waits: any option of it, and no other.
import Glibc
import JobQueue
import Media
import MediaTime
import Testing
import Text

@testable import Wire
@testable import trimd

@Suite(.timeLimit(.minutes(10))) struct ModifyTests {
    private func modified(_ rig: ServiceRig, _ client: Client, _ params: JSONValue) throws -> Called {
        try client.ask(.jobModify, params, passing: try rig.files())
    }

    /// A job of a user that waits, with an output in a folder.
    private func submitted(_ rig: ServiceRig, _ client: Client) throws -> Int64 {
        var params = SubmitParams(input: rig.film)
        params.output = rig.out + "/"
        params.range = RangeRequest(start: try .parse("1"), duration: try .parse("2"))
        params.preset = .id("m4v720")
        params.options = ExportOptions()
        params.options?.crf = 23
        let called = try client.ask(.jobSubmit, params, passing: try rig.files())
        return try #require(called.result?["id"]?.int, "\(called)")
    }

    @Test func anyOptionOfAWaitingJobIsChanged() throws {
        let rig = try ServiceRig()
        let ann = try rig.connect(as: ServiceRig.ann)
        let id = try submitted(rig, ann)
        let before = try rig.store.job(id)
        let changes: JSONValue = [
            "id": .int(id), "end": "10", "strict": true, "priority": 20, "options": ["frameRate": "25"],
            "notBefore": "2100-01-01T00:00:00Z", "output": .string(rig.out + "/other.m4v"),
        ]
        let called = try modified(rig, ann, changes)
        #expect(called.code == nil, "\(called)")
        let job = try rig.store.job(id)
        #expect(job.request.strict && job.priority == 20 && job.request.output.name == "other.m4v")
        #expect(job.request.start == before.request.start && job.request.duration == nil)
        #expect(job.request.end == (try .parse("10")))
        #expect(job.request.preset == before.request.preset && job.request.options?.crf == 23)
        #expect(job.notBefore == Moment(milliseconds: 4_102_444_800_000) && job.due == job.notBefore)
        // null is as if it had been left out.
        #expect(
            try modified(rig, ann, ["id": .int(id), "options": ["crf": .null], "notBefore": .null]).code
                == nil)
        #expect(try rig.store.job(id).request.options?.crf == nil && rig.store.job(id).due == nil)
    }

    @Test func aWrongChangeChangesNothing() throws {
        let rig = try ServiceRig()
        let ann = try rig.connect(as: ServiceRig.ann)
        let id = try submitted(rig, ann)
        let before = try rig.store.job(id)
        let later = try submitted(rig, ann)
        for (change, code) in [
            (["end": "no time"], "invalidRequest"), (["preset": "nothing"], "presetNotFound"),
            (["input": "/etc/passwd"], "invalidRequest"), (["key": "k"], "invalidRequest"),
            (["output": "/etc/x.m4v"], "permissionDenied"), (["after": [.int(later)]], "invalidRequest"),
            (["after": [.int(id)]], "invalidRequest"),
            (["priority": 90, "strict": true], "permissionDenied"),
        ] as [([String: JSONValue], String)] {
            let called = try modified(rig, ann, .object(JSONObject(change.merging(["id": .int(id)]) { $1 })))
            #expect(called.code == code, "\(change): \(called)")
        }
        #expect(try rig.store.job(id) == before)
    }

    /// The rights are proved anew, by whoever changes it.
    @Test func theRightsAreProvedAnew() throws {
        let rig = try ServiceRig()
        let ann = try rig.connect(as: ServiceRig.ann)
        let id = try submitted(rig, ann)
        let change: JSONValue = ["id": .int(id), "strict": true]
        #expect(try ann.ask(.jobModify, change).code == "permissionDenied")
        #expect(try !rig.store.job(id).request.strict)
        let groups = try rig.store.job(id).request.reader?.groups
        #expect(try rig.connect(as: 0).ask(.jobModify, change).code == nil)
        let job = try rig.store.job(id)
        #expect(job.request.strict && job.user == ServiceRig.ann && job.request.reader?.groups == groups)
        _ = try rig.store.cancel(id)
        #expect(try modified(rig, ann, change).code == "jobStateNotValid")
    }
}
