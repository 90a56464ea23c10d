// UnfinishedFiles: records the paths of the temporary files of running attempts, outside the queue, so that a daemon that has
// lost the queue can remove them. A record is a symbolic link: one call creates it atomically, without a sync. If a power loss
// drops a record, only a temporary file remains. Any queue.
internal import Glibc
internal import JobQueue
internal import Media
internal import Platform
internal import Wire

/// Records of temporary files, in a folder of the state directory.
struct UnfinishedFiles: Sendable {
    /// The folder of the records.
    let folder: String

    /// Records the temporary file of an attempt, before it is created. A failure does not stop the job.
    func add(_ job: Job) { add(job.request.output, job: job.id, attempt: job.attempts) }

    /// Records the temporary file of a target, by the numbers that form its name.
    func add(_ target: OutputTarget, job: Int64, attempt: Int) {
        let name = FileName.temporary(for: target.name ?? target.stem, job: job, attempt: attempt)
        try? Kernel.note("\(target.folder)/\(name)", at: note(job, attempt))
    }

    /// Removes the record of an attempt whose temporary file is gone.
    func remove(_ job: Job) { remove(job: job.id, attempt: job.attempts) }

    /// Removes the record of these numbers.
    func remove(job: Int64, attempt: Int) { try? Kernel.remove(note(job, attempt)) }

    /// Records that a job has files of units, before the first is created.
    func addUnits(of job: Job) {
        let target = job.request.output
        let start = FileName.unitStart(for: target.name ?? target.stem, job: job.id)
        try? Kernel.note("\(target.folder)/\(start)", at: unitNote(job.id))
    }

    /// Removes all files of a job's units, and their record. Logs those that cannot be removed; then the record stays.
    func removeUnits(of job: Job, _ log: Log) {
        do throws(MediaError) {
            try UnitFolder(of: job).removeAll()
        } catch {
            guard error.code == .fileNotFound || error.code == .notAFolder else {
                return log.warning("job \(job.id): files of its units stay: \(error)")
            }
        }
        try? Kernel.remove(unitNote(job.id))
    }

    /// Removes the record that a job has files of units: others care for them.
    func forgetUnits(of job: Int64) { try? Kernel.remove(unitNote(job)) }

    /// The highest job ID with a record; 0 if there is none.
    var lastJob: Int64 {
        Kernel.names(in: folder).compactMap { $0.split(separator: "-").first.flatMap { Int64($0) } }.max()
            ?? 0
    }

    /// Removes the recorded files and the records, before any attempt runs; but for the files of units of a job that `goesOn`.
    /// Logs the files that cannot be removed, and keeps their records. Those of attempts that are `isElsewhere`, on another node, stay.
    func sweep(
        _ log: Log, unless goesOn: (Int64) -> Bool = { _ in false },
        isElsewhere: (Int64, Int) -> Bool = { _, _ in false }
    ) {
        for note in Kernel.names(in: folder) {
            let path = folder + "/" + note
            let words = note.split(separator: "-")
            let isOfUnits = words.last == "u"
            guard let file = Kernel.noted(at: path), let (parent, name) = FileName.split(file),
                // Only names of this form are removed, whoever wrote the record.
                name.hasPrefix("."), name.hasSuffix(".trimd-\(note)" + (isOfUnits ? "" : ".part"))
            else { continue }
            if let job = words.first.flatMap({ Int64($0) }) {
                if isOfUnits, goesOn(job) { continue }
                if let attempt = words.last.flatMap({ Int($0) }), isElsewhere(job, attempt) { continue }
            }
            do throws(MediaError) {
                let folder = try OutputFolder(opening: parent)
                if isOfUnits {
                    try UnitFolder.remove(beginning: name, in: folder)
                } else {
                    try forUser(file) { () throws(SystemError) in try folder.remove(name) }
                }
            } catch {
                // If the folder is gone, so is the file.
                guard error.code == .fileNotFound || error.code == .notAFolder else {
                    log.warning("a temporary file stays: \(error)")
                    continue
                }
            }
            try? Kernel.remove(path)
        }
    }

    private func unitNote(_ job: Int64) -> String { "\(folder)/\(job)-u" }

    private func note(_ job: Int64, _ attempt: Int) -> String { "\(folder)/\(job)-\(attempt)" }
}
