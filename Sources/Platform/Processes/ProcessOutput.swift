// ProcessOutput: runs a program to its end and returns what it printed. It leaves no process behind. Any thread.
internal import CLinux
internal import Glibc

/// The output of a program.
public enum ProcessOutput {
    /// Runs a program without input and environment; its standard output and error, together.
    /// - Parameters:
    ///   - milliseconds: the timeout.
    ///   - most: so many bytes at most.
    /// - Throws: ETIMEDOUT or EMSGSIZE. Its process group is killed in any case.
    public static func read(
        _ program: String, _ words: [String], within milliseconds: Int64, most: Int
    ) throws(SystemError) -> [UInt8] {
        var pipe = try Descriptor.pipe()
        guard let reading = pipe.takeFirst(), let writing = pipe.takeSecond() else {
            throw SystemError("starting", program, code: EBADF)
        }
        let pid = try Spawn(program, words, log: .descriptor(writing.rawValue)).start()
        _ = consume writing
        defer {
            Glibc.kill(-pid, SIGKILL)
            Kernel.await(pid)
        }
        let end = trim_monotonic_ns() / 1_000_000 + milliseconds
        var text: [UInt8] = []
        while true {
            let left = end - trim_monotonic_ns() / 1_000_000
            guard left > 0, trim_poll(reading.rawValue, 1, 0, -1, Int32(clamping: left)) > 0 else {
                throw SystemError("waiting for", program, code: ETIMEDOUT)
            }
            let bytes = try Kernel.read(reading, 64 << 10)
            if bytes.isEmpty { return text }
            text += bytes
            guard text.count <= most else { throw SystemError("reading from", program, code: EMSGSIZE) }
        }
    }
}
