// KnownTexts: requests and results of rows that were read before. A job's row is read a dozen times on its way, and these, which hardly
// ever change, take most of the time of that. Any thread.
internal import Media
internal import Synchronization

/// The values that were read last, by their text.
final class KnownTexts<Value: Decodable & Sendable>: Sendable {
    /// Names a value in an error.
    private let what: String
    private let known = Mutex<[String: Value]>([:])

    init(_ what: String) { self.what = what }

    /// The most values that are kept; beyond, all are dropped.
    private static var most: Int { 256 }
    /// The longest text that is kept, in bytes.
    private static var longest: Int { 4096 }

    /// The value of a job; `text` is that of its row.
    func read(_ text: String, of job: Int64) throws -> Value {
        if let value = known.withLock({ $0[text] }) { return value }
        let value = try JSON.read(Value.self, text, "\(what) of job \(job)")
        guard text.utf8.count <= KnownTexts.longest else { return value }
        known.withLock { known in
            if known.count >= KnownTexts.most { known = [:] }
            known[text] = value
        }
        return value
    }
}

/// The requests and results that were read last.
enum KnownRows {
    static let requests = KnownTexts<ExportRequest>("request")
    static let results = KnownTexts<ExportResult>("result")
}
