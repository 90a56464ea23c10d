// Bytes and descriptors through a socket: sendmsg, recvmsg and poll, with names for "not now" and "at the end". It borrows the
// socket and owns received descriptors until it returns them. Any thread; it has no state and knows nothing of lines or
// messages. Signals: never SIGPIPE.
internal import CLinux
internal import Glibc

/// Sends and receives on a connected socket.
public enum SocketIO {
    /// The result of a read.
    public enum Reading {
        /// Bytes in the buffer, and the descriptors received with them.
        case bytes(Int, Descriptors?)
        /// No data yet.
        case notNow
        /// End of the stream.
        case end
    }

    /// The result of a send.
    public enum Sent: Equatable {
        /// The number of bytes sent (with all the descriptors).
        case bytes(Int)
        /// No buffer space yet.
        case notNow
        /// The peer has closed the connection.
        case broken
    }

    /// The most descriptors per message.
    public static let descriptorLimit = Int(trim_fds_max)

    /// Receives into a buffer. Surplus descriptors are closed; the others are close-on-exec.
    public static func receive(
        _ socket: Int32, into buffer: inout [UInt8], descriptors limit: Int, waiting: Bool
    ) throws(SystemError) -> Reading {
        var raw = [Int32](repeating: -1, count: min(limit, descriptorLimit))
        var count = 0
        var lost: Int32 = 0
        let flags = waiting ? 0 : trim_MSG_DONTWAIT
        var answer: Int64 = 0
        repeat {
            answer = unsafe trim_recvmsg_fds(
                socket, &buffer, buffer.count, &raw, raw.count, &count, &lost, flags)
        } while answer == -1 && errno == EINTR
        let code = errno
        let received: Descriptors? =
            count > 0 || lost != 0
            ? Descriptors(adopting: Array(raw.prefix(count)), truncated: lost != 0) : nil
        switch answer {
        case 0: return .end
        case -1 where code == EAGAIN: return .notNow
        case -1 where code == ECONNRESET: return .end
        case -1: throw SystemError("reading from", "the socket", code: code)
        default: return .bytes(Int(answer), received)
        }
    }

    /// Sends as many bytes from an offset on as the socket accepts; descriptors go with the first of them.
    public static func send(
        _ socket: Int32, _ bytes: [UInt8], from offset: Int, descriptors: [Int32], waiting: Bool
    ) throws(SystemError) -> Sent {
        let flags = waiting ? 0 : trim_MSG_DONTWAIT
        var answer: Int64 = 0
        repeat {
            answer = unsafe bytes.withUnsafeBytes { all in
                let part = unsafe UnsafeRawBufferPointer(rebasing: all[offset...])
                return unsafe trim_sendmsg_fds(
                    socket, part.baseAddress, part.count, descriptors, descriptors.count, flags)
            }
        } while answer == -1 && errno == EINTR
        let code = errno
        switch answer {
        case -1 where code == EAGAIN: return .notNow
        case -1 where code == EPIPE || code == ECONNRESET: return .broken
        case -1: throw SystemError("writing to", "the socket", code: code)
        default: return .bytes(Int(answer))
        }
    }

    /// Sleeps.
    public static func pause(milliseconds: Int32) {
        _ = trim_poll(-1, 0, 0, -1, milliseconds)
    }

    /// Whether the connection is closed in both directions.
    public static func isHungUp(_ socket: Int32) -> Bool {
        trim_poll(socket, 0, 0, -1, 0) & 1 != 0
    }

    /// The result of a wait.
    public struct WaitResult: OptionSet, Sendable {
        /// The bits of `trim_poll`.
        public let rawValue: Int32
        /// Data to read, or the end.
        public static let readable = WaitResult(rawValue: 1)
        /// Space to write, or a closed peer.
        public static let writable = WaitResult(rawValue: 2)
        /// The other descriptor is readable.
        public static let interrupted = WaitResult(rawValue: 4)

        /// A set from its bits.
        public init(rawValue: Int32) { self.rawValue = rawValue }
    }

    /// Waits until the socket is ready, the other descriptor is readable, or the deadline has passed (then empty).
    public static func wait(
        _ socket: Int32, reading: Bool = true, writing: Bool = false, interrupt: Int32? = nil,
        until deadline: Deadline = .never
    ) throws(SystemError) -> WaitResult {
        while true {
            let answer = trim_poll(
                socket, reading ? 1 : 0, writing ? 1 : 0, interrupt ?? -1, deadline.milliseconds)
            if answer > 0 { return WaitResult(rawValue: answer) }
            if answer == -1 && errno != EINTR { throw SystemError("waiting for", "the socket", code: errno) }
            if deadline.hasPassed { return [] }
        }
    }
}
