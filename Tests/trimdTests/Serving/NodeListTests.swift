// server.nodes, tags and needs, through the methods that clients call.
import JobQueue
import Media
import Platform
import Synchronization
import Testing
import Text
import Wire

@testable import trimd

@Suite(.timeLimit(.minutes(10))) struct NodeListTests {
    @Test func oneMachineIsOneNode() throws {
        let rig = try ServiceRig()
        let own = try rig.connect(as: PeerCredentials.own.uid)
        let nodes = try #require(try own.ask(.serverNodes).result?["nodes"]?.array)
        let node = try #require(nodes.first)
        #expect(nodes.count == 1 && node["answers"] == true && node["version"] == .string(trimdVersion))
        #expect(node["state"] == "draining" && node["processors"] == 2 && node["workers"]?.int ?? 0 >= 1)
        #expect(node["name"] == .string(StateFolder.hostName) && node["jobs"] == [])
        #expect(try own.ask(.serverDrain, DrainParams(on: false)).result?["draining"] == false)
        #expect(try own.ask(.serverNodes).result?["nodes"]?.array?.first?["state"] == "active")
    }

    @Test func aNodeThatIsNotThereCannotDrain() throws {
        let rig = try ServiceRig()
        let own = try rig.connect(as: PeerCredentials.own.uid)
        let name = StateFolder.hostName
        let refused = try own.ask(.serverDrain, DrainParams(node: name + "x"))
        guard case .error("invalidRequest", let message) = refused else {
            Issue.record("\(refused)")
            return
        }
        #expect(message.contains("no node '\(name)x'"))
        // Its own name is this one.
        #expect(try own.ask(.serverDrain, DrainParams(on: false, node: name)).result?["draining"] == false)
        let both = try own.ask(.serverDrain, DrainParams(exit: true, node: name))
        #expect(both.code == "invalidRequest")
    }

    /// A tag that no node has is no error: the job waits, and says for what.
    @Test func aJobSaysWhatNoNodeHas() throws {
        let rig = try ServiceRig(isDraining: false)
        let ann = try rig.connect(as: ServiceRig.ann)
        var params = SubmitParams(input: rig.film)
        (params.output, params.needs) = (rig.out + "/", ["gpu"])
        let job = try #require(try ann.ask(.jobSubmit, params, passing: try rig.files()).result)
        #expect(job["status"] == "waiting" && job["needs"] == ["gpu"] && job["unmet"] == ["gpu"], "\(job)")
        let id = try #require(job["id"]?.int)
        #expect(try ann.ask(.jobGet, JobParams(id: id)).result?["unmet"] == ["gpu"])
        #expect(try ann.ask(.jobList, ListParams()).result?.array?.first?["unmet"] == ["gpu"])
        for bad in [["a b"], ["-x"], [""], ["a,b"], (0...16).map { "t\($0)" }] {
            params.needs = bad
            #expect(
                try ann.ask(.jobSubmit, params, passing: try rig.files()).code == "invalidRequest", "\(bad)")
        }
    }

    @Test func unmetNeedsAreThoseThatNoNodeHasTogether() {
        func record(_ name: String, _ tags: [String], isGone: Bool = false, drains: Bool = false)
            -> NodeRecord
        {
            var node = QueueNode(name: name, version: "1")
            node.tags = tags
            return NodeRecord(node, started: .now, heard: .now, now: .now, isGone: isGone, isDraining: drains)
        }
        let needs = Needs(["gpu", Needs.root("media"), Needs.node("c")])
        #expect(needs.unmet(among: [record("a", ["gpu"]), record("b", [])]) == ["root media", "node c"])
        #expect(Needs(["x", "y"]).unmet(among: [record("a", ["x"]), record("b", ["y"])]) == ["x", "y"])
        #expect(Needs(["x"]).unmet(among: [record("a", ["x"], isGone: true)]) == ["x"])
        #expect(Needs(["x"]).unmet(among: [record("a", ["x"], drains: true)]) == ["x"])
        #expect(Needs(["x"]).unmet(among: [record("a", ["x"], drains: true), record("b", ["x"])]) == [])
    }
}
