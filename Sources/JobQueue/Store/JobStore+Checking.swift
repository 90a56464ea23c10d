// JobStore, checks: whether the database is intact, page by page. Changes nothing.
public import Media

extension JobStore {
    /// Throws if the database files were removed or replaced since they were opened: no job is accepted then.
    public func checkFiles() throws(MediaError) {
        try change { table -> Void in try table.database.checkFiles() }
    }

    /// Throws if the database is damaged. The time grows with the number of jobs, and reads wait for it.
    public func checkIntegrity() throws(MediaError) {
        try read { table in
            let answer = try table.database.text("PRAGMA integrity_check(1)") ?? "no answer"
            guard answer == "ok" else {
                throw MediaError(.queueDamaged, "the database is damaged: \(answer)")
            }
        }
    }
}
