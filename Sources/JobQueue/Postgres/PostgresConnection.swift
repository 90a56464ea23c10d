// PostgresConnection: one connection to one PostgreSQL server. It knows no table. It owns libpq's connection and closes it; one thread
// at a time uses it. No call waits for ever: one that the server does not answer in time breaks the connection. All of libpq's
// return codes are handled here.
//
// `unsafe` here: libpq's connection, and C strings that live for the length of a call.
internal import CPostgres
internal import Glibc

/// One connection to a server.
@safe final class PostgresConnection: TableConnection {
    let dialect = Dialect.postgres
    let library: Libpq
    private let address: PostgresAddress
    let handle: OpaquePointer
    /// The names of prepared statements, by their text and the types of their values; nil: it was used once.
    private var prepared: [String: String?] = [:]
    /// Why it cannot be used any more.
    var failure: PostgresError?

    /// Milliseconds that the server has for one statement. It gives up earlier by itself.
    static let patience: Int64 = 15_000
    /// The most statements of a connection that are remembered; further ones are prepared each time.
    private static let most = 200

    /// The parameters of the server and libpq, unless the setting says otherwise: a node that is frozen within a change holds its locks no
    /// longer than ten seconds.
    private static let defaults = [
        ("fallback_application_name", "trimd"), ("connect_timeout", "5"), ("client_encoding", "UTF8"),
        ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
        ("tcp_user_timeout", "10000"), ("target_session_attrs", "read-write"),
    ]
    /// Statements read a page in the order of an index, up to its end: a bitmap would read all that match first. They are too small for
    /// machine code of their own.
    private static let setUp = """
        SET statement_timeout = 10000; SET lock_timeout = 5000; SET idle_in_transaction_session_timeout = 10000;
        SET standard_conforming_strings = on; SET jit = off; SET enable_bitmapscan = off; SET default_transaction_isolation = 'read committed'
        """

    /// Connects; takes five seconds at most for each host of the setting.
    init(_ address: PostgresAddress) throws(PostgresError) {
        self.address = address
        let library = try Libpq.load()
        self.library = library
        let words = PostgresConnection.defaults + [("dbname", address.setting)]
        let connection = unsafe PostgresConnection.withTexts(words.map(\.0)) { names in
            unsafe PostgresConnection.withTexts(words.map(\.1)) { values in
                unsafe library.functions.PQconnectdbParams(names, values, 1)
            }
        }
        guard let connection = unsafe connection else {
            throw PostgresError(
                kind: .unreachable, act: "connecting", cause: "out of memory", place: address.shown)
        }
        unsafe handle = unsafe connection
        guard unsafe library.functions.PQstatus(handle) == CONNECTION_OK else {
            let message = said
            throw PostgresError(
                kind: PostgresError.connectionKind(message), act: "connecting", cause: message,
                place: address.shown)
        }
        unsafe trim_libpq_silence(library.functions, handle)
        guard unsafe library.functions.PQsetnonblocking(handle, 1) == 0 else { throw lose("connecting") }
        try execute(PostgresConnection.setUp)
        let encoding = try rows("SHOW server_encoding", []).first?.text(0) ?? ""
        guard encoding == "UTF8" else {
            throw PostgresError(
                kind: .setting, act: "connecting",
                cause: "the database's encoding is \(encoding), and must be UTF8", place: address.shown)
        }
    }

    deinit { unsafe library.functions.PQfinish(handle) }

    /// libpq's last message, on one line.
    private var said: String {
        let text = unsafe library.functions.PQerrorMessage(handle).map { unsafe String(cString: $0) } ?? ""
        return text.split(whereSeparator: \.isNewline).map { $0.drop { $0 == "\t" } }.joined(separator: "; ")
    }

    /// Runs statements without values; returns the rows of the last.
    @discardableResult
    func execute(_ sql: String) throws(PostgresError) -> [Row] {
        try check()
        guard unsafe library.functions.PQsendQuery(handle, sql) == 1 else { throw lose(sql) }
        return try answer(sql).rows
    }

    func rows(_ sql: String, _ values: [Value]) throws(PostgresError) -> [Row] { try ask(sql, values).rows }

    @discardableResult
    func run(_ sql: String, _ values: [Value]) throws(PostgresError) -> Int { try ask(sql, values).changed }

    private func ask(_ sql: String, _ values: [Value]) throws(PostgresError) -> PostgresResult {
        try check()
        let types = values.map(PostgresConnection.type)
        let texts = try values.map { (value) throws(PostgresError) -> String? in try text(of: value, sql) }
        let key = sql + types.map { ",\($0)" }.joined()
        let count = Int32(values.count)
        let name = try prepare(sql, key, types)
        let sent = unsafe PostgresConnection.withTexts(texts) { texts in
            if let name {
                unsafe library.functions.PQsendQueryPrepared(handle, name, count, texts, nil, nil, 0)
            } else {
                unsafe library.functions.PQsendQueryParams(
                    handle, PostgresConnection.numbered(sql), count, types, texts, nil, nil, 0)
            }
        }
        guard sent == 1 else { throw lose(sql) }
        return try answer(sql)
    }

    /// The name of a prepared statement; nil the first time, since some come once only.
    private func prepare(_ sql: String, _ key: String, _ types: [Oid]) throws(PostgresError) -> String? {
        guard let known = prepared[key] else {
            if prepared.count < PostgresConnection.most { prepared[key] = .some(nil) }
            return nil
        }
        if let known { return known }
        let name = "s\(prepared.count)-\(key.hashValue)"
        let isSent = unsafe library.functions.PQsendPrepare(
            handle, name, PostgresConnection.numbered(sql), Int32(types.count), types)
        guard isSent == 1 else { throw lose(sql) }
        _ = try answer(sql)
        prepared[key] = name
        return name
    }

