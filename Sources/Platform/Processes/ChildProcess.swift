// ChildProcess: a child whose standard input closes with this process, and which is reaped. Its owner must call `end`. One
// thread.
internal import Glibc

/// A child process.
public final class ChildProcess {
    /// Its process ID and process group ID.
    public let pid: Int32
    private var isReaped = false
    /// The other end of the child's standard input, which closes with this process.
    private let lifeline: Descriptor

    /// Starts a program; its standard input is empty and closes with this process.
    public init(_ spawn: Spawn) throws(SystemError) {
        var spawn = spawn
        let theirs: Descriptor
        do throws(SystemError) {
            var pipe = try Descriptor.pipe()
            guard let reading = pipe.takeFirst(), let writing = pipe.takeSecond() else {
                throw SystemError("making", "a pipe", code: EBADF)
            }
            theirs = reading
            lifeline = writing
        } catch {
            throw SystemError("starting", spawn.program, code: error.code)
        }
        spawn.input = .descriptor(theirs.rawValue)
        pid = try spawn.start()
        _ = consume theirs
    }

    /// Whether it still runs.
    public var isRunning: Bool {
        guard !isReaped else { return false }
        isReaped = Kernel.reap(pid) != nil
        return !isReaped
    }

    /// Asks it to exit, waits for up to `seconds`, then kills its process group.
    public func end(within seconds: Double) {
        guard isRunning else { return }
        _ = kill(pid, SIGTERM)
        let deadline = Deadline(after: .seconds(seconds))
        while isRunning {
            if deadline.hasPassed { _ = kill(-pid, SIGKILL) }
            SocketIO.pause(milliseconds: 2)
        }
    }
}
