// Landlock with a ruleset that allows nothing: from then on this thread and those it starts open no file, make no name,
// connect to no port, and reach no process outside. Descriptors that are open go on working. What the kernel's version of
// it does not know yet, the filter of system calls refuses.
//
// `unsafe` here: the ruleset, lent to the kernel for the length of a call.
internal import CSeccomp

/// Landlock.
enum SandboxLandlock {
    /// The version the kernel has; nil where it has none, or keeps it from this process.
    static var version: Int? {
        let abi = trim_landlock_abi()
        return abi > 0 ? Int(abi) : nil
    }

    /// Rights on files that a version knows: bits 0 to 12 from the first on, then refer, truncate, and ioctl of devices.
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

    /// Forbids everything that this kernel's version can forbid; the version, or the reason why not.
    static func restrict() -> Result<Int, SandboxFailure> {
        let abi = trim_landlock_abi()
        guard abi > 0 else {
            return .failure(SandboxFailure("the kernel offers no Landlock (\(words(of: abi)))"))
        }
        let version = Int(abi)
        var rules = trim_landlock_ruleset(
            handled_access_fs: files(version),
            // To bind and to connect TCP.
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
