// The worker's command line: the sandbox policy, and the limits from the daemon's settings. The daemon is trusted, but arguments
// that cannot be parsed are still an error.

/// The sandbox settings from the daemon.
struct SandboxRequest: Hashable, Sendable {
    /// Whether a worker that cannot be sealed may work.
    enum Policy: String, Sendable {
        /// No: it returns an error.
        case required
        /// Yes; missing parts are reported.
        case bestEffort = "best-effort"
    }

    var policy = Policy.required
    /// MiB of address space of an export; nil: the profile's own.
    var memory: Int?
    /// Maximum duration of an export in seconds.
    var seconds: Int?
    /// Maximum size of an output in MiB; nil: no limit.
    var output: Int?

    /// The files of the fonts that text subtitles are drawn in; they are read before the worker is sealed.
    var fonts: [String] = []

    /// Default settings.
    init() {}

    /// Parses the arguments without the program name; nil if they are invalid.
    init?(_ arguments: [String]) {
        var rest = arguments[...]
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else { return nil }
            if name == "--sandbox" {
                guard let policy = Policy(rawValue: value) else { return nil }
                self.policy = policy
                continue
            }
            if name == "--font" {
                fonts.append(value)
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
