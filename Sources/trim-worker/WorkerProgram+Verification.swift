// The worker's request to verify an output that another worker wrote.
internal import Check
internal import Export
internal import Glibc
internal import Libav
internal import Media
internal import Wire

extension WorkerProgram {
    /// Serves `verify` on an open output, and closes it.
    func verified(_ wanted: WorkerVerify, _ output: WorkerSource) throws(MediaError) -> Verified {
        // Decoding a whole file takes as long as a job may; probing does not.
        try limit(wanted.strict ? .picture : .probe)
        LibavThreads.setLimit(wanted.threads)
        let check = Verification(
            file(output.descriptor, "the output"), wanted.result, strict: wanted.strict,
            shared: wanted.shared ?? [])
        let verified = Verified(warnings: try check.run())
        // The job ends with the answer, and whoever is told may unmount the disk.
        close(output.descriptor)
        return verified
    }
}
