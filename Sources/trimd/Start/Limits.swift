// Limits: what one job may take before it is ended, in the settings under `limits`. The daemon's watchdog holds
// the times; the kernel, told by the worker itself, the rest. Values only.
internal import Media

/// What one job may take.
struct Limits: Hashable, Sendable, Decodable {
    /// Seconds without a sign of work. A slow disk and a long group of pictures are far below; a file on a
    /// network share that has gone is above.
    var stallSeconds = 120
    /// Seconds from its start to its end: a day, for films of hours at the slowest settings.
    var jobSeconds = 86_400
    /// MiB of address space an export may have; nil: 8 GiB and half a GiB a processor.
    var memoryMiB: Int?
    /// MiB an output may have; nil: as many as the disk holds.
    var outputMiB: Int?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case stallSeconds, jobSeconds, memoryMiB, outputMiB
    }

    /// What the numbers can be.
    private static let ranges: [CodingKeys: ClosedRange<Int>] = [
        .stallSeconds: 5...86_400, .jobSeconds: 5...31_536_000, .memoryMiB: 1024...16_777_216,
        .outputMiB: 1...1_073_741_824,
    ]

    /// The usual limits.
    init() {}

    /// Reads and checks.
    init(from decoder: any Decoder) throws {
        let values = try StrictKeys(decoder, CodingKeys.self)
        func read(_ key: CodingKeys) throws -> Int? {
            guard let number = try values.may(key, Int.self) else { return nil }
            if let range = Limits.ranges[key], !(range ~= number) {
                throw values.wrong(key, "is \(number), and must be \(range.words)")
            }
            return number
        }
        stallSeconds = try read(.stallSeconds) ?? stallSeconds
        jobSeconds = try read(.jobSeconds) ?? jobSeconds
        memoryMiB = try read(.memoryMiB)
        outputMiB = try read(.outputMiB)
    }
}
