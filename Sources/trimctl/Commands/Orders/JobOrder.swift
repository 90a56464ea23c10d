// An order about jobs: its method, its words, and the jobs for which it makes sense. Values only; the daemon decides
// about each job.
internal import Media
internal import Wire

/// An order about jobs.
enum JobOrder: String, Hashable, Sendable {
    case cancel, hold, release, retry, remove

    /// Its method.
    var method: Method {
        switch self {
        case .cancel: .jobCancel
        case .hold: .jobHold
        case .release: .jobRelease
        case .retry: .jobRetry
        case .remove: .jobRemove
        }
    }

    /// The word for jobs that got it.
    var done: String {
        switch self {
        case .cancel: "cancelled"
        case .hold: "held"
        case .release: "released"
        case .retry: "waiting again"
        case .remove: "removed"
        }
    }

    /// The statuses of jobs that it is for, in the order in which they get it: those that run last, so that none of the others
    /// starts in their place.
    var statuses: [JobStatus] {
        switch self {
        case .cancel: [.waiting, .held, .exporting]
        case .hold: [.waiting, .exporting]
        case .release: [.held, .exporting]
        case .retry: [.failed, .cancelled]
        case .remove: [.completed, .failed, .cancelled]
        }
    }

    /// Whether it changes a job that is one of several.
    func suits(_ job: JobReport) -> Bool {
        guard statuses.contains(job.status) else { return false }
        guard job.status == .exporting else { return true }
        switch self {
        case .hold: return job.paused != true
        case .release: return job.paused == true
        default: return true
        }
    }
}
