// Spawn: starts one process with exactly the given descriptors, signals and environment. It neither waits nor has state; the
// caller owns the process from then on. Any thread.
//
// `unsafe` here: posix_spawn's attributes and C strings, all of them gone when the call returns.
internal import CLinux
internal import Glibc
internal import Text

/// A program and the initial state of its process. It leads its own process group, so that the terminal's Ctrl-C does not reach
/// it, blocks no signal and has the default action for each.
public struct Spawn: Sendable {
    /// The target of a standard stream. A descriptor is borrowed until `start` returns.
    public enum Stream: Sendable {
        /// An open descriptor.
        case descriptor(Int32)
        /// A file opened for reading.
        case reading(String)
        /// A file opened for appending; created with mode 0600 if missing.
        case appending(String)
    }

    /// The path of the program.
    public var program: String
    /// Its arguments, without its own name.
    public var arguments: [String]
    /// Its whole environment.
    public var environment: [String: String] = [:]
    /// Its standard input.
    public var input = Stream.reading("/dev/null")
    /// Its standard output and error.
    public var log: Stream
    /// The descriptor that becomes 3 in the process; nil: none. No other is open there.
    public var control: Int32?

    /// A program with empty input and environment, and no control descriptor.
    public init(_ program: String, _ arguments: [String], log: Stream) {
        self.program = program
        self.arguments = arguments
        self.log = log
    }

    /// Starts the process and returns its PID, which is its process group ID too; the caller must reap it. The result of every
    /// step is checked: if one fails, no process is started.
    public func start() throws(SystemError) -> Int32 {
        var actions = unsafe posix_spawn_file_actions_t()
        try check(unsafe posix_spawn_file_actions_init(&actions))
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        var attributes = posix_spawnattr_t()
        try check(unsafe posix_spawnattr_init(&attributes))
        defer { unsafe posix_spawnattr_destroy(&attributes) }

        // In this order no step overwrites a descriptor that a later one needs: none of the given ones is below 3.
        try unsafe open(input, as: 0, &actions)
        try unsafe open(log, as: 1, &actions)
        try check(unsafe posix_spawn_file_actions_adddup2(&actions, 1, 2))
        if let control { try check(unsafe posix_spawn_file_actions_adddup2(&actions, control, 3)) }
        try check(unsafe trim_spawn_addclosefrom(&actions, control == nil ? 3 : 4))

        var none = sigset_t()
        var all = sigset_t()
        try check(unsafe sigemptyset(&none))
        try check(unsafe sigfillset(&all))
        try check(unsafe posix_spawnattr_setsigmask(&attributes, &none))
        try check(unsafe posix_spawnattr_setsigdefault(&attributes, &all))
        try check(unsafe posix_spawnattr_setpgroup(&attributes, 0))
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
        try check(unsafe posix_spawnattr_setflags(&attributes, Int16(flags)))

        var pid: pid_t = 0
        var words = unsafe ([program] + arguments).map { unsafe strdup($0.nameBytes) } + [nil]
        var variables = unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)".nameBytes) } + [nil]
        defer {
            unsafe words.forEach { unsafe free($0) }
            unsafe variables.forEach { unsafe free($0) }
        }
        try check(unsafe posix_spawn(&pid, program.nameBytes, &actions, &attributes, &words, &variables))
        return pid
    }

    private func open(
        _ stream: Stream, as number: Int32, _ actions: inout posix_spawn_file_actions_t
    ) throws(SystemError) {
        switch stream {
        case .descriptor(let raw):
            try check(unsafe posix_spawn_file_actions_adddup2(&actions, raw, number))
        case .reading(let path):
            try check(
                unsafe posix_spawn_file_actions_addopen(&actions, number, path.nameBytes, O_RDONLY, 0))
        case .appending(let path):
            let flags = O_WRONLY | O_CREAT | O_APPEND
            try check(
                unsafe posix_spawn_file_actions_addopen(&actions, number, path.nameBytes, flags, 0o600))
        }
    }

    /// Throws for the error code that these calls return.
    private func check(_ code: Int32) throws(SystemError) {
        guard code == 0 else { throw SystemError("starting", program, code: code) }
    }
}
