// DatabaseFiles: whether the paths of an open database still name its files. SQLite keeps using files that were removed or
// replaced, and writes to them are lost when they are closed. It opens nothing: closing a descriptor of these files would drop
// SQLite's locks (fcntl). SQLite keeps them open, so that their inode numbers are not reused. Used on the queue of the
// connection.
//
// `unsafe` here: stat fills a struct, gone when the call returns.
internal import Glibc
internal import Media
internal import Text

/// The files of an open database, by device and inode number.
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

    /// The database and its WAL. The WAL is included from the first check that finds it.
    init(_ file: String) {
        paths = [file, file + "-wal"]
        for path in paths { known[path] = Identity(path) }
    }

    /// Forgets the WAL, which may have been recreated when the database was reopened.
    mutating func forgetLog() { known[paths[1]] = nil }

    /// The first file whose path no longer names it; nil if there is none. Costs two stat(2) calls.
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
