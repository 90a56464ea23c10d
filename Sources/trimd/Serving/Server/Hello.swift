// hello: trimd's version and the protocol's.
internal import Glibc
internal import Wire

extension ServerService {
    /// `hello`
    func hello() -> HelloResult { HelloResult(version: trimdVersion, pid: getpid(), user: geteuid()) }
}
