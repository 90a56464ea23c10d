// PostgresAddress: the setting that names a database: a URI or a list of libpq's parameters. Its shown form has no password.
//
// `unsafe` here: libpq's list of parameters, freed before the call returns.
internal import CPostgres

/// Where a database is.
struct PostgresAddress: Hashable, Sendable {
    /// As libpq takes it.
    let setting: String
    /// As it is shown.
    let shown: String

    /// Reads a setting with libpq's own parser; throws if it cannot.
    init(_ setting: String) throws(PostgresError) {
        let functions = try Libpq.load().functions
        var message: UnsafeMutablePointer<CChar>?
        guard let list = unsafe functions.PQconninfoParse(setting, &message) else {
            unsafe functions.PQfreemem(message)
            // Its message may quote the password.
            throw PostgresError(
                kind: .setting, act: "reading it",
                cause: "it is neither a URI nor a list of libpq's parameters",
                place: "queue")
        }
        defer { unsafe functions.PQconninfoFree(list) }
        var found: [String: String] = [:]
        var each = unsafe list
        while let keyword = unsafe each.pointee.keyword {
            if let value = unsafe each.pointee.val {
                unsafe found[String(cString: keyword)] = unsafe String(cString: value)
            }
            unsafe each += 1
        }
        self.setting = setting
        shown = PostgresAddress.describe(found)
    }

    private static func describe(_ found: [String: String]) -> String {
        if let service = found["service"] { return "PostgreSQL, service \(service)" }
        let user = found["user"].map { "\($0)@" } ?? ""
        let port = found["port"].map { ":\($0)" } ?? ""
        return
            "postgresql://\(user)\(found["host"] ?? found["hostaddr"] ?? "")\(port)/\(found["dbname"] ?? "")"
    }

    /// Whether a text may be a setting; libpq reads it when it is used.
    static func isPlausible(_ setting: String) -> Bool {
        setting.hasPrefix("postgresql://") || setting.hasPrefix("postgres://") || setting.contains("=")
    }
}