    /// Waits for the answer to what was sent: its last result, or its first error.
    private func answer(_ sql: String) throws(PostgresError) -> PostgresResult {
        let end = PostgresConnection.uptime + PostgresConnection.patience
        while unsafe library.functions.PQflush(handle) == 1 { try wait(POLLIN | POLLOUT, until: end, sql) }
        var last: PostgresResult?
        var refusal: PostgresError?
        while true {
            while unsafe library.functions.PQisBusy(handle) == 1 { try wait(POLLIN, until: end, sql) }
            guard let pointer = unsafe library.functions.PQgetResult(handle) else { break }
            let result = unsafe PostgresResult(pointer, library)
            if result.isError, refusal == nil {
                refusal = PostgresError(
                    kind: .refused(result.state), act: PostgresConnection.short(sql), cause: result.message,
                    place: address.shown)
            }
            last = consume result
        }
        guard unsafe library.functions.PQstatus(handle) == CONNECTION_OK else {
            throw lose(sql, refusal?.cause)
        }
        if let refusal {
            if refusal.breaksConnection { failure = refusal }
            throw refusal
        }
        guard let result = last.take() else { throw lose(sql) }
        return result
    }

    /// Waits for the socket, then reads what has come.
    private func wait(_ events: Int32, until end: Int64, _ sql: String) throws(PostgresError) {
        var descriptor = unsafe pollfd(
            fd: library.functions.PQsocket(handle), events: Int16(events), revents: 0)
        let left = end - PostgresConnection.uptime
        guard left > 0 else { throw lose(sql, "the server does not answer") }
        let count = unsafe poll(&descriptor, 1, Int32(clamping: left))
        guard count >= 0 || errno == EINTR else { throw lose(sql, "poll: error \(errno)") }
        guard unsafe library.functions.PQconsumeInput(handle) == 1 else { throw lose(sql) }
    }

    /// Throws if the connection broke before.
    func check() throws(PostgresError) { if let failure { throw failure } }

    /// The connection is of no more use.
    func lose(_ sql: String, _ cause: String? = nil) -> PostgresError {
        let error = PostgresError(
            kind: .lost, act: PostgresConnection.short(sql), cause: cause ?? said, place: address.shown)
        failure = error
        return error
    }

    private func text(of value: Value, _ sql: String) throws(PostgresError) -> String? {
        switch value {
        case .null: return nil
        case .integer(let number): return String(number)
        case .text(let text):
            // A C string would end there.
            guard !text.utf8.contains(0) else {
                throw PostgresError(
                    kind: .refused("22021"), act: PostgresConnection.short(sql),
                    cause: "a text has a zero byte",
                    place: address.shown)
            }
            return text
        }
    }

    /// The type of a value: bigint, text, or as the statement has it.
    private static func type(_ value: Value) -> Oid {
        switch value {
        case .null: 0
        case .integer: 20
        case .text: 25
        }
    }

    /// A statement with `$1`, `$2` in place of `?`. Our statements have no other question marks.
    static func numbered(_ sql: String) -> String {
        var number = 0
        return sql.reduce(into: "") { text, character in
            guard character == "?" else { return text.append(character) }
            number += 1
            text += "$\(number)"
        }
    }

    /// The beginning of a statement, for errors.
    private static func short(_ sql: String) -> String {
        sql.split(whereSeparator: \.isWhitespace).prefix(3).joined(separator: " ")
    }

    /// Milliseconds of a monotonic clock.
    static var uptime: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Calls `body` with C strings, which live as long, and a final NULL.
    private static func withTexts<Result>(
        _ texts: [String?], _ body: (UnsafeMutablePointer<UnsafePointer<CChar>?>?) -> Result
    ) -> Result {
        let copies = unsafe texts.map { unsafe $0.map { unsafe strdup($0) } ?? nil }
        defer { unsafe copies.forEach { unsafe free($0) } }
        var pointers = unsafe copies.map { unsafe $0.map { unsafe UnsafePointer($0) } } + [nil]
        return unsafe pointers.withUnsafeMutableBufferPointer { unsafe body($0.baseAddress) }
    }
}

// Notices that the server sends by itself to a connection that listens.
//
// `unsafe` here: libpq's notifications, copied and freed at once.
extension PostgresConnection {
    /// Waits for notifications, for so many milliseconds at most; their texts. Throws if the connection broke.
    func notifications(within milliseconds: Int32) throws(PostgresError) -> [String] {
        try check()
        var texts = taken
        guard texts.isEmpty else { return texts }
        var descriptor = unsafe pollfd(
            fd: library.functions.PQsocket(handle), events: Int16(POLLIN), revents: 0)
        let count = unsafe poll(&descriptor, 1, milliseconds)
        guard count >= 0 || errno == EINTR else { throw lose("waiting", "poll: error \(errno)") }
        guard unsafe library.functions.PQconsumeInput(handle) == 1 else { throw lose("waiting") }
        texts = taken
        return texts
    }

    /// The texts of the notifications that have been read.
    private var taken: [String] {
        var texts: [String] = []
        while let notice = unsafe library.functions.PQnotifies(handle) {
            if let text = unsafe notice.pointee.extra { texts.append(unsafe String(cString: text)) }
            unsafe library.functions.PQfreemem(notice)
        }
        return texts
    }
}
