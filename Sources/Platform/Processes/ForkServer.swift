// ForkServer: trimd's side of a process that forks others. It starts the server, asks it for processes, one after another, and
// ends it. Each process becomes a child of this one before its PID is told, and has a process group of its own from then on: so
// what the server forked and nobody took is still in the server's group, and ends with it. Any thread; a call waits for the
// server, a few milliseconds. It restarts nothing.
//
// The protocol, one packet a message: the server sends the files that it has loaded, "+" and lines, then "."; a request is "f"
// and two descriptors, the control socket and the log; its answer is the PID, or an errno below zero, in decimals.
internal import CLinux
public import Dispatch
internal import Glibc
internal import Synchronization

/// A process that forks others on request.
public final class ForkServer: Sendable {
    /// Its process ID and process group ID.
    public let pid: Int32
    private let program: String
    private let files: LoadedFiles
    private let socket: Descriptor
    private let pidfd: Descriptor
    /// Held during a request.
    private let isEnded = Mutex(false)

    /// The server's end of the socket.
    public static let control: Int32 = 3
    /// The longest message in bytes.
    public static let longestMessage = 64 << 10
    /// How long the server may take to load its libraries, and to answer a request.
    private static let startTimeout = Duration.seconds(20)
    private static let answerTimeout = Duration.seconds(5)

    /// Starts a server and waits until it takes requests; `spawn.control` is set here.
    public init(_ spawn: Spawn) throws(SystemError) {
        let program = spawn.program
        var spawn = spawn
        // Processes that the server's children leave become children of this process.
        try SystemError.check("adopting the processes of", program) { trim_set_child_subreaper() }
        var sockets = try Descriptor.packetPair()
        guard let ours = sockets.takeFirst(), let theirs = sockets.takeSecond() else {
            throw SystemError("starting", program, code: EBADF)
        }
        spawn.control = theirs.rawValue
        let pid = try spawn.start()
        _ = consume theirs
        do throws(SystemError) {
            pidfd = Descriptor(adopting: try SystemError.check("watching", program) { trim_pidfd_open(pid) })
            files = try ForkServer.greeting(ours.rawValue, program)
        } catch {
            ForkServer.end(pid)
            throw error
        }
        self.pid = pid
        self.program = program
        socket = ours
    }

    deinit { end() }

    /// Forks a process; the server sends it nothing but its two descriptors, which the caller keeps.
    /// - Returns: its PID. It is a child of this process, which has to reap it, and leads a process group.
    public func fork(control: Int32, log: Int32) throws(SystemError) -> Int32 {
        try isEnded.withLock { isEnded throws(SystemError) in
            guard !isEnded else { throw SystemError("forking from", program, code: EPIPE) }
            guard
                case .bytes = try SocketIO.send(
                    socket.rawValue, [UInt8(ascii: "f")], from: 0, descriptors: [control, log], waiting: false
                )
            else { throw SystemError("forking from", program, code: EPIPE) }
            let answer = try ForkServer.message(
                socket.rawValue, program, until: Deadline(after: ForkServer.answerTimeout))
            guard let pid = Int32(String(decoding: answer, as: UTF8.self)), pid != 0, pid != Int32.min else {
                throw SystemError("forking from", program, code: EPROTO)
            }
            guard pid > 0 else { throw SystemError("forking from", program, code: -pid) }
            // Fails unless it is a child of this process, and no other program.
            try SystemError.check("adopting a process of", program) { setpgid(pid, pid) }
            return pid
        }
    }

    /// The file on disk that is not what the server has loaded; nil: none.
    public var changedFile: String? { files.changed }

    /// Calls back on the queue once the server is dead, ended or not. It keeps this object until then.
    public func watch(
        on queue: DispatchQueue, _ onDeath: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        try Readiness(of: pidfd.rawValue, on: queue) { death, _ in
            death.cancel()
            onDeath()
        } cancelled: { [self] in
            _ = pidfd.rawValue
        }
    }

    /// Kills the server, and what it forked that nobody took. Processes that were taken go on.
    public func end() {
        isEnded.withLock { isEnded in
            guard !isEnded else { return }
            isEnded = true
            ForkServer.end(pid)
        }
    }

    /// Kills and reaps the whole group of a server that is not yet reaped: so its number is no other's.
    private static func end(_ pid: Int32) {
        kill(-pid, SIGKILL)
        var answer: Int32 = 0
        repeat { answer = waitpid(-pid, nil, 0) } while answer > 0 || (answer == -1 && errno == EINTR)
    }

    private static func greeting(_ socket: Int32, _ program: String) throws(SystemError) -> LoadedFiles {
        let deadline = Deadline(after: startTimeout)
        var parts: [[UInt8]] = []
        while parts.count < 1024 {
            let message = try message(socket, program, until: deadline)
            if message.first == UInt8(ascii: "."), let files = LoadedFiles(parts) { return files }
            guard message.first == UInt8(ascii: "+") else { break }
            parts.append(Array(message.dropFirst()))
        }
        throw SystemError("starting", program, code: EPROTO)
    }

    /// The next message.
    private static func message(
        _ socket: Int32, _ program: String, until deadline: Deadline
    ) throws(SystemError) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: longestMessage)
        guard try SocketIO.wait(socket, until: deadline).contains(.readable) else {
            throw SystemError("waiting for", program, code: ETIMEDOUT)
        }
        guard
            case .bytes(let count, _) = try SocketIO.receive(
                socket, into: &buffer, descriptors: 0, waiting: false)
        else { throw SystemError("waiting for", program, code: EPIPE) }
        return Array(buffer[..<count])
    }
}
