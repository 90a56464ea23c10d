// The differences of a share such as NFS from a local disk: it cannot rename without replacing, and its handles go stale.
import Foundation
import Testing

@Suite(.enabled(if: FaultShim.library != nil), .serialized) struct ShareFaultTests {
    /// Every renameat2 is refused, as by NFS: the output gets its name by a link, once, and nothing is left beside it.
    @Test(.timeLimit(.minutes(10)), arguments: [EINVAL, ENOSYS, EOPNOTSUPP])
    func anOutputGetsItsNameByALink(_ code: Int32) throws {
        let bench = try CallFaultTests.Bench()
        try bench.shim.arm(.failFrom, call: 1, code: code, only: "renameat2")
        let ended = bench.export("linked.mp4", "linked")
        #expect(ended.code == 0, "\(ended.err)")
        #expect(try bench.shim.struck == "renameat2")
        #expect(CallFaultTests.Bench.size(bench.rig.path("linked.mp4")) == bench.size)
        #expect(try bench.rig.leftovers().isEmpty)
        // A file that exists is not replaced.
        try Data("mine".utf8).write(to: URL(filePath: bench.rig.path("taken.mp4")))
        #expect(bench.export("taken.mp4", "taken").code == 6)
        #expect(FileManager.default.contents(atPath: bench.rig.path("taken.mp4")) == Data("mine".utf8))
        try bench.shim.disarm()
    }

    /// The handle of the output's folder is stale when its file is to be made: the job is tried again, and completes.
    @Test(.timeLimit(.minutes(10))) func aStaleHandleIsTriedAgain() throws {
        let bench = try CallFaultTests.Bench()
        try bench.shim.arm(.fail, call: 1, code: ESTALE, only: "openat")
        let ended = bench.export("stale.mp4", "stale")
        #expect(ended.code == 0, "\(ended.err)")
        #expect(try bench.shim.struck == "openat")
        #expect(CallFaultTests.Bench.size(bench.rig.path("stale.mp4")) == bench.size)
        let job = try #require(try bench.job("stale"))
        #expect(job["attempts"] as? Int == 2, "\(job)")
        #expect(try bench.rig.leftovers().isEmpty)
        try bench.shim.disarm()
    }
}
