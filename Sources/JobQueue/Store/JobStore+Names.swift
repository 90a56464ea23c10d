// JobStore's names: which output's name belongs to which unfinished job. A name is kept in the transaction that accepts its
// job and is free again when the job has ended, so that of jobs that wait each shows the name that it will get.
public import Media

extension JobStore {
    /// The numbers behind a stem that unfinished jobs have, 1 for the stem alone.
    public func takenNumbers(_ folder: String, _ stem: String) throws(MediaError) -> Set<Int> {
        try read { database in
            let prefix = OutputName.key(folder, stem)
            let rows = try Statement(
                database,
                "SELECT reserved FROM jobs WHERE ended IS NULL AND reserved >= ? AND reserved < ?",
                [.text(prefix), .text(prefix + "/")])
            var numbers: Set<Int> = []
            while try rows.step() {
                guard let key = rows.text(0) else { continue }
                let rest = key.dropFirst(prefix.count).prefix { $0 != "." }
                if rest.isEmpty { numbers.insert(1) }
                if rest.first == "-", let number = Int(rest.dropFirst()) { numbers.insert(number) }
            }
            return numbers
        }
    }

    // MARK: on the store's queue

    /// What is kept for a job that is accepted, and the number that its name got.
    struct Kept {
        var key: String?
        var number: Int?
    }

    /// Finds the name for a user's job; `own` is the job, where it has a number already.
    static func keep(
        _ name: OutputName?, for user: UInt32, but own: Int64 = 0, in database: Database
    ) throws -> Kept {
        switch name {
        case nil: return Kept()
        case .named(let folder, let name, let replaces):
            let key = OutputName.key(folder, name)
            if !replaces { try checkFree(key, for: user, but: own, in: database) }
            return Kept(key: key)
        case .numbered(let folder, let stem, let free, let fileTypes):
            for number in free {
                let key = OutputName.key(folder, stem, number)
                guard try holder(of: [key] + fileTypes.map { key + $0 }, but: own, in: database) == nil else {
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

    /// Throws where another unfinished job is to make an output of this name.
    static func checkFree(_ key: String, for job: Job, in database: Database) throws {
        try checkFree(key, for: job.user, but: job.id, in: database)
    }

    private static func checkFree(
        _ key: String, for user: UInt32, but own: Int64, in database: Database
    ) throws {
        let stem = key.lastIndex(of: ".").map { String(key[...$0]) }
        guard let other = try holder(of: [key] + (stem.map { [$0] } ?? []), but: own, in: database) else {
            return
        }
        // Of somebody else's job not even the number is told.
        guard other.user == user else {
            throw MediaError(
                .fileAlreadyExists, "the output \(key) is being made by another user's job",
                remedy: "name another one, or give --overwrite")
        }
        throw MediaError(
            .fileAlreadyExists, "the output \(key) is being made by job \(other.id), which has not ended",
            remedy: "name another one, cancel job \(other.id), or give --overwrite")
    }

    /// The unfinished job that has one of some names, and whose it is.
    private static func holder(
        of keys: [String], but own: Int64, in database: Database
    ) throws -> (id: Int64, user: UInt32)? {
        for key in keys {
            let row = try Statement(
                database,
                "SELECT id, user FROM jobs WHERE reserved = ? AND ended IS NULL AND id <> ? LIMIT 1",
                [.text(key), .integer(own)])
            if try row.step(), let id = row.integer(0) {
                return (id, UInt32(truncatingIfNeeded: row.integer(1) ?? 0))
            }
        }
        return nil
    }
}

extension Job {
    /// The folder of its output, as its name is kept.
    var nameFolder: String {
        guard let nameKey, let slash = nameKey.lastSlash else { return request.output.folder }
        return slash == nameKey.startIndex ? "/" : String(nameKey[..<slash])
    }

    /// The name it is to have where it is tried again: its old number first. What lies on the disk shows when the output gets
    /// its name.
    var nameAgain: OutputName {
        let output = request.output
        if let name = output.name {
            return .named(folder: nameFolder, name: name, replaces: output.replaces)
        }
        return .numbered(
            folder: nameFolder, stem: output.stem, free: [output.number ?? 1] + Array(1...999),
            fileTypes: request.preset.allFileTypes)
    }
}

extension OutputTarget {
    /// Whatever has its name is replaced.
    var replaces: Bool { overwrite && name != nil }
}
