// Bytes and descriptors through a socket: sendmsg, recvmsg and poll, with names for "not now" and "at the end".
// It borrows the socket and owns the descriptors it received until it hands them over. Any thread; it keeps no state,
// and knows nothing of lines or messages. Signals: never SIGPIPE.
internal import CLinux
internal import Glibc

/// Sending and receiving on a connected socket.
enum SocketIO {
    /// What one reading gave.
    enum Reading {
        /// Bytes in the buffer, and the descriptors that came with them.
        case bytes(Int, Descriptors?)
        /// Nothing yet.
        case notNow
        /// The peer sends no more.
        case end
    }

    /// What one writing did.
    enum GroupCommit: Equatable {
        /// So many bytes were taken (and all the descriptors).
        case bytes(Int)
        /// There is no room yet.
        case notNow
        /// Nobody reads at the other end.
        case broken
    }

    /// The most descriptors one message carries.
    static let descriptorLimit = Int(trim_fds_max)

    /// Receives into a buffer. Surplus descriptors are closed; those kept close on exec.
    static func receive(
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

    /// Sends what the socket takes of the bytes from an offset on; descriptors go with the first of them.
    static func send(
        _ socket: Int32, _ bytes: [UInt8], from offset: Int, descriptors: [Int32], waiting: Bool
    ) throws(SystemError) -> GroupCommit {
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

    /// Waits.
    static func pause(milliseconds: Int32) {
        _ = trim_poll(-1, 0, 0, -1, milliseconds)
    }

    /// Whether the other end is gone in both directions.
    static func isHungUp(_ socket: Int32) -> Bool {
        trim_poll(socket, 0, 0, -1, 0) & 1 != 0
    }

    /// What a wait ended with.
    struct Readiness: OptionSet {
        let rawValue: Int32
        static let readable = Readiness(rawValue: 1)
        static let writable = Readiness(rawValue: 2)
        static let interrupted = Readiness(rawValue: 4)
    }

    /// Waits until the socket is ready, the other descriptor is readable, or the deadline has passed (then nothing).
    static func wait(
        _ socket: Int32, reading: Bool = true, writing: Bool = false, interrupt: Int32? = nil,
        until deadline: Deadline = .never
    ) throws(SystemError) -> Readiness {
        while true {
            let answer = trim_poll(
                socket, reading ? 1 : 0, writing ? 1 : 0, interrupt ?? -1, deadline.milliseconds)
            if answer > 0 { return Readiness(rawValue: answer) }
            if answer == -1 && errno != EINTR { throw SystemError("waiting for", "the socket", code: errno) }
            if deadline.hasPassed { return [] }
        }
    }
}

/// A moment of the monotonic clock by which something must have happened.
enum Deadline {
    case never
    case at(nanoseconds: Int64)

    /// So long from now; never, where there is no limit.
    init(after duration: Duration?) {
        guard let duration else {
            self = .never
            return
        }
        let parts = duration.components
        let seconds = min(max(parts.seconds, 0), 1_000_000_000)
        self = .at(
            nanoseconds: trim_monotonic_ns() + seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000)
    }

    /// Whether it is over.
    var hasPassed: Bool {
        guard case .at(let moment) = self else { return false }
        return trim_monotonic_ns() >= moment
    }

    /// For poll: rounded up, at most an hour, -1 for ever.
    var milliseconds: Int32 {
        guard case .at(let moment) = self else { return -1 }
        let left = max(moment - trim_monotonic_ns(), 0)
        return Int32(min((left + 999_999) / 1_000_000, 3_600_000))
    }
}
