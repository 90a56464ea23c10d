// RawStream: bytes from standard input and to standard output. It borrows the descriptors, and waits for them and for Ctrl-C at once.
//
// `unsafe` here: arrays lent to read(2) and write(2) for the length of a call.
internal import Glibc
internal import Media
internal import Platform
internal import TrimClient
internal import Wire

/// One of the standard streams.
struct RawStream {
    /// The descriptor, borrowed.
    let descriptor: Int32
    /// In errors, such as `standard input`.
    let name: String
    let interrupts: Interrupts

    /// The most bytes of one write: what a pipe holds.
    private static let most = 64 << 10

    /// Reads until there are so many bytes; fewer at the end of the stream.
    func read(_ count: Int) throws(MediaError) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: count)
        while bytes.count < count {
            try wait(writing: false)
            let raw = descriptor
            let wanted = count - bytes.count
            let got = try checked { () throws(SystemError) in
                try SystemError.check("reading", name) { unsafe Glibc.read(raw, &piece, wanted) }
            }
            if got == 0 { break }
            bytes += piece.prefix(got)
        }
        return bytes
    }

    /// Writes all bytes; false if the reader has gone.
    func write(_ bytes: [UInt8]) throws(MediaError) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            try wait(writing: true)
            let raw = descriptor
            let piece = rest.prefix(Self.most)
            let count = unsafe piece.withUnsafeBytes { unsafe Glibc.write(raw, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EPIPE {
                return false
            } else if errno != EAGAIN, errno != EINTR {
                throw MediaError(.inputOutput, "writing to \(name): \(SystemError.reason(errno))")
            }
        }
        return true
    }

    private func wait(writing: Bool) throws(MediaError) {
        let ready = try checked { () throws(SystemError) in
            try SocketIO.wait(
                descriptor, reading: !writing, writing: writing, interrupt: interrupts.descriptor)
        }
        guard ready.contains(.interrupted) else { return }
        interrupts.drain()
        throw DaemonError.interrupted
    }

    private func checked<Value>(_ body: () throws(SystemError) -> Value) throws(MediaError) -> Value {
        do throws(SystemError) { return try body() } catch {
            throw MediaError(.inputOutput, "\(error)")
        }
    }
}
