// The processors and the memory of this process, within the limits of its control groups.
import Testing

@testable import trimd

@Suite struct MachineTests {
    private func machine(_ files: [String: String], groups: String = "0::/a/b\n") -> Machine {
        Machine(processors: 64, memory: 1000, groups: groups) { files[$0] }
    }

    @Test(arguments: [
        ("max 100000", 64), ("200000 100000", 2), ("150000 100000", 2), ("140000 100000", 1),
        ("1000 100000", 1),
        ("9900000 100000", 64), ("", 64), ("max", 64), ("x 100000", 64), ("200000 0", 64),
    ]) func aContainerWithTwoOfManyProcessors(_ text: String, _ processors: Int) {
        #expect(machine(["/sys/fs/cgroup/a/b/cpu.max": text + "\n"]).processors == processors)
        // A group above counts too.
        #expect(machine(["/sys/fs/cgroup/a/cpu.max": text + "\n"]).processors == processors)
    }

    @Test func theLowestLimitCounts() {
        let files = [
            "/sys/fs/cgroup/cpu.max": "800000 100000", "/sys/fs/cgroup/a/cpu.max": "300000 100000",
            "/sys/fs/cgroup/a/b/cpu.max": "max 100000", "/sys/fs/cgroup/a/b/memory.max": "max\n",
            "/sys/fs/cgroup/a/memory.max": "500\n",
        ]
        #expect(machine(files).processors == 3 && machine(files).memory == 500)
        #expect(machine(files).memoryForWorkers == 350)
        // In a namespace of its own a container is the root of its groups.
        #expect(machine(files, groups: "0::/\n").processors == 8)
        #expect(machine(files, groups: "").processors == 8)
        #expect(machine([:]) == Machine(processors: 64, memory: 1000, groups: "") { _ in nil })
    }

    @Test func thisMachineHasSome() {
        let own = Machine.current()
        #expect(own.processors >= 1 && own.memory > 1 << 26)
    }
}
