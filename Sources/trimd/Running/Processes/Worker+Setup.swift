// How a worker is started, its timeouts, and the limits of its connection. Values only.
internal import Wire

extension Worker {
    /// How a worker is started.
    struct Setup: Hashable, Sendable {
        /// Whether the answer of an unsealed worker counts.
        var policy = SandboxPolicy.required
        /// Whether workers are forked from a server that has loaded their libraries.
        var forks = false
        /// Whether that server does what workers would each do at their beginning: 40 ms at its start, for 5 ms of each.
        var preparesForks = true
        /// The files of the fonts that text subtitles are drawn in.
        var fonts: [String] = []
        /// The resource limits of its job.
        var limits = Limits()

        /// The arguments of the process.
        var arguments: [String] {
            var words = ["--sandbox", policy.rawValue, "--seconds", "\(limits.jobSeconds)"]
            if let memory = limits.memoryMiB { words += ["--memory", "\(memory)"] }
            if let output = limits.outputMiB { words += ["--output", "\(output)"] }
            for font in fonts { words += ["--font", font] }
            return words
        }

        /// The arguments of the fork server.
        var serverArguments: [String] {
            ["--fork-server"] + (preparesForks ? [] : ["--unprepared"]) + arguments
        }

        /// Its timeouts.
        var patience: Watchdog.Patience {
            Watchdog.Patience(stall: limits.stallSeconds, total: limits.jobSeconds)
        }
    }

    /// Limits of the connection: no descriptors, and only the message rate that a legitimate worker needs. The excess waits in
    /// the socket and blocks the process.
    static var connectionLimits: Connection.Limits {
        var limits = Connection.Limits()
        limits.descriptors = 0
        (limits.messageRate, limits.byteRate) = (200, 4 << 20)
        (limits.sentLine, limits.outbox) = (LineFramer.joinLimit, 4 * LineFramer.joinLimit)
        return limits
    }
}
