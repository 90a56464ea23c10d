// UnfinishedFiles: records the paths of the temporary files of running attempts, outside the queue, so that a daemon that has
// lost the queue can remove them. Nothing is synced: if a power loss drops a record, only a temporary file remains. Earlier versions
// made a symbolic link of each record. Any queue.
internal import JobQueue
internal import Media
internal import Platform
internal import Synchronization
internal import Wire

/// Records of temporary files, in a folder of the state directory.
final class UnfinishedFiles: Sendable {
    /// The folder of the records.
    let folder: String
    private let records: Mutex<UnfinishedRecords>

    /// Opens the records of a folder.
    init(folder: String) throws(SystemError) {
        self.folder = folder
        records = Mutex(try UnfinishedRecords(folder + "/list"))
    }

    /// Records the temporary file of an attempt, before it is created. A failure does not stop the job.
    func add(_ job: Job) { add(job.request.output, job: job.id, attempt: job.attempts) }

    /// Records the temporary file of a target, by the numbers that form its name.
    func add(_ target: OutputTarget, job: Int64, attempt: Int) {
        let name = FileName.temporary(for: target.name ?? target.stem, job: job, attempt: attempt)
        _ = records.withLock { $0.add("\(job)-\(attempt)", "\(target.folder)/\(name)") }
    }

    /// Removes the record of an attempt whose temporary file is gone.
    func remove(_ job: Job) { remove(job: job.id, attempt: job.attempts) }

    /// Removes the record of these numbers.
    func remove(job: Int64, attempt: Int) { records.withLock { $0.remove("\(job)-\(attempt)") } }

    /// Records that a job has files of units, before the first is created.
    func addUnits(of job: Job) {
        let target = job.request.output
        let start = FileName.unitStart(for: target.name ?? target.stem, job: job.id)
        _ = records.withLock { $0.add("\(job.id)-u", "\(target.folder)/\(start)") }
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
        forgetUnits(of: job.id)
    }

    /// Removes the record that a job has files of units: others care for them.
    func forgetUnits(of job: Int64) { records.withLock { $0.remove("\(job)-u") } }

    /// The highest job ID with a record; 0 if there is none.
    var lastJob: Int64 {
        let keys = records.withLock { Array($0.paths.keys) } + Kernel.names(in: folder)
        return keys.compactMap { $0.split(separator: "-").first.flatMap { Int64($0) } }.max() ?? 0
    }

    /// Takes over the records of earlier versions whose paths have the form of a temporary file's.
    private func takeLinks() {
        for name in Kernel.names(in: folder) {
            let path = folder + "/" + name
            guard let file = Kernel.noted(at: path), UnfinishedFiles.place(of: file, name) != nil else {
                continue
            }
            // On a full disk the link stays the record.
            if records.withLock({ $0.add(name, file) }) { try? Kernel.remove(path) }
        }
    }

    /// The folder and the name that a record names; nil if no temporary file has that name, whoever wrote the record.
    private static func place(of file: String, _ key: String) -> (folder: String, name: String)? {
        guard let (folder, name) = FileName.split(file), name.hasPrefix("."),
            name.hasSuffix(".trimd-\(key)" + (key.hasSuffix("-u") ? "" : ".part"))
        else { return nil }
        return (folder, name)
    }

    /// Removes the recorded files and the records, before any attempt runs; but for the files of units of a job that `goesOn`.
    /// Logs the files that cannot be removed, and keeps their records. Those of attempts that are `isElsewhere`, on another node, stay.
    func sweep(
        _ log: Log, unless goesOn: (Int64) -> Bool = { _ in false },
        isElsewhere: (Int64, Int) -> Bool = { _, _ in false }
    ) {
        takeLinks()
        for (key, file) in records.withLock({ $0.paths }).sorted(by: { $0.key < $1.key }) {
            guard let (parent, name) = UnfinishedFiles.place(of: file, key) else { continue }
            let words = key.split(separator: "-")
            let isOfUnits = words.last == "u"
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
            records.withLock { $0.remove(key) }
        }
    }
}
