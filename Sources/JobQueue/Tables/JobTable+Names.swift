// Which output name is reserved for which unfinished job. On the queue of the connection.
internal import Media

extension JobTable {

    /// The reserved key of an accepted job, and the number of its name.
    struct Kept {
        var key: String?
        var number: Int?
    }

    /// Finds the name for a user's job; `own` is the job's ID, if it has one already.
    func keep(
        _ name: OutputName?, for user: UInt32, but own: Int64 = 0
    ) throws -> Kept {
        switch name {
        case nil: return Kept()
        case .named(let folder, let name, let replaces):
            let key = OutputName.key(paths.stored(folder), name)
            if !replaces { try checkFree(key, for: user, but: own) }
            return Kept(key: key)
        case .numbered(let folder, let stem, let free, let fileTypes):
            for number in free {
                let key = OutputName.key(paths.stored(folder), stem, number)
                guard try holder(of: [key] + fileTypes.map { key + $0 }, but: own) == nil else {
                    continue
                }
                return Kept(key: key, number: number > 1 ? number : nil)
            }
            throw MediaError(
                .fileAlreadyExists,
                "unfinished jobs have all the names \(OutputName.key(folder, stem))-NUMBER",
                remedy: "name the output")
        }
    }

    /// Throws if another unfinished job has reserved this name.
    func checkFree(_ key: String, for job: Job) throws {
        try checkFree(key, for: job.user, but: job.id)
    }

    func checkFree(
        _ key: String, for user: UInt32, but own: Int64
    ) throws {
        let stem = key.lastIndex(of: ".").map { String(key[...$0]) }
        guard let other = try holder(of: [key] + (stem.map { [$0] } ?? []), but: own) else {
            return
        }
        // Another user's job ID is not revealed.
        guard other.user == user else {
            throw MediaError(
                .fileAlreadyExists, "the output \(paths.local(key)) is being made by another user's job",
                remedy: "name another one, or give --overwrite")
        }
        throw MediaError(
            .fileAlreadyExists,
            "the output \(paths.local(key)) is being made by job \(other.id), which has not ended",
            remedy: "name another one, cancel job \(other.id), or give --overwrite")
    }

    /// The unfinished job that has reserved one of some names, and its user.
    func holder(
        of keys: [String], but own: Int64
    ) throws -> (id: Int64, user: UInt32)? {
        if let stem = keys.first(where: { $0.last == "." }) ?? keys.first { try lockName(stem) }
        for key in keys {
            let rows = try database.rows(
                "SELECT id, \"user\" FROM jobs WHERE reserved = ? AND ended IS NULL AND id <> ? LIMIT 1",
                [.text(key), .integer(own)])
            if let row = rows.first, let id = row.integer(0) {
                return (id, UInt32(truncatingIfNeeded: row.integer(1) ?? 0))
            }
        }
        return nil
    }

    /// Keeps others from taking a name, numbered or not, until the end of the change; nothing where it is the only one.
    private func lockName(_ stem: String) throws {
        guard isChange, database.dialect == .postgres else { return }
        _ = try database.rows(
            "SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ?, 0))", [.text(stem)])
    }
}
