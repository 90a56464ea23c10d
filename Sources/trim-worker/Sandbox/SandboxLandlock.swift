// Landlock with a ruleset that allows nothing: this thread and threads it starts can then open no file, create no name, connect
// to no port, and reach no outside process. Open descriptors continue to work. The syscall filter refuses what the kernel's
// Landlock version does not cover.
//
// `unsafe` here: the ruleset, passed to the kernel for the duration of a call.
internal import CSeccomp

/// Landlock.
enum SandboxLandlock {
    /// The kernel's Landlock version; nil if it has none, or this process may not use it.
    static var version: Int? {
        let abi = trim_landlock_abi()
        return abi > 0 ? Int(abi) : nil
    }

    /// File rights of a version: bits 0 to 12 from version 1, then refer, truncate, and ioctl of devices.
    static func files(_ version: Int) -> UInt64 {
        let count =
            switch version {
            case ..<2: 13
            case 2: 14
            case 3, 4: 15
            default: 16
            }
        return (1 << count) - 1
    }

    /// Forbids everything that this kernel's version can forbid; returns the version, or the reason for the failure.
    static func restrict() -> Result<Int, SandboxFailure> {
        let abi = trim_landlock_abi()
        guard abi > 0 else {
            return .failure(SandboxFailure("the kernel offers no Landlock (\(words(of: abi)))"))
        }
        let version = Int(abi)
        var rules = trim_landlock_ruleset(
            handled_access_fs: files(version),
            // TCP bind and connect.
            handled_access_net: version >= 4 ? 3 : 0,
            // Abstract Unix sockets and signals.
            scoped: version >= 6 ? 3 : 0)
        let size = version >= 6 ? 24 : version >= 4 ? 16 : 8
        let code = unsafe trim_landlock_restrict(&rules, size)
        guard code == 0 else {
            return .failure(SandboxFailure("Landlock refused the rules (\(words(of: code)))"))
        }
        return .success(version)
    }
}

/// Why a process could not be sealed.
struct SandboxFailure: Error, Hashable, Sendable {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
