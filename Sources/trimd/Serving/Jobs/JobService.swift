// JobService: what trimd does about jobs; each verb is a file of its own, named as its method. It decides who may see what, and asks
// the queue, the scheduler and the workers; it knows no JSON and no socket (Handlers does). Any queue.
internal import JobQueue
internal import Media

/// What trimd does about jobs.
struct JobService: Sendable {
    let store: any JobQueue
    let scheduler: Scheduler
    /// Where plans are asked for.
    let inspection: Inspection
    /// Who watches jobs, and how far those are that run.
    let hub: EventHub
    let logs: JobLogs
    let validator: SubmissionValidator
    /// So many unfinished jobs one user may have.
    let limit: Int

    /// A job as its user sees it now.
    func report(_ job: Job) -> JobReport {
        hub.report(of: job)
    }
}
