// Notices that the server sends by itself to a connection that listens.
//
// `unsafe` here: libpq's notifications, copied and freed at once.
internal import CPostgres
internal import Glibc

extension PostgresConnection {
    /// Waits for notifications, for so many milliseconds at most; their texts. Throws if the connection broke.
    func notifications(within milliseconds: Int32) throws(PostgresError) -> [String] {
        try check()
        var texts = taken
        guard texts.isEmpty else { return texts }
        var descriptor = unsafe pollfd(
            fd: library.functions.PQsocket(handle), events: Int16(POLLIN), revents: 0)
        let count = unsafe poll(&descriptor, 1, milliseconds)
        guard count >= 0 || errno == EINTR else { throw lose("waiting", "poll: error \(errno)") }
        guard unsafe library.functions.PQconsumeInput(handle) == 1 else { throw lose("waiting") }
        texts = taken
        return texts
    }

    /// The texts of the notifications that have been read.
    private var taken: [String] {
        var texts: [String] = []
        while let notice = unsafe library.functions.PQnotifies(handle) {
            if let text = unsafe notice.pointee.extra { texts.append(unsafe String(cString: text)) }
            unsafe library.functions.PQfreemem(notice)
        }
        return texts
    }
}
