// DispatchLog: libdispatch writes a line to the journal for each of its threads that may not have a better priority than others, as
// none may in a service without privileges. Nobody can do anything about these lines, and nothing follows from them.
internal import Glibc

/// The log of libdispatch.
enum DispatchLog {
    /// Turns it off, unless the environment says where it goes. Call it before a second thread starts.
    static func silence() { _ = unsafe setenv("LIBDISPATCH_LOG", "NO", 0) }
}
