// RequestTexts: requests of rows that were read before. A job's row is read a dozen times on its way, and its request, which never
// changes but by `modify`, takes most of the time of that. Any thread.
internal import Media
internal import Synchronization

/// The requests that were read last, by their text.
enum RequestTexts {
    private static let known = Mutex<[String: ExportRequest]>([:])

    /// The most requests that are kept; beyond, all are dropped.
    private static let most = 256
    /// The longest text that is kept, in bytes.
    private static let longest = 4096

    /// The request of a job; `text` is that of its row.
    static func read(_ text: String, of job: Int64) throws -> ExportRequest {
        if let request = known.withLock({ $0[text] }) { return request }
        let request = try JSON.read(ExportRequest.self, text, "request of job \(job)")
        guard text.utf8.count <= longest else { return request }
        known.withLock { known in
            if known.count >= most { known = [:] }
            known[text] = request
        }
        return request
    }
}
