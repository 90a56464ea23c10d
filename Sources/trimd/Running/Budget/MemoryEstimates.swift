// MemoryEstimates: how much memory workers take, by kind of work: the plan's estimate, corrected by what earlier workers of the
// kind were measured to take. Pure values; a restart begins anew.
internal import Media

/// Estimates of the memory of workers.
struct MemoryEstimates: Hashable, Sendable {
    /// A kind of work whose estimates are wrong in the same way.
    enum Kind: Hashable, Sendable {
        /// A whole export, or a plan.
        case export
        /// Joining units.
        case join
        /// A unit.
        case unit(ExportUnit.Kind)
    }

    /// Bytes of a worker of which nothing is known: an export of 8K takes 1.2 GiB of address space, others half as much.
    static let usual: Int64 = 512 << 20
    /// No worker takes less: its libraries and buffers.
    static let least: Int64 = 48 << 20

    /// The highest ratio of measured to estimated memory, slowly forgotten; 1 at first.
    private var ratios: [Kind: Double] = [:]

    /// The estimate for a worker, in bytes; `planned` is the plan's own, if it has one.
    func bytes(_ kind: Kind, planned: Int64? = nil) -> Int64 {
        let estimate = Double(MemoryEstimates.base(planned)) * (ratios[kind] ?? 1)
        return max(MemoryEstimates.least, Int64(min(estimate, 1e15)))
    }

    /// Learns from a worker that has ended: a higher ratio counts at once, a lower one by an eighth each time.
    mutating func learn(_ kind: Kind, planned: Int64? = nil, measured: Int64) {
        guard measured > 0 else { return }
        let ratio = Double(measured) / Double(MemoryEstimates.base(planned))
        let known = ratios[kind] ?? ratio
        ratios[kind] = max(ratio, known - (known - ratio) / 8)
    }

    private static func base(_ planned: Int64?) -> Int64 { max(least, planned ?? usual) }
}
