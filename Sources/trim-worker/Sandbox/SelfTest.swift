// `trim-worker --selftest [--unsealed] [--fork-server] [ENCODER]...`: reports encoders missing in this build, and tries operations forbidden to a worker. Each
// attempt runs in a child, forked while this process is unsandboxed, and sealed like a worker; a child that is killed for its
// attempt counts as refused. With `--unsealed` the children stay unsandboxed, which shows that the attempts would succeed. With
// `--fork-server` this process is first confined as a fork server is. Reads no media.
internal import CLinux
internal import CSeccomp
internal import Glibc
internal import Libav
internal import Text
internal import Wire

/// The self-test.
enum SelfTest {
    /// Timeout of an attempt in seconds, after which its child is killed.
    private static let patience: UInt32 = 5

    /// Runs all attempts and prints a JSON object: how far a worker is sealed here, and for each attempt whether it was refused.
    /// - Returns: 0 if the seal is complete and everything was refused (with `--unsealed`: always).
    static func run(_ arguments: [String]) -> Int32 {
        let isSealing = !arguments.contains("--unsealed")
        let encoders = arguments.filter { !["--unsealed", "--fork-server"].contains($0) }
        guard encoders.allSatisfy({ !$0.hasPrefix("-") }) else { return 2 }
        let channel = UnixPair()
        guard let channel else { return 2 }
        if arguments.contains("--fork-server") {
            _ = SandboxSeal.applyToServer(control: channel.theirs, forks: channel.theirs)
        }
        let seal = isSealing ? ask(channel) : WorkerSeal(landlock: nil, seccomp: false, missing: [])
        var results: [SandboxAttempt.Result] = []
        for attempt in SandboxAttempt.all {
            results.append(make(attempt, sealing: isSealing, channel))
        }
        let report = WorkerSelfTest(
            seal: seal,
            attempts: results.map {
                WorkerSelfTest.Attempt(name: $0.name, refused: $0.isRefused, how: $0.how)
            },
            version: trimdVersion,
            ffmpeg: FFmpegVersion(version: LibavBuild.version, libraries: LibavBuild.libraries),
            missingEncoders: encoders.filter { !Encoder.exists($0) })
        guard let json = try? JSONValue(encoding: report) else { return 2 }
        let line = json.encoded + [UInt8(ascii: "\n")]
        _ = unsafe write(1, line, line.count)
        return !isSealing || (seal.missing.isEmpty && results.allSatisfy(\.isRefused)) ? 0 : 1
    }

    /// A socket pair like a worker's.
    private struct UnixPair {
        let ours: Int32
        let theirs: Int32

        init?() {
            var pair: [Int32] = [-1, -1]
            guard unsafe trim_socketpair(&pair) == 0, fcntl(pair[0], F_SETFL, O_NONBLOCK) == 0 else {
                return nil
            }
            ours = pair[0]
            theirs = pair[1]
        }
    }

    /// Seals a child and receives its seal report.
    private static func ask(_ channel: UnixPair) -> WorkerSeal {
        let child = trim_fork()
        guard child != 0 else {
            var seal = SandboxSeal.apply(control: channel.theirs)
            var facts = stat()
            if unsafe trim_fstat(channel.theirs, &facts) != 0 {
                seal.missing.append("the facts of an open file cannot be read")
            }
            // It may signal itself, as abort(3) does; where not, the filter kills it here.
            _ = trim_call(trim_sys_tgkill, Int64(getpid()), Int64(getpid()), 0, 0, 0, 0)
            let line = (try? JSONValue(encoding: seal))?.encoded ?? []
            _ = unsafe write(channel.theirs, line, line.count)
            _exit(0)
        }
        guard child > 0 else { return WorkerSeal(landlock: nil, seccomp: false, missing: ["no fork"]) }
        var status: Int32 = 0
        unsafe waitpid(child, &status, 0)
        var bytes = [UInt8](repeating: 0, count: 4096)
        // Not recv, which a fork server may not call.
        let count = unsafe read(channel.ours, &bytes, bytes.count)
        guard count > 0, let json = try? JSONValue(parsing: Array(bytes[..<count])),
            let seal = try? json.decode(as: WorkerSeal.self)
        else {
            let missing = "a sealed process ended before it had said a word (status \(status))"
            return WorkerSeal(landlock: nil, seccomp: false, missing: [missing])
        }
        return seal
    }

    private static func make(
        _ attempt: SandboxAttempt, sealing: Bool, _ channel: UnixPair
    ) -> SandboxAttempt.Result {
        let child = trim_fork()
        guard child != 0 else {
            alarm(patience)
            let prepared = attempt.prepare()
            if sealing { _ = SandboxSeal.apply(control: channel.theirs) }
            let code = attempt.attempt(prepared)
            // The exit status is the errno of a refusal, or 255 for success.
            _exit(code < 0 ? Int32(min(254, -code)) : 255)
        }
        guard child > 0 else { return attempt.result(false, "could not be tried") }
        var status: Int32 = 0
        unsafe waitpid(child, &status, 0)
        if trim_wifsignaled(status) == 1 {
            let signal = trim_wtermsig(status)
            return attempt.result(signal == SIGSYS, signal == SIGSYS ? "killed" : "ended by signal \(signal)")
        }
        let code = trim_wexitstatus(status)
        // 0: the program that the attempt executed has exited.
        if code == 255 || code == 0 { return attempt.result(false, "succeeded") }
        return attempt.result(true, words(of: -code))
    }
}
