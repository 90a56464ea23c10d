// Spawn: starting one process with exactly the descriptors, signals and environment it is to have. It waits
// for nothing and keeps nothing; the caller owns the process from then on. Any thread.
//
// `unsafe` here: posix_spawn's attributes and C strings, all of them gone when the call returns.
internal import CLinux
internal import Glibc
internal import Media
internal import Wire

/// Starting processes.
enum Spawn {
    /// Starts a program: /dev/null is its input, `log` its output and error, `control` its descriptor 3,
    /// nothing else is open, and its environment is empty. It leads a process group of its own, blocks no
    /// signal and has the default action for each.
    /// - Parameter control: nil where the program needs none.
    static func worker(
        _ program: String, _ words: [String], control: Int32?, log: Int32
    ) throws(SystemError) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        // In this order no step overwrites what a later one needs: neither descriptor is below 3.
        try check(program, unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0))
        try check(program, unsafe posix_spawn_file_actions_adddup2(&actions, log, 1))
        try check(program, unsafe posix_spawn_file_actions_adddup2(&actions, log, 2))
        if let control {
            try check(program, unsafe posix_spawn_file_actions_adddup2(&actions, control, 3))
        }
        try check(program, unsafe trim_spawn_addclosefrom(&actions, control == nil ? 3 : 4))

        var none = sigset_t()
        var all = sigset_t()
        unsafe sigemptyset(&none)
        unsafe sigfillset(&all)
        try check(program, unsafe posix_spawnattr_setsigmask(&attributes, &none))
        try check(program, unsafe posix_spawnattr_setsigdefault(&attributes, &all))
        try check(program, unsafe posix_spawnattr_setpgroup(&attributes, 0))
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
        try check(program, unsafe posix_spawnattr_setflags(&attributes, Int16(flags)))

        var pid: pid_t = 0
        var arguments = unsafe ([program] + words).map { unsafe strdup($0.nameBytes) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = unsafe [nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        try check(program, unsafe posix_spawn(&pid, program, &actions, &attributes, &arguments, &variables))
        return pid
    }

    private static func check(_ program: String, _ code: Int32) throws(SystemError) {
        guard code == 0 else { throw SystemError("starting", program, code: code) }
    }
}
