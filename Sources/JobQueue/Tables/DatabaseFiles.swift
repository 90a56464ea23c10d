// DatabaseFiles: whether the files of an open database are still those that their paths lead to. SQLite goes on with files
// that were removed or replaced, and what it is told then is lost when they are closed. It opens nothing: to close a
// descriptor of these files would drop SQLite's locks (fcntl). SQLite holds them open, so that their numbers are not given
// again. Lives on the queue of the connection.
//
// `unsafe` here: stat fills in a struct, gone when the call returns.
internal import Glibc
internal import Media

/// The files of an open database, by their numbers.
struct DatabaseFiles {
    private struct Identity: Hashable {
        let device: dev_t
        let inode: ino_t

        init?(_ path: String) {
            var status = stat()
            guard unsafe stat(path.nameBytes, &status) == 0 else { return nil }
            (device, inode) = (status.st_dev, status.st_ino)
        }
    }

    private let paths: [String]
    private var known: [String: Identity] = [:]

    /// The database's file and its write-ahead log. The log is there from the first look on at which something was written.
    init(_ file: String) {
        paths = [file, file + "-wal"]
        for path in paths { known[path] = Identity(path) }
    }

    /// The log may have been made anew, with the database opened again.
    mutating func forgetLog() { known[paths[1]] = nil }

    /// The first file that its path does not lead to any more; nil where all is well. Costs two calls of stat(2).
    mutating func missing() -> String? {
        for path in paths {
            let now = Identity(path)
            guard let then = known[path] else {
                known[path] = now
                continue
            }
            if now != then { return path }
        }
        return nil
    }
}
