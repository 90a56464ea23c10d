// The one door for the return codes of system calls: -1 and errno become a SystemError that says what was being done
// and to what. EINTR is handled here; EAGAIN and end of file get names in SocketIO. Pure functions, any thread.
// It does not log and does not decide what an error means.
internal import Glibc

/// A system call that failed: what was being done, to what, and why.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was being done, as a participle: "opening", "binding".
    public let act: String
    /// What it was done to: a path, or a few words.
    public let object: String
    /// The errno of the call.
    public let code: Int32

    /// An error of the given errno.
    public init(_ act: String, _ object: String, code: Int32) {
        self.act = act
        self.object = object
        self.code = code
    }

    /// For people: "opening /a/b: Permission denied".
    public var description: String { "\(act) \(object): \(Self.reason(code))" }

    /// The system's words for an errno.
    public static func reason(_ code: Int32) -> String {
        // strerror's answer is a constant or thread-local in glibc ≥ 2.32, copied here at once.
        guard let words = unsafe strerror(code) else { return "error \(code)" }
        return unsafe String(cString: words)
    }
}

extension SystemError {
    /// EINVAL, for files that do not import Glibc.
    public static var invalid: Int32 { EINVAL }

    /// Runs a call until it is not interrupted; -1 becomes an error.
    @discardableResult
    public static func check<Answer: FixedWidthInteger & SignedInteger>(
        _ act: String, _ object: @autoclosure () -> String, _ call: () -> Answer
    ) throws(SystemError) -> Answer {
        while true {
            let answer = call()
            if answer != -1 { return answer }
            let code = errno
            if code != EINTR { throw SystemError(act, object(), code: code) }
        }
    }
}
