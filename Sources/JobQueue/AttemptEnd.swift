// AttemptEnd: how an attempt ends, and what its job is then. Pure values: the store writes the same down, and where that
// cannot be done at once, this is what is known meanwhile.
public import Media

/// How an attempt ends.
public enum AttemptEnd: Hashable, Sendable {
    /// The output has its name and is on the disk.
    case completed
    /// There is no output.
    case failed(MediaError)
    /// Its user no longer wants it; there is no output.
    case cancelled
    /// The daemon ends and not the job; there is no output.
    case interrupted
}

extension Job {
    /// The job as it will be when the end of its attempt has been written down.
    public func foreseen(_ end: AttemptEnd, policy: QueuePolicy, now: Moment) -> Job {
        var job = self
        job.due = nil
        switch end {
        case .completed:
            job.state = .completed
            job.error = nil
        case .cancelled:
            job.state = .cancelled
            job.error = Job.cancellation
        case .interrupted:
            job.state = .waiting
            return job
        case .failed(let error):
            if QueuePolicy.isCrash(error.code) { job.crashes += 1 } else { job.failures += 1 }
            switch policy.judge(error, crashes: crashes, failures: failures) {
            case .failed(let error):
                job.state = .failed
                job.error = error
            case .again(let delay):
                job.state = .waiting
                job.error = error
                job.due = Moment(milliseconds: now.milliseconds + delay)
                return job
            }
        }
        job.ended = max(now, started ?? created)
        return job
    }

    /// The error of a job that its user cancelled.
    static let cancellation = MediaError(.operationCancelled, "the job was cancelled")
}

extension JobQueue {
    /// Writes down how an attempt ended. Said again it changes nothing: an error of the disk does not tell whether the first
    /// time counted.
    public func end(_ id: Int64, attempt: Int, _ end: AttemptEnd) throws(MediaError) -> Job {
        switch end {
        case .completed: try complete(id, attempt: attempt)
        case .failed(let error): try fail(id, attempt: attempt, error)
        case .cancelled: try cancel(id, attempt: attempt)
        case .interrupted: try interrupt(id, attempt: attempt, counted: false)
        }
    }
}
