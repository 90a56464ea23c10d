// JobLogs: one text log per job in the state directory, one line per event; where several daemons share a queue, in that instead. Each
// line is one append, so that any queue may write. A failed write never fails its job. It reads logs from their ends.
internal import Glibc
internal import JobQueue
internal import Media
internal import Platform
internal import Wire

/// The logs of all jobs.
struct JobLogs: Sendable {
    /// The folder of the logs.
    let folder: String
    /// The logs of all nodes; nil: this daemon has the queue for itself.
    var shared: SharedLogs?
    /// A log of this size takes no more lines: a worker must not fill the disk.
    static let mostBytes: Int64 = 8 << 20

    /// The path of a job's log.
    func path(_ job: Int64) -> String { "\(folder)/\(job).log" }

    /// Appends a line with a timestamp.
    func write(_ job: Int64, _ line: String) {
        if let shared { return shared.write(job, line) }
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW
        guard let file = try? Descriptor(opening: path(job), flags, mode: 0o600),
            let size = try? FileStatus(of: file, "the log").identity.size, size < JobLogs.mostBytes
        else { return }
        Kernel.write("\(Moment.now) \(Log.printable(line))\n", to: file.rawValue)
    }

    /// The jobs that have a log, in order.
    var jobs: [Int64] { numbers(".log").sorted() }

    /// The highest job ID that has or had a log; 0 if none.
    var lastJob: Int64 { max(numbers(".log").max() ?? 0, numbers(JobLogs.mark).max() ?? 0) }

    /// The extension of the empty file that keeps the highest ID after its log is removed.
    private static let mark = ".last"

    private func numbers(_ ending: String) -> [Int64] {
        Kernel.names(in: folder).compactMap { $0.hasSuffix(ending) ? Int64($0.dropLast(ending.count)) : nil }
    }

    /// Removes the logs of deleted jobs. The highest ID stays recorded: it is never reused, even if the database is lost.
    func remove(_ jobs: [Int64]) {
        if let highest = numbers(".log").max(), jobs.contains(highest) {
            _ = try? Descriptor(
                opening: "\(folder)/\(highest)\(JobLogs.mark)", O_WRONLY | O_CREAT | O_NOFOLLOW, mode: 0o600)
            for old in numbers(JobLogs.mark) where old < highest {
                try? Kernel.remove("\(folder)/\(old)\(JobLogs.mark)")
            }
        }
        for job in jobs { try? Kernel.remove(path(job)) }
    }

    /// At most `limit` bytes of a job's log, in whole lines: those after its first `offset` bytes, or its last; none if there is
    /// no log.
    func read(
        _ job: Int64, from offset: Int64? = nil, limit: Int = 512 << 10
    ) throws(MediaError) -> LogResult {
        if let shared { return try shared.read(job, from: offset, limit: limit) }
        let path = path(job)
        guard Kernel.mayAccess(path, F_OK) else { return LogResult(text: "", next: 0) }
        let file = try forUser(path) { () throws(SystemError) in
            try Descriptor(opening: path, O_RDONLY | O_NOFOLLOW)
        }
        let size = try forUser(path) { () throws(SystemError) in try FileStatus(of: file, path).identity.size
        }
        let start = offset.map { min($0, size) } ?? max(0, size - Int64(limit))
        let bytes = try forUser(path) { () throws(SystemError) in
            try Kernel.read(file, min(limit, Int(size - start)), at: start)
        }
        let newline = UInt8(ascii: "\n")
        // A line that is just being written is complete the next time.
        let end = bytes.lastIndex(of: newline).map { $0 + 1 } ?? 0
        var text = bytes[..<end]
        if offset == nil, start > 0, let first = text.firstIndex(of: newline) { text = text[(first + 1)...] }
        return LogResult(text: String(decoding: text, as: UTF8.self), next: start + Int64(end))
    }
}
