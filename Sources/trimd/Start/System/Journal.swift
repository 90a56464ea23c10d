// Journal: writes entries to systemd's journal with extra fields, so that `journalctl JOB=7` shows a job's entries. Used only
// if stderr is connected to the journal. Any thread; no state.
//
// `unsafe` here: fstat fills a struct, sd_journal_sendv borrows the fields' bytes for the call.
internal import CLinux
internal import CSystemd
internal import Glibc

/// Writes to the journal.
enum Journal {
    /// Whether stderr is connected to the journal: the variable holds the stream's device and inode, and is inherited even by
    /// processes whose stderr is redirected.
    static func isStderr(_ variable: String?) -> Bool {
        var status = stat()
        guard let variable, unsafe fstat(2, &status) == 0 else { return false }
        return variable == "\(status.st_dev):\(status.st_ino)"
    }

    /// Sends an entry; false if the journal does not accept it.
    static func send(_ fields: [String]) -> Bool {
        var bytes = fields.flatMap { Array($0.utf8) }
        return unsafe bytes.withUnsafeMutableBytes { all in
            var offset = 0
            var parts: [iovec] = unsafe []
            for field in fields {
                let length = field.utf8.count
                unsafe parts.append(
                    iovec(iov_base: all.baseAddress.map { unsafe $0 + offset }, iov_len: length))
                offset += length
            }
            return unsafe sd_journal_sendv(parts, Int32(parts.count)) >= 0
        }
    }
}
