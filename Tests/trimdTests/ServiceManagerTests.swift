// The parts that meet systemd, without one: control groups and the journal.
import Testing

@testable import trimd

@Suite struct ServiceManagerTests {
    @Test func theUnifiedTreesGroupIsFound() {
        #expect(Cgroups.path(in: "0::/system.slice/trimd.service\n") == "/system.slice/trimd.service")
        #expect(Cgroups.path(in: "4:memory:/x\n1:name=systemd:/y\n0::/a/b\n") == "/a/b")
        for table in ["", "0::/\n", "4:memory:/x\n", "0::/../../x\n"] {
            #expect(Cgroups.path(in: table) == nil, "\(table)")
        }
    }

    @Test func branchesAreMadeLimitedAndRemoved() throws {
        // A folder of plain files stands for the kernel's: what is written where is what counts.
        let scratch = try Scratch()
        for file in ["cgroup.subtree_control", "daemon/cgroup.procs"] {
            if file.hasPrefix("daemon") { _ = try scratch.folder("daemon") }
            try scratch.file(file, "")
        }
        let tree = try #require(Cgroups(taking: scratch.path))
        #expect(scratch.text("daemon/cgroup.procs")?.isEmpty == false)
        #expect(scratch.text("cgroup.subtree_control")?.contains("+pids") == true)
        // Without the kernel's files in it a branch is no use, and goes again.
        #expect(tree.enclose(1) == nil)
        #expect(!scratch.exists("worker-1"))
        _ = try scratch.folder("worker-2")
        for file in ["memory.max", "memory.swap.max", "pids.max", "memory.oom.group", "cgroup.kill"] {
            try scratch.file("worker-2/" + file, "")
        }
        let group = Cgroup(path: scratch.path + "/worker-2")
        group.limit(memory: 1 << 30, tasks: 7)
        group.kill()
        #expect(scratch.text("worker-2/memory.max") == "1073741824")
        #expect(scratch.text("worker-2/pids.max") == "7")
        #expect(scratch.text("worker-2/cgroup.kill") == "1")
    }

    @Test func onlyTheJournalsStreamIsTheJournal() {
        #expect(!Journal.isStderr(nil))
        #expect(!Journal.isStderr("0:0"))
        #expect(!Journal.isStderr("nonsense"))
    }
}
