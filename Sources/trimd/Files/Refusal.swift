// Refusal: turns a failed system call into the error that the user sees. Only this file maps errno values to stable codes.
// The caller supplies the purpose of the call.
internal import Glibc
internal import Media
internal import Platform
internal import Wire

extension MediaError {
    /// The remedy where a file system cannot be written.
    static let readOnlyRemedy =
        "make its file system writable (after errors of its disk the kernel makes it read-only), or name another folder"

    /// The error of a call on a user's file or folder; `what` is the whole path.
    init(_ error: SystemError, _ what: String) {
        let reason = "\(error.act) \(what): \(SystemError.reason(error.code))"
        switch error.code {
        case ENOENT, ELOOP: self.init(.fileNotFound, reason)
        case ENOTDIR: self.init(.notAFolder, reason)
        case EACCES where geteuid() == 0, EPERM where geteuid() == 0:
            self.init(
                .permissionDenied, reason,
                remedy:
                    "root is refused there: on NFS the server takes root for nobody (root_squash); run trimd as a user who may, or export with no_root_squash"
            )
        case EACCES, EPERM: self.init(.permissionDenied, reason)
        // A share's file was removed or the share mounted anew: opened again by its path, it may be there.
        case ESTALE:
            self.init(.inputOutput, reason, remedy: "try again; the file was opened before the share changed")
        case EROFS: self.init(.notWritable, reason, remedy: MediaError.readOnlyRemedy)
        case ENOSPC: self.init(.diskFull, reason, remedy: "make room there")
        case EDQUOT: self.init(.diskFull, reason, remedy: "make room there, or raise the quota")
        case EEXIST: self.init(.fileAlreadyExists, reason)
        case EISDIR: self.init(.notARegularFile, reason)
        case ENAMETOOLONG: self.init(.invalidRequest, reason)
        case EFBIG:
            self.init(
                .maximumFileSizeReached, reason,
                remedy: "take a smaller range or preset, or a folder on a file system that holds larger files"
            )
        case EIO: self.init(.inputOutput, reason, remedy: "check the disk: the kernel's log names its errors")
        case ENOMEM: self.init(.outOfMemory, reason)
        default: self.init(.inputOutput, reason)
        }
    }
}

extension MediaError {
    /// The error of a worker that cannot be asked: trimd itself may have too few descriptors.
    init(_ act: String, _ error: any Error) {
        if let error = error as? SystemError, error.code == EMFILE {
            self.init(
                .limitReached, "\(act): trimd may open no more files (RLIMIT_NOFILE): \(error)",
                remedy: "start trimd with a higher limit: LimitNOFILE= in its unit, or ulimit -n")
        } else {
            self.init(.unknown, "\(act): \(error)")
        }
    }
}

/// Makes a system call for a user; on failure, the error names the whole path.
@discardableResult
func forUser<Result: ~Copyable>(
    _ path: String, _ call: () throws(SystemError) -> Result
) throws(MediaError) -> Result {
    do throws(SystemError) {
        return try call()
    } catch { throw MediaError(error, path) }
}
