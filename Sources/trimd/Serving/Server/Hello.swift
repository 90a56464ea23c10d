// hello: who trimd is, and which protocol it speaks.
internal import Glibc
internal import Wire

extension ServerService {
    /// `hello`
    func hello() -> HelloResult { HelloResult(version: trimdVersion, pid: getpid(), user: geteuid()) }
}
