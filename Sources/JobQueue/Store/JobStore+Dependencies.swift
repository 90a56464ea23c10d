// JobStore, dependencies: the failure of jobs that wait for one that will not complete.
public import Media

extension JobStore {
    /// Fails the jobs that wait for one that failed, was cancelled or was removed, and those that wait for them; returns them.
    public func failDependents() throws(MediaError) -> [Job] {
        // Most calls find none, and write nothing.
        guard try !read({ table in try table.hopeless() }).isEmpty else { return [] }
        return try change { table in
            var failed: [Job] = []
            while case let hopeless = try table.hopeless(), !hopeless.isEmpty {
                for (id, other) in hopeless {
                    let error = Job.dependencyError(other, try table.find(other)?.state, of: id)
                    failed.append(try table.end(id, .failed, error: error))
                }
            }
            return failed
        }
    }
}
