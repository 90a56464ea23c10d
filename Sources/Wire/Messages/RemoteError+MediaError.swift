// Converts between MediaError, the errors users see, and RemoteError, the errors on a socket. On the wire `error.data` is the
// MediaError's JSON, so `error.data.code` is the stable code. Pure.
public import Media
internal import Text

extension RemoteError {
    /// Creates the wire form of a MediaError.
    public init(_ error: MediaError, kind: Kind = .application) {
        var details: [String: JSONValue] = [:]
        if let members = try? JSONValue(encoding: error).object { details = members.dictionary }
        details["code"] = nil
        self.init(kind, code: error.code.rawValue, error.description, details: details)
    }
}

extension MediaError {
    /// Creates a MediaError from another process's error; unrecognized codes become `unknown`.
    public init(_ remote: RemoteError) {
        var members = remote.details
        members["code"] = .string(remote.code)
        if members["message"] == nil { members["message"] = .string(remote.message) }
        if let error = try? JSONValue.object(members).decode(as: MediaError.self) {
            self = error
        } else {
            self.init(.unknown, remote.message)
        }
    }
}
