// JobProgressMeter: from what workers say of themselves to what users see: one number over the whole job that
// never falls and is 1 only when all is done. A pure value; its owner's queue is its queue.
internal import Media

/// The progress of one job.
struct JobProgressMeter: Hashable, Sendable {
    /// The part of the whole that is the export's own.
    static let exporting = 0.97
    /// The part up to which the output is being verified; the rest is for giving it its name.
    static let verified = 0.99

    /// What was last said.
    private(set) var latest = Progress(fraction: 0, phase: .preparing)

    /// The exporting worker says how far it is.
    mutating func export(_ progress: Progress) -> Progress {
        advance(progress, to: JobProgressMeter.unit(progress.fraction) * JobProgressMeter.exporting)
    }

    /// So much of the output has been verified.
    mutating func verify(_ fraction: Double) -> Progress {
        let share = JobProgressMeter.verified - JobProgressMeter.exporting
        return advance(
            Progress(fraction: 0, phase: .verifying),
            to: JobProgressMeter.exporting + JobProgressMeter.unit(fraction) * share)
    }

    private mutating func advance(_ progress: Progress, to fraction: Double) -> Progress {
        var next = progress
        next.fraction = max(latest.fraction, fraction)
        // A phase does not come back, whatever a worker says.
        if JobProgressMeter.rank(next.phase) < JobProgressMeter.rank(latest.phase) {
            next.phase = latest.phase
        }
        if let speed = next.speed, !speed.isFinite || speed < 0 { next.speed = nil }
        if let remaining = next.remaining, !remaining.isFinite || remaining < 0 { next.remaining = nil }
        latest = next
        return next
    }

    private static func rank(_ phase: ExportPhase) -> Int { ExportPhase.allCases.firstIndex(of: phase) ?? 0 }

    private static func unit(_ number: Double) -> Double { number.isFinite ? min(max(number, 0), 1) : 0 }
}
