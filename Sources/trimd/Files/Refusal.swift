// Refusal: from a system call that failed to what a user is told. The one place where trimd gives errnos
// their stable words. Pure; whoever made the call knows what it was made for and says so.
internal import Glibc
internal import Media
internal import Platform
internal import Wire

extension MediaError {
    /// The error of a call on a file or folder of the user's. `what` they see is the whole path.
    init(_ error: SystemError, _ what: String) {
        let reason = "\(error.act) \(what): \(SystemError.reason(error.code))"
        switch error.code {
        case ENOENT, ELOOP: self.init(.fileNotFound, reason)
        case ENOTDIR: self.init(.notAFolder, reason)
        case EACCES, EPERM: self.init(.permissionDenied, reason)
        case EROFS: self.init(.notWritable, reason)
        case ENOSPC, EDQUOT: self.init(.diskFull, reason, remedy: "make room there")
        case EEXIST: self.init(.fileAlreadyExists, reason)
        case EISDIR: self.init(.notARegularFile, reason)
        case ENAMETOOLONG: self.init(.invalidRequest, reason)
        case EFBIG: self.init(.maximumFileSizeReached, reason)
        case ENOMEM: self.init(.outOfMemory, reason)
        default: self.init(.inputOutput, reason)
        }
    }
}

/// Does a system call for a user; where it fails, the error names the whole path.
@discardableResult
func forUser<Result: ~Copyable>(
    _ path: String, _ call: () throws(SystemError) -> Result
) throws(MediaError) -> Result {
    do throws(SystemError) {
        return try call()
    } catch { throw MediaError(error, path) }
}
