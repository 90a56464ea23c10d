// Whose jobs a list has, whatever it is filtered by.
import Media
import Testing
import Text

@testable import Wire
@testable import trimd

@Suite(.timeLimit(.minutes(60))) struct ListTests {
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
