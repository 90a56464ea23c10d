// The compiled filter of workers. Compiling takes a millisecond and gives each worker the same program but for one number: the process
// that it may signal, which is itself. A fork server compiles it once, before it forks, and each worker puts its own number in. The
// fork server has no rights that a worker lacks where it could change the program: it is confined before it serves.
//
// `unsafe` here: the program, passed to the kernel for the duration of a call.
internal import CSeccomp
internal import Glibc
internal import Synchronization

/// A filter of system calls as the kernel takes it, for any process.
struct SandboxProgram: Sendable {
    /// Instructions; one of them compares the process to signal.
    private let instructions: [UInt64]
    /// The index of that one.
    private let comparison: Int
    /// The descriptor on which messages may be sent and received.
    private let control: Int32

    /// A number that no process has, and no other rule.
    private static let placeholder: Int32 = 0x7a3b_5c1d

    /// Compiles the filter of a worker; nil where the number is not found exactly once, or a program with another number is not what
    /// the compiler makes of that number: then each worker compiles its own.
    init?(control: Int32) {
        func compiled(_ process: Int32) -> [UInt64]? {
            try? SandboxSyscallFilter.compile(.worker, control: control, process: process).get()
        }
        guard let instructions = compiled(SandboxProgram.placeholder) else { return nil }
        let found = instructions.indices.filter {
            trim_bpf_compares(instructions[$0], UInt32(SandboxProgram.placeholder)) != 0
        }
        guard found.count == 1, let comparison = found.first else { return nil }
        (self.instructions, self.comparison, self.control) = (instructions, comparison, control)
        guard [1, 4_194_303].allSatisfy({ compiled($0) == program(for: $0) }) else { return nil }
    }

    /// The program of a process.
    private func program(for process: Int32) -> [UInt64] {
        var program = instructions
        program[comparison] = trim_bpf_constant(program[comparison], UInt32(process))
        return program
    }

    /// Loads the program of this process; returns 0 or a negative errno.
    func load() -> Int32 {
        let program = program(for: getpid())
        return unsafe trim_seccomp_load(program, UInt16(clamping: program.count))
    }

    // MARK: The one of this process

    private static let ready = Mutex<SandboxProgram?>(nil)

    /// Compiles the program that forks of this process will load. Must precede the confinement of this process.
    static func prepare(control: Int32) {
        let program = SandboxProgram(control: control)
        ready.withLock { $0 = program }
    }

    /// The program that was prepared, if it is for this descriptor.
    static func prepared(control: Int32) -> SandboxProgram? {
        ready.withLock { $0?.control == control ? $0 : nil }
    }
}
