// JobStore, checks: whether the database is intact, page by page. Changes nothing.
public import Media

extension JobStore {
    /// Throws if the database files were removed or replaced since they were opened: no job is accepted then.
    public func checkFiles() throws(MediaError) { try storage.checkFiles() }

    /// Throws if the database is damaged. The time grows with the number of jobs, and reads wait for it.
    public func checkIntegrity() throws(MediaError) { try storage.checkIntegrity() }
}
