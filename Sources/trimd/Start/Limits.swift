// Limits: the object `limits` of the settings file: the resources of one job, the jobs of one user, retries, and how long
// finished jobs are kept. The daemon's watchdog enforces a job's times; the worker sets the rest with the kernel. Every key is
// optional; an unknown key or a number out of range is an error.
internal import JobQueue
internal import Media
internal import Text

/// Resource limits.
struct Limits: Hashable, Sendable, StrictDecodable {
    /// Seconds without progress. A slow disk and a long group of pictures stay far below; a file on a network share that is
    /// gone exceeds it.
    var stallSeconds = 120
    /// Seconds from start to end: a day, for films of hours at the slowest settings.
    var jobSeconds = 86_400
    /// MiB of address space per export; nil: 8 GiB plus half a GiB per processor.
    var memoryMiB: Int?
    /// MiB per output; nil: the job's OutputBound.
    var outputMiB: Int?
    /// MiB of piped input that one user may have in the state folder at once: 16 GiB, some hours of high definition.
    var spoolMiB = 16_384
    /// The most unfinished jobs per user.
    var jobsPerUser = 10_000
    /// Seconds of the output in a chunk, for tests; nil: by its length.
    var chunkSeconds: Int?
    /// Seconds of a lease, where several daemons share a queue.
    var leaseSeconds = 60
    /// The queue's policy on failed and finished jobs.
    var policy = QueuePolicy()

    enum CodingKeys: String, CodingKey, CaseIterable {
        case stallSeconds, jobSeconds, memoryMiB, outputMiB, spoolMiB, chunkSeconds, leaseSeconds
        case jobsPerUser, crashes, interruptions, retries, retrySeconds, history, events

        /// The allowed values.
        var range: ClosedRange<Int> {
            switch self {
            case .stallSeconds: 5...86_400
            case .jobSeconds: 5...31_536_000
            case .memoryMiB: 1024...16_777_216
            case .outputMiB, .spoolMiB: 1...1_073_741_824
            case .chunkSeconds: 1...3600
            case .leaseSeconds: 3...3600
            case .jobsPerUser: 1...1_000_000
            case .crashes, .interruptions: 1...100
            case .retries: 0...100
            case .retrySeconds: 0...3600
            case .history: 0...1_000_000
            case .events: 1000...10_000_000
            }
        }
    }

    /// The default limits.
    init() {}

    /// Decodes and validates.
    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func read(_ key: CodingKeys, _ set: (Int) -> Void) throws {
            guard let number = try values.decodeIfPresent(Int.self, forKey: key) else { return }
            try InvalidValue.check(key, number, in: key.range)
            set(number)
        }
        try read(.stallSeconds) { stallSeconds = $0 }
        try read(.jobSeconds) { jobSeconds = $0 }
        try read(.memoryMiB) { memoryMiB = $0 }
        try read(.outputMiB) { outputMiB = $0 }
        try read(.spoolMiB) { spoolMiB = $0 }
        try read(.chunkSeconds) { chunkSeconds = $0 }
        try read(.leaseSeconds) { leaseSeconds = $0 }
        try read(.jobsPerUser) { jobsPerUser = $0 }
        try read(.crashes) { policy.crashes = $0 }
        try read(.interruptions) { policy.interruptions = $0 }
        try read(.retries) { policy.retries = $0 }
        try read(.retrySeconds) { policy.retryDelay = Int64($0) * 1000 }
        try read(.history) { policy.history = $0 }
        try read(.events) { policy.events = $0 }
    }
}
