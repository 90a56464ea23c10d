// AttemptEnd: how an attempt ends, and its job's state then. Pure values: the store writes the same state; if it cannot do so
// at once, this is the expected one.
public import Media

/// How an attempt ends.
public enum AttemptEnd: Hashable, Sendable {
    /// The output is published and on the disk.
    case completed
    /// There is no output.
    case failed(MediaError)
    /// There is no output, and no other attempt.
    case givenUp(MediaError)
    /// Its user cancelled it; there is no output.
    case cancelled
    /// The daemon stopped, not the job; there is no output.
    case interrupted
}

extension Job {
    /// The job as it will be once the end of its attempt is stored.
    public func foreseen(_ end: AttemptEnd, policy: QueuePolicy, now: Moment) -> Job {
        var job = self
        job.due = nil
        job.isPaused = false
        switch end {
        case .completed:
            job.state = .completed
            job.error = nil
        case .cancelled:
            job.state = .cancelled
            job.error = Job.cancellation
        case .interrupted:
            job.state = stateAgain
            return job
        case .givenUp(let error):
            job.state = .failed
            job.error = error
        case .failed(let error):
            if QueuePolicy.isCrash(error.code) { job.crashes += 1 } else { job.failures += 1 }
            switch policy.decide(error, crashes: crashes, failures: failures) {
            case .failed(let error):
                job.state = .failed
                job.error = error
            case .again(let delay):
                job.state = stateAgain
                job.error = error
                job.due = isPaused ? nil : Moment(milliseconds: now.milliseconds + delay)
                return job
            }
        }
        job.ended = max(now, started ?? created)
        return job
    }

    /// Its state when its attempt has ended and another is to follow: a paused job does not start again unasked.
    var stateAgain: JobState { isPaused ? .held : .waiting }

    /// The error of a cancelled job.
    static let cancellation = MediaError(.operationCancelled, "the job was cancelled")
}

extension JobQueue {
    /// Stores how an attempt ended. Idempotent: after a disk error it is unknown whether the first call succeeded.
    public func end(_ id: Int64, attempt: Int, _ end: AttemptEnd) throws(MediaError) -> Job {
        switch end {
        case .completed: try complete(id, attempt: attempt)
        case .failed(let error): try fail(id, attempt: attempt, error)
        case .givenUp(let error): try giveUp(id, attempt: attempt, error)
        case .cancelled: try cancel(id, attempt: attempt)
        case .interrupted: try interrupt(id, attempt: attempt, counted: false)
        }
    }
}
