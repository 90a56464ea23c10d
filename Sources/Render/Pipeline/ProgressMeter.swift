// The progress of an export, for people: a fraction that never decreases, a speed and an estimate. The caller supplies the clock.
package import Media
package import MediaTime
package import Source

/// Combines phases and times into progress, and reports it at most ten times per second.
package final class ProgressMeter {
    /// The fraction of the whole at which each phase begins.
    private static func begin(_ phase: ExportPhase) -> Double {
        switch phase {
        case .preparing: 0
        case .exporting: 0.01
        case .finishing: 0.98
        case .verifying: 1
        }
    }
    private let length: Time?
    private let segments: Segments
    private let first: Time
    private let clock = ContinuousClock()
    private let began: ContinuousClock.Instant
    private var phase = ExportPhase.preparing
    /// The part of the exporting phase in progress: a first pass is one.
    private var span = 0.0...1.0
    private var exportingSince: ContinuousClock.Instant?
    private var lastReport: ContinuousClock.Instant?
    private var highest = 0.0
    /// Up to when each track is written; nil: it is complete, or nothing of it is.
    private var times: [Time?] = []
    private let report: @Sendable (Progress) -> Void

    /// Creates a meter for an export of `segments` with this `length` (nil if unknown).
    /// - Parameter first: the time of the whole output at which it begins: that of a chunk. Times that are reached are counted from there.
    package init(
        _ segments: Segments, from first: Time = .zero, length: Time?,
        report: @escaping @Sendable (Progress) -> Void
    ) {
        self.segments = segments
        self.first = first
        self.length = length
        self.report = report
        began = clock.now
    }

    /// Enters a phase.
    /// - Parameter share: the fraction of the exporting phase after which another pass follows.
    package func enter(_ phase: ExportPhase, upTo share: Double = 1) {
        if phase == .exporting { span = (share < 1 ? 0 : span.upperBound < 1 ? span.upperBound : 0)...share }
        self.phase = phase
        if phase == .exporting { exportingSince = clock.now }
        send(ProgressMeter.begin(phase), nil)
    }

    /// Reports that a track of the output has been written up to an output time.
    package func reached(_ time: Time, of track: Int) {
        while times.count <= track { times.append(nil) }
        times[track] = max(times[track] ?? .zero, time)
        let now = clock.now
        if let lastReport, now - lastReport < .milliseconds(100) { return }
        guard let slowest = times.compactMap(\.self).min() else { return }
        let share = length.map { $0.seconds > 0 ? min(1, slowest.seconds / $0.seconds) : 1 } ?? 0
        let from = ProgressMeter.begin(.exporting)
        let part = span.lowerBound + share * (span.upperBound - span.lowerBound)
        send(from + part * (ProgressMeter.begin(.finishing) - from), slowest)
    }

    /// Reports that a track is complete: the others determine the progress.
    func ended(_ track: Int) { if track < times.count { times[track] = nil } }

    private func send(_ fraction: Double, _ time: Time?) {
        let now = clock.now
        highest = max(highest, fraction)
        var progress = Progress(fraction: highest, phase: phase)
        if let time, let since = exportingSince {
            let elapsed = (now - since) / .seconds(1)
            // Encoders return nothing for the first dozens of frames: an early speed would be far too low.
            if elapsed > 0.5, time.seconds > 0 {
                let speed = time.seconds / elapsed
                progress.speed = speed
                // The speed of another pass is unknown.
                if let length, span.upperBound == 1, elapsed > 1.5 || time.seconds > length.seconds / 10 {
                    progress.remaining = max(0, (length.seconds - time.seconds) / speed)
                }
            }
            progress.time = segments.source(first + time)
        }
        lastReport = now
        report(progress)
    }
}
