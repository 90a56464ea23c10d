// The socket of the page: on this machine's own address, or a Unix socket for a reverse proxy. The caller owns it.
internal import CLinux
internal import Glibc
internal import Media
internal import Platform
internal import Wire

/// Listening sockets.
enum PageListener {
    /// Listens on 127.0.0.1, at a port of the caller's choice if that is free, so that a page keeps its address and what the
    /// browser keeps for it; else at any.
    static func local(preferring port: UInt16) throws(MediaError) -> (socket: Int32, port: UInt16) {
        for wanted in [port, 0] {
            let raw = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            guard raw >= 0 else { break }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = wanted.bigEndian
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isBound = unsafe withUnsafeMutablePointer(to: &address) {
                unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe bind(raw, $0, length) == 0 && listen(raw, 64) == 0
                        && getsockname(raw, $0, &length) == 0
                }
            }
            if isBound { return (raw, UInt16(bigEndian: address.sin_port)) }
            close(raw)
        }
        throw MediaError(
            .inputOutput, "listening on 127.0.0.1: \(SystemError.reason(errno))",
            remedy: "use a Unix socket: --listen PATH")
    }

    /// Listens on a Unix socket that the user and the group may connect to.
    static func unix(_ path: String) throws(MediaError) -> Int32 {
        do throws(WireError) {
            return try UnixSocket.listen(at: path, mode: 0o660).release()
        } catch { throw MediaError(.inputOutput, "listening on \(path): \(error)") }
    }
}
