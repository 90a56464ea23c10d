// One child process: started in a process group of its own, so that the terminal's Ctrl-C does not reach it, and reaped.
// `unsafe` stands here because posix_spawn(3) takes C arrays; they live for the call alone. Its owner must call `end`.
internal import CLinux
internal import Glibc
internal import Media
internal import Wire

/// A child process.
final class ChildProcess {
    /// Its number, and that of its group.
    let pid: Int32
    private var isReaped = false
    /// The other end of the child's standard input, which ends with this process.
    private let lifeline: Descriptor

    /// Starts a program with arguments; stdin gives nothing and ends with this process, stdout and stderr go to the
    /// file `log`.
    init(_ program: String, _ arguments: [String], environment: [String: String], log: String)
        throws(MediaError)
    {
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        guard var pipe = try? Descriptor.pipe(), let theirs = pipe.takeFirst(), let ours = pipe.takeSecond()
        else {
            throw MediaError(.noDaemon, "starting \(program): \(SystemError.reason(errno))")
        }
        lifeline = ours
        unsafe posix_spawn_file_actions_adddup2(&actions, theirs.rawValue, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        unsafe posix_spawn_file_actions_adddup2(&actions, 1, 2)
        _ = unsafe trim_spawn_addclosefrom(&actions, 3)
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        for number in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { unsafe sigaddset(&signals, number) }
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))

        var pid: pid_t = 0
        let words = [program] + arguments
        let variables = environment.map { "\($0.key)=\($0.value)" }
        let code = unsafe ChildProcess.withCStrings(words) { words in
            unsafe ChildProcess.withCStrings(variables) { variables in
                unsafe posix_spawn(&pid, program, &actions, &attributes, words, variables)
            }
        }
        guard code == 0 else {
            throw MediaError(.noDaemon, "starting \(program): \(SystemError.reason(code))")
        }
        self.pid = pid
        _ = consume theirs
    }

    /// It has not ended yet.
    var isRunning: Bool {
        guard !isReaped else { return false }
        var status: Int32 = 0
        let answer = unsafe waitpid(pid, &status, WNOHANG)
        isReaped = answer == pid || (answer < 0 && errno == ECHILD)
        return !isReaped
    }

    /// Asks it to end, waits for so many seconds, then ends its whole group.
    func end(within seconds: Double) {
        guard isRunning else { return }
        _ = kill(pid, SIGTERM)
        let limit = Terminal.now + seconds
        while isRunning {
            if Terminal.now > limit { _ = kill(-pid, SIGKILL) }
            _ = trim_poll(-1, 0, 0, -1, 10)
        }
    }

    private static func withCStrings<Result>(
        _ texts: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var pointers = unsafe texts.map { unsafe strdup($0.nameBytes) } + [nil]
        defer { unsafe pointers.forEach { unsafe free($0) } }
        return unsafe pointers.withUnsafeMutableBufferPointer { buffer in
            // The array ends in nil and so is never empty.
            guard let base = buffer.baseAddress else { preconditionFailure("an empty argument list") }
            return unsafe body(base)
        }
    }
}
