// Libpq: PostgreSQL's client library, opened when it is first needed and never closed.
//
// `unsafe` here: a handle of the loader, and function pointers in the types of libpq's own header.
internal import CPostgres
internal import Glibc

/// The functions of libpq.
///
/// `@unchecked Sendable`: pointers to functions, which any thread may call.
@safe struct Libpq: @unchecked Sendable {
    let functions: trim_libpq

    /// Opens the library, once a process.
    static func load() throws(PostgresError) -> Libpq {
        switch loaded {
        case .success(let library): return library
        case .failure(let error): throw error
        }
    }

    private static let loaded = Result { () throws(PostgresError) in try Libpq("libpq.so.5") }

    /// Opens a library of this name.
    init(_ name: String) throws(PostgresError) {
        guard let handle = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL) else {
            let cause = unsafe dlerror().map { unsafe String(cString: $0) } ?? "it is not there"
            throw PostgresError(kind: .noLibrary, act: "opening libpq", cause: cause, place: name)
        }
        var functions = trim_libpq()
        if let missing = unsafe trim_libpq_load(handle, &functions) {
            let cause = unsafe "it has no \(String(cString: missing))"
            throw PostgresError(kind: .noLibrary, act: "opening libpq", cause: cause, place: name)
        }
        self.functions = functions
    }
}
