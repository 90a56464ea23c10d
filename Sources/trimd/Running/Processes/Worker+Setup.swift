// How a worker is started, and how long it is waited for. Values only.

extension Worker {
    /// How a worker is started.
    struct Setup: Hashable, Sendable {
        /// Whether its answer counts where it is not sealed.
        var policy = SandboxPolicy.required
        /// What its job may take.
        var limits = Limits()

        /// The command line of the process.
        var arguments: [String] {
            var words = ["--sandbox", policy.rawValue, "--seconds", "\(limits.jobSeconds)"]
            if let memory = limits.memoryMiB { words += ["--memory", "\(memory)"] }
            if let output = limits.outputMiB { words += ["--output", "\(output)"] }
            return words
        }

        /// How long it is waited for.
        var patience: Watchdog.Patience {
            Watchdog.Patience(stall: limits.stallSeconds, total: limits.jobSeconds)
        }
    }
}
