// Limits: the object `limits` of the settings file: what one job may take before it is ended, how much one user may ask
// for, how often a job is tried again, and how much of the past is kept. The daemon's watchdog holds the times of a job; the
// kernel, told by the worker itself, the rest. Every key is optional; one that nobody knows, or a number out of range, is an
// error.
internal import JobQueue
internal import Media

/// How much is enough.
struct Limits: Hashable, Sendable, Decodable {
    /// Seconds without a sign of work. A slow disk and a long group of pictures are far below; a file on a
    /// network share that has gone is above.
    var stallSeconds = 120
    /// Seconds from its start to its end: a day, for films of hours at the slowest settings.
    var jobSeconds = 86_400
    /// MiB of address space an export may have; nil: 8 GiB and half a GiB a processor.
    var memoryMiB: Int?
    /// MiB an output may have; nil: what OutputBound says of each job.
    var outputMiB: Int?
    /// So many unfinished jobs one user may have.
    var jobsPerUser = 10_000
    /// What the queue does about failures and about the past.
    var policy = QueuePolicy()

    enum CodingKeys: String, CodingKey, CaseIterable {
        case stallSeconds, jobSeconds, memoryMiB, outputMiB
        case jobsPerUser, crashes, interruptions, retries, retrySeconds, history, events

        /// What the number can be.
        var range: ClosedRange<Int> {
            switch self {
            case .stallSeconds: 5...86_400
            case .jobSeconds: 5...31_536_000
            case .memoryMiB: 1024...16_777_216
            case .outputMiB: 1...1_073_741_824
            case .jobsPerUser: 1...1_000_000
            case .crashes, .interruptions: 1...100
            case .retries: 0...100
            case .retrySeconds: 0...3600
            case .history: 0...1_000_000
            case .events: 1000...10_000_000
            }
        }
    }

    /// The usual limits.
    init() {}

    /// Reads and checks.
    init(from decoder: any Decoder) throws {
        let values = try StrictKeys(decoder, CodingKeys.self)
        func read(_ key: CodingKeys, _ set: (Int) -> Void) throws {
            guard let number = try values.may(key, Int.self) else { return }
            guard key.range ~= number else {
                throw values.wrong(key, "is \(number), and must be \(key.range.words)")
            }
            set(number)
        }
        try read(.stallSeconds) { stallSeconds = $0 }
        try read(.jobSeconds) { jobSeconds = $0 }
        try read(.memoryMiB) { memoryMiB = $0 }
        try read(.outputMiB) { outputMiB = $0 }
        try read(.jobsPerUser) { jobsPerUser = $0 }
        try read(.crashes) { policy.crashes = $0 }
        try read(.interruptions) { policy.interruptions = $0 }
        try read(.retries) { policy.retries = $0 }
        try read(.retrySeconds) { policy.retryDelay = Int64($0) * 1000 }
        try read(.history) { policy.history = $0 }
        try read(.events) { policy.events = $0 }
    }
}
