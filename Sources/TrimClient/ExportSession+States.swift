// The states of an export, as a sequence.
public import Media

extension ExportSession {
    /// How far an export is: a fraction, a phase, the speed and an estimate of the time left.
    public typealias Progress = Media.Progress

    /// The state of an export.
    public enum State: Hashable, Sendable {
        /// It is in trimd's queue.
        case waiting
        /// A worker makes it.
        case exporting(Progress)
        /// The output is complete, verified and in its place.
        case completed(JobReport)
        /// There is no output.
        case failed(ExportError)
        /// It was cancelled; there is no output.
        case cancelled

        /// Whether no other state follows.
        public var isFinal: Bool {
            switch self {
            case .waiting, .exporting: false
            case .completed, .failed, .cancelled: true
            }
        }
    }

    /// The states of the export: the present one, then each that follows, and after the last the end.
    ///
    /// It may be asked for before the export begins, any number of times. To one who reads slowly the oldest states are lost.
    /// - Parameter updateInterval: The least time between two reports of progress, from 1/100 s to an hour.
    public func states(updateInterval: Duration = .milliseconds(250)) -> AsyncStream<State> {
        run.states(interval: updateInterval)
    }

    /// The states of the export, as AVFoundation is asked for them: with the interval in seconds.
    /// - Parameter updateInterval: The least time between two reports of progress, in seconds: what is not from 1/100 s to an hour becomes
    ///   the nearest of these. With `.infinity` hardly more than the changes of the state are reported.
    public func states(updateInterval: Double) -> AsyncStream<State> {
        let seconds = updateInterval.isNaN ? 0.25 : min(max(updateInterval, 0.01), 3600)
        return states(updateInterval: .seconds(seconds))
    }
}

extension ExportSession.State {
    /// The state that a job's report says; nil: of a job that is ended.
    init(_ job: JobReport) {
        switch job.status {
        case .waiting, .held: self = .waiting
        case .exporting:
            self = .exporting(
                Media.Progress(
                    fraction: job.progress, phase: job.phase ?? .preparing, speed: job.speed,
                    remaining: job.remaining))
        case .completed: self = .completed(job)
        case .failed:
            self = .failed(
                ExportError(job.error ?? MediaError(.unknown, "the job failed for an unknown reason")))
        case .cancelled: self = .cancelled
        }
    }
}
