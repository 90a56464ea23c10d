// The only handler of system calls' return codes: -1 and errno become a SystemError that names the act and its object. It
// retries after EINTR; SocketIO names EAGAIN and end of file. Pure functions, any thread. It neither logs nor interprets
// errors.
internal import Glibc

/// A failed system call: the act, its object and the cause.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The act, as a participle: "opening", "binding".
    public let act: String
    /// The object: a path, or a few words.
    public let object: String
    /// The errno of the call.
    public let code: Int32

    /// An error with a given errno.
    public init(_ act: String, _ object: String, code: Int32) {
        self.act = act
        self.object = object
        self.code = code
    }

    /// For people: "opening /a/b: Permission denied".
    public var description: String { "\(act) \(object): \(Self.reason(code))" }

    /// The system's text for an errno.
    public static func reason(_ code: Int32) -> String {
        // strerror returns a constant or thread-local string in glibc ≥ 2.32, copied here at once.
        guard let words = unsafe strerror(code) else { return "error \(code)" }
        return unsafe String(cString: words)
    }
}

extension SystemError {
    /// EINVAL, for files that do not import Glibc.
    public static var invalid: Int32 { EINVAL }

    /// Repeats a call while it is interrupted; -1 becomes an error.
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
