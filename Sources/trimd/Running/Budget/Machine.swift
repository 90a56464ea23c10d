// Machine: the processors and the memory that this process may use: those of the machine, within its affinity and its control
// group's limits. Read once at the start. A container with 2 of 64 processors is told by `cpu.max` alone.
internal import CLinux
internal import Glibc
internal import Platform

/// The resources of this process.
struct Machine: Hashable, Sendable {
    /// Processors, at least 1.
    var processors: Int
    /// Memory in bytes.
    var memory: Int64

    /// Resources from the machine's own and the limits of the control groups, from this process's group upwards.
    /// - Parameters:
    ///   - read: the text of a file; nil: there is none.
    init(
        processors: Int, memory: Int64, groups table: String, read: (_ path: String) -> String?
    ) {
        self.processors = max(1, processors)
        self.memory = memory
        // Each group is bounded by those above it.
        var path = Cgroups.path(in: table) ?? ""
        while true {
            limit("/sys/fs/cgroup" + path, read)
            guard let slash = path.lastIndex(of: "/") else { break }
            path = String(path[..<slash])
        }
    }

    private mutating func limit(_ folder: String, _ read: (String) -> String?) {
        if let words = read(folder + "/cpu.max")?.split(whereSeparator: \.isWhitespace), words.count == 2,
            let quota = Int(words[0]), let period = Int(words[1]), quota > 0, period > 0
        {
            // Half a processor more is worth a thread.
            processors = min(processors, max(1, (quota + period / 2) / period))
        }
        if let text = read(folder + "/memory.max")?.split(whereSeparator: \.isWhitespace).first,
            let most = Int64(text), most > 0
        {
            memory = min(memory, most)
        }
    }

    /// The resources of this process.
    static func current() -> Machine {
        let online = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        let allowed = Int(trim_affinity_count())
        return Machine(
            processors: allowed > 0 ? min(online, allowed) : online,
            memory: Int64(sysconf(Int32(_SC_PHYS_PAGES))) * Int64(sysconf(Int32(_SC_PAGESIZE))),
            groups: ProcessTable.read("/proc/self/cgroup") ?? "", read: ProcessTable.read)
    }

    /// The memory for all workers together where the settings name none: 70 %.
    var memoryForWorkers: Int64 { memory / 10 * 7 }
}
