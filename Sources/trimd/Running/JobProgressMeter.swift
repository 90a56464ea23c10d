// JobProgressMeter: combines the workers' progress into one fraction for the whole job, which never falls and is 1 only when
// all is done. A pure value, used on its owner's queue.
internal import Media

/// The progress of one job.
struct JobProgressMeter: Hashable, Sendable {
    /// The fraction at which the export is done.
    static let exporting = 0.97
    /// The fraction at which all units of an export are made; the rest of the export joins them.
    static let made = 0.96
    /// The fraction at which verification is done; the rest is for publishing the output.
    static let verified = 0.99

    /// The last reported progress.
    private(set) var latest = Progress(fraction: 0, phase: .preparing)

    /// Takes the export worker's progress.
    mutating func export(_ progress: Progress) -> Progress {
        advance(progress, to: JobProgressMeter.unit(progress.fraction) * JobProgressMeter.exporting)
    }

    /// Starts no lower than what an earlier attempt may have reported.
    mutating func begin(at fraction: Double) {
        latest.fraction = max(
            latest.fraction, min(JobProgressMeter.unit(fraction), JobProgressMeter.verified))
    }

    /// Takes the share of an export's units that is made; speed and remaining time are of the units.
    mutating func units(_ progress: Progress) -> Progress {
        advance(progress, to: JobProgressMeter.unit(progress.fraction) * JobProgressMeter.made)
    }

    /// Takes the progress of joining units, with the source time up to which they are joined.
    mutating func join(_ progress: Progress) -> Progress {
        let share = JobProgressMeter.exporting - JobProgressMeter.made
        return advance(
            Progress(fraction: 0, phase: .finishing, time: progress.time),
            to: JobProgressMeter.made + JobProgressMeter.unit(progress.fraction) * share)
    }

    /// Takes the verified fraction of the output.
    mutating func verify(_ fraction: Double) -> Progress {
        let share = JobProgressMeter.verified - JobProgressMeter.exporting
        return advance(
            Progress(fraction: 0, phase: .verifying),
            to: JobProgressMeter.exporting + JobProgressMeter.unit(fraction) * share)
    }

    private mutating func advance(_ progress: Progress, to fraction: Double) -> Progress {
        var next = progress
        next.fraction = max(latest.fraction, fraction)
        // A phase never goes back, whatever a worker reports.
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
