// JobStore, checking: whether the database is whole, page by page. It changes nothing.
public import Media

extension JobStore {
    /// Throws where the queue's files were removed or replaced since they were opened: nothing is accepted then.
    public func checkFiles() throws(MediaError) {
        try change { table -> Void in try table.database.checkFiles() }
    }

    /// Throws where the database is not what SQLite once wrote. Takes longer the more jobs there are; nothing else
    /// is read or written meanwhile.
    public func checkIntegrity() throws(MediaError) {
        try read { table in
            let answer = try table.database.text("PRAGMA integrity_check(1)") ?? "no answer"
            guard answer == "ok" else {
                throw MediaError(.queueDamaged, "the database is damaged: \(answer)")
            }
        }
    }
}
