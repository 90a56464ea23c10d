// PostgresResult: one answer of the server, with one owner, which frees it. It knows no table.
//
// `unsafe` here: libpq's result, and the text that it lends, copied at once.
internal import CPostgres

/// One answer of the server.
@safe struct PostgresResult: ~Copyable {
    private let pointer: OpaquePointer
    private let functions: trim_libpq

    /// Takes over a result of libpq.
    init(_ pointer: OpaquePointer, _ library: Libpq) {
        unsafe self.pointer = unsafe pointer
        functions = library.functions
    }

    deinit { unsafe functions.PQclear(pointer) }

    /// Whether the server refused.
    var isError: Bool {
        let status = unsafe functions.PQresultStatus(pointer)
        return status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && status != PGRES_SINGLE_TUPLE
            && status != PGRES_EMPTY_QUERY
    }

    /// The SQLSTATE of an error; empty if libpq made it.
    var state: String { field(67) }
    /// The message of an error.
    var message: String { field(77) }

    private func field(_ code: Int32) -> String {
        unsafe functions.PQresultErrorField(pointer, code).map { unsafe String(cString: $0) } ?? ""
    }

    /// How many rows a change changed.
    var changed: Int {
        unsafe functions.PQcmdTuples(pointer).flatMap { unsafe Int(String(cString: $0)) } ?? 0
    }

    /// Its rows, copied.
    var rows: [Row] {
        let (count, width) = unsafe (functions.PQntuples(pointer), functions.PQnfields(pointer))
        return (0..<count).map { row in Row(values: (0..<width).map { value(row, $0) }) }
    }

    private func value(_ row: Int32, _ column: Int32) -> Value {
        guard unsafe functions.PQgetisnull(pointer, row, column) == 0,
            let bytes = unsafe functions.PQgetvalue(pointer, row, column)
        else { return .null }
        let count = unsafe Int(functions.PQgetlength(pointer, row, column))
        return unsafe bytes.withMemoryRebound(to: UInt8.self, capacity: count) { bytes in
            .text(
                unsafe String(
                    decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self))
        }
    }
}
