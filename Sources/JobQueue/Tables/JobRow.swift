// JobRow: the table's representation of a job. Requests, results and errors are JSON, so that a new field needs no new column.
// An invalid row is an error that names the job; no value is made up.
internal import Media
internal import Platform
internal import Text

extension Job {
    /// The columns that `init(row:)` reads, in order.
    static let columns = """
        id, "user", state, request, source_device, source_inode, source_size, source_modified, attempts, interruptions, \
        boot, worker_pid, worker_start, output_device, output_inode, output_name, result, error, created, started, ended, \
        priority, crashes, failures, due, source_boot, reserved, daemon, after_jobs, not_before, paused, unit_total, \
        unit_done, unit_kept, unit_progress, needs, source_digest
        """

    /// Reads a row of `columns`.
    init(row: Row) throws {
        let id = row.integer(0) ?? 0
        guard let user = row.integer(1).flatMap(UInt32.init(exactly:)),
            let state = row.text(2).flatMap(JobState.init(rawValue:)), let request = row.text(3)
        else { throw MediaError(.queueDamaged, "job \(id) of the queue cannot be read") }
        self.init(
            id: id, user: user, state: state,
            request: try KnownRows.requests.read(request, of: id),
            source: FileIdentity(
                device: UInt64(bitPattern: row.integer(4) ?? 0),
                inode: UInt64(bitPattern: row.integer(5) ?? 0),
                size: row.integer(6) ?? 0, modified: row.integer(7) ?? 0, boot: row.text(25),
                digest: row.text(36)),
            priority: Int(row.integer(21) ?? 0), attempts: Int(row.integer(8) ?? 0),
            interruptions: Int(row.integer(9) ?? 0), crashes: Int(row.integer(22) ?? 0),
            failures: Int(row.integer(23) ?? 0), created: Moment(milliseconds: row.integer(18) ?? 0))
        if let boot = row.text(10), let pid = row.integer(11).flatMap(Int32.init(exactly:)),
            let start = row.integer(12)
        {
            worker = ProcessIdentity(pid: pid, start: start, boot: boot)
        }
        if let device = row.integer(13), let inode = row.integer(14), let name = row.text(15) {
            // A share that several machines see has a device number of its own at each mount, within one boot too.
            publication = Publication(
                device: UInt64(bitPattern: device), inode: UInt64(bitPattern: inode), name: name,
                boot: source.digest == nil ? row.text(10) : nil)
        }
        result = try row.text(16).map { try KnownRows.results.read($0, of: id) }
        error = try row.text(17).map { try JSON.read(MediaError.self, $0, "error of job \(id)") }
        started = row.integer(19).map(Moment.init(milliseconds:))
        ended = row.integer(20).map(Moment.init(milliseconds:))
        due = row.integer(24).map(Moment.init(milliseconds:))
        nameKey = row.text(26)
        owner = row.text(27)
        after = (row.text(28) ?? "").split(separator: ",").compactMap { Int64($0) }
        notBefore = row.integer(29).map(Moment.init(milliseconds:))
        isPaused = row.integer(30) == 1
        if let total = row.integer(31) {
            units = UnitCounts(
                total: Int(total), done: Int(row.integer(32) ?? 0), kept: Int(row.integer(33) ?? 0))
        }
        progress = Double(row.integer(34) ?? 0) / 1e6
        needs = Needs(text: row.text(35) ?? "")
    }
}

/// JSON texts in columns.
enum JSON {
    /// Encodes a value, its keys sorted so that equal values give equal texts.
    static func text(_ value: some Encodable) throws -> String {
        String(decoding: try JSONValue(coding: value).encoded, as: UTF8.self)
    }

    /// Decodes a value; `what` names it in the error.
    static func read<Value: Decodable>(_: Value.Type, _ text: String, _ what: String) throws -> Value {
        do {
            return try JSONValue(parsing: Array(text.utf8), as: .stored).value(of: Value.self)
        } catch {
            throw MediaError(.queueDamaged, "the \(what) cannot be read from the queue: \(error)")
        }
    }
}
