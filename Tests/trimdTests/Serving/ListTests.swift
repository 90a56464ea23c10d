// Whose jobs a list has, whatever it is filtered by; and who may change which priority.
import JobQueue
import Media
import Testing
import Text

@testable import Wire
@testable import trimd

@Suite(.timeLimit(.minutes(10))) struct ListTests {
    /// Above the usual priority only root and the daemon's user may go, at a submission and afterwards.
    @Test func aPriorityAboveTheUsualIsRefusedToUsers() throws {
        let rig = try ServiceRig()
        let id = try rig.job(of: ServiceRig.ann).id
        func modify(_ uid: UInt32, _ priority: Int64) throws -> Called {
            let params: JSONValue = ["id": .int(id), "priority": .int(priority)]
            return try rig.connect(as: uid).ask(.jobModify, params)
        }
        #expect(try modify(ServiceRig.ann, 50).result?["priority"] == 50)
        #expect(try modify(ServiceRig.ann, 51).code == "permissionDenied")
        #expect(try rig.store.job(id).priority == 50)
        #expect(try modify(0, 100).result?["priority"] == 100)
        #expect(try modify(0, 101).code == "invalidRequest")
        #expect(try modify(ServiceRig.ann, 3).result?["priority"] == 3)
        let nothing: JSONValue = ["id": .int(id)]
        #expect(try rig.connect(as: 0).ask(.jobModify, nothing).code == "invalidRequest")
        _ = try rig.store.cancel(id)
        #expect(try modify(0, 1).code == "jobStateNotValid")
    }

    private func list(_ client: Client, _ params: JSONValue) throws -> Called {
        try client.ask(.jobList, params)
    }

    private func users(_ client: Client, _ params: JSONValue) throws -> [Int64]? {
        try list(client, params).result?.array?.compactMap { $0["user"]?.int }.sorted()
    }

    /// A filter shows nobody what they could not see without it.
    @Test func noFilterShowsAnotherUsersJobs() throws {
        let rig = try ServiceRig()
        for user in [ServiceRig.ann, ServiceRig.ann, ServiceRig.bob] { _ = try rig.job(of: user) }
        let (ann, bob) = (Int64(ServiceRig.ann), Int64(ServiceRig.bob))
        let all = try rig.connect(as: 0)
        #expect(try users(all, ["user": .int(ann)]) == [ann, ann])
        #expect(try users(all, ["user": .int(bob), "statuses": ["waiting"]]) == [bob])
        #expect(try users(all, ["statuses": ["failed", "held"]]) == [])
        let own = try rig.connect(as: ServiceRig.bob)
        #expect(try users(own, ["user": .int(ann)]) == [])
        #expect(try users(own, ["statuses": ["waiting"]]) == [bob])
        #expect(try users(own, ["since": "2000-01-01T00:00:00.000Z"]) == [bob])
        #expect(try users(own, ["since": "2999-01-01T00:00:00.000Z"]) == [])
        #expect(try list(own, ["statuses": ["paused"]]).code == "invalidRequest")
    }
}
