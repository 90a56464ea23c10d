// UnfinishedFiles: where the temporary files of running attempts lie, written down beside the queue, so that they can be
// removed by a daemon that does not have the queue any more. A note is a symbolic link: one call makes it whole, and it
// costs no sync; one that a power cut lost costs no more than a file that stays. Any queue.
internal import Glibc
internal import JobQueue
internal import Media
internal import Platform
internal import Wire

/// Notes of temporary files, in a folder of the state.
struct UnfinishedFiles: Sendable {
    /// The folder of the notes.
    let folder: String

    /// Notes the temporary file of an attempt that is about to make it. A note that cannot be made stops no job.
    func add(_ job: Job) { add(job.request.output, job: job.id, attempt: job.attempts) }

    /// Notes the temporary file of a target, by the numbers it gets its name from.
    func add(_ target: OutputTarget, job: Int64, attempt: Int) {
        let name = FileName.temporary(for: target.name ?? target.stem, job: job, attempt: attempt)
        try? Kernel.note("\(target.folder)/\(name)", at: note(job, attempt))
    }

    /// The attempt has ended, and its temporary file is gone.
    func remove(_ job: Job) { remove(job: job.id, attempt: job.attempts) }

    /// The temporary file of these numbers is gone.
    func remove(job: Int64, attempt: Int) { try? Kernel.remove(note(job, attempt)) }

    /// The highest number of a job that has a note; 0 where none has.
    var lastJob: Int64 {
        Kernel.names(in: folder).compactMap { $0.split(separator: "-").first.flatMap { Int64($0) } }.max()
            ?? 0
    }

    /// Removes what is noted, and the notes; for a daemon that runs no attempt yet. What cannot be removed is told, and
    /// stays noted.
    func sweep(_ log: Log) {
        for note in Kernel.names(in: folder) {
            let path = folder + "/" + note
            guard let file = Kernel.noted(at: path), let (parent, name) = FileName.split(file),
                // Nothing else is removed, whoever wrote the note.
                name.hasPrefix("."), name.hasSuffix(".trimd-\(note).part")
            else { continue }
            do throws(MediaError) {
                let folder = try OutputFolder(opening: parent)
                try forUser(file) { () throws(SystemError) in try folder.remove(name) }
            } catch {
                // A folder that is gone took the file with it.
                guard error.code == .fileNotFound || error.code == .notAFolder else {
                    log.warning("a temporary file stays: \(error)")
                    continue
                }
            }
            try? Kernel.remove(path)
        }
    }

    private func note(_ job: Int64, _ attempt: Int) -> String { "\(folder)/\(job)-\(attempt)" }
}
