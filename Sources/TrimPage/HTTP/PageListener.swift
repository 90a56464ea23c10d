// The socket of the page: on this machine's own address, or a Unix socket for a reverse proxy. The caller owns it.
internal import CLinux
internal import Glibc
internal import Media
internal import Platform
internal import Wire

/// Listening sockets.
enum PageListener {
    /// Listens at an address of the caller's choice if that is free, else at another.
    static func local(preferring address: PageAddress?) throws(MediaError) -> (
        socket: Int32, address: PageAddress
    ) {
        for wanted in ([address] + (0..<8).map { _ in .random() }).compactMap(\.self) {
            let raw = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            guard raw >= 0 else { break }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = wanted.port.bigEndian
            address.sin_addr.s_addr = wanted.raw.bigEndian
            let length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isBound = unsafe withUnsafeMutablePointer(to: &address) {
                unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe bind(raw, $0, length) == 0 && listen(raw, 256) == 0
                }
            }
            if isBound { return (raw, wanted) }
            close(raw)
        }
        throw MediaError(
            .inputOutput, "listen on an address of 127.0.0.0/8: \(SystemError.reason(errno))",
            remedy: "use a Unix socket: --listen PATH")
    }

    /// Listens on a Unix socket that the user and the group may connect to.
    static func unix(_ path: String) throws(MediaError) -> Int32 {
        do throws(WireError) {
            return try UnixSocket.listen(at: path, mode: 0o660).release()
        } catch { throw MediaError(.inputOutput, "listening on \(path): \(error)") }
    }
}
