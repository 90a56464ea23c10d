// Checks whether an accepted job is still beneath the roots: the settings and the links in its paths may have changed while it
// waited. This happens when an attempt begins, before its worker gets any descriptor.
internal import CLinux
internal import Glibc
internal import JobQueue
internal import Media
internal import Platform
internal import Wire

extension Roots {
    /// Throws if trimd may no longer act for this job's user there. Jobs of root and of the daemon's own user need no roots.
    func check(_ job: Job, own: UInt32 = geteuid()) throws(MediaError) {
        guard job.user != 0, job.user != own else { return }
        for input in [job.request.input, job.request.options?.burnedFile].compactMap(\.self) {
            // A file of the spool is the daemon's own; whose it is was asked when the job was accepted.
            let isThere =
                isSpooled(input, for: job.user)
                || Roots.rootedPaths(of: input, in: read).contains { candidate in
                    guard let found = try? Roots.open(candidate, trim_O_PATH),
                        let status = try? FileStatus(of: found, input)
                    else { return false }
                    return status.sort == .file
                }
            if !isThere { throw refusal(input, "read", read) }
        }
        let target = job.request.output
        let folder =
            isSpooled(target.folder, for: job.user)
            || Roots.rootedPaths(of: target.folder, in: write).contains { candidate in
                let flags = O_RDONLY | O_DIRECTORY | O_NONBLOCK
                guard let found = try? Roots.open(candidate, flags) else { return false }
                let folder = OutputFolder(adopting: found, target.folder)
                return (try? folder.storedIdentity()) != nil
            }
        if !folder { throw refusal(target.folder, "write", write) }
    }

    /// Whether a path lies in a spool folder of a user.
    func isSpooled(_ path: String, for user: UInt32) -> Bool { spool?.owner(of: path) == user }

    private func refusal(_ path: String, _ act: String, _ list: [String]) -> MediaError {
        let known =
            list.isEmpty
            ? "there is none to \(act) beneath" : "to \(act) there is \(list.joined(separator: ", "))"
        return MediaError(
            .permissionDenied,
            "refused by policy: \(path) is no longer under a root of this trimd, or cannot be opened there; \(known)",
            remedy: "have `roots` in trimd.json extended and retry the job, or move it and submit it again")
    }
}
