// Journal: lines to systemd's journal with fields of their own, so that `journalctl JOB=7` shows a job's. Used only
// where stderr is the journal's; else nothing here is called. Any thread; it keeps nothing.
//
// `unsafe` here: fstat fills in a struct, sd_journal_sendv borrows the fields' bytes for the call.
internal import CSystemd
internal import Glibc

/// The journal.
enum Journal {
    /// Whether what a process writes to stderr is read by the journal: the variable names the stream's device and
    /// inode, and is inherited by processes whose stderr is something else.
    static func isStderr(_ variable: String?) -> Bool {
        var status = stat()
        guard let variable, unsafe fstat(2, &status) == 0 else { return false }
        return variable == "\(status.st_dev):\(status.st_ino)"
    }

    /// Sends an entry; false where nobody took it.
    static func send(_ fields: [String]) -> Bool {
        var bytes = fields.flatMap { Array($0.utf8) }
        return unsafe bytes.withUnsafeMutableBytes { all in
            var place = 0
            var parts: [iovec] = unsafe []
            for field in fields {
                let length = field.utf8.count
                unsafe parts.append(
                    iovec(iov_base: all.baseAddress.map { unsafe $0 + place }, iov_len: length))
                place += length
            }
            return unsafe sd_journal_sendv(parts, Int32(parts.count)) >= 0
        }
    }
}
