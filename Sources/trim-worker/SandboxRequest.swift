// The worker's command line: how strictly it is to be sealed, and the limits that the settings of the daemon name. The
// daemon is trusted; what it says and is not understood is an error all the same.

/// What the daemon asks of a worker's sandbox.
struct SandboxRequest: Hashable, Sendable {
    /// Whether a worker that cannot be sealed may work.
    enum Policy: String, Sendable {
        /// No: it answers with an error.
        case required
        /// Yes; what is missing is said.
        case bestEffort = "best-effort"
    }

    var policy = Policy.required
    /// MiB of address space of an export; nil: the profile's own.
    var memory: Int?
    /// Seconds an export may take.
    var seconds: Int?
    /// MiB an output may have; nil: no limit.
    var output: Int?

    /// Nothing said.
    init() {}

    /// Reads the arguments, the program's name left out; nil where they make no sense.
    init?(_ arguments: [String]) {
        var rest = arguments[...]
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else { return nil }
            if name == "--sandbox" {
                guard let policy = Policy(rawValue: value) else { return nil }
                self.policy = policy
                continue
            }
            guard let number = Int(value), number > 0 else { return nil }
            switch name {
            case "--memory": memory = number
            case "--seconds": seconds = number
            case "--output": output = number
            default: return nil
            }
        }
    }
}
