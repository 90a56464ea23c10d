// JobService: the methods about jobs; each one has a file named after its method. It decides who may see which job, and calls
// the queue, the scheduler and the workers; it knows no JSON and no socket (Handlers does). Any queue.
internal import JobQueue
internal import Media

/// The methods about jobs.
struct JobService: Sendable {
    let store: any JobQueue
    let scheduler: Scheduler
    /// Runs plans.
    let shortRequests: ShortRequests
    /// The watchers of jobs, and the progress of running ones.
    let hub: EventHub
    let logs: JobLogs
    let validator: SubmissionValidator
    /// The most unfinished jobs per user.
    let limit: Int
    /// The nodes that share the queue.
    let nodes: NodeList

    /// A job as its user sees it now.
    func report(_ job: Job) -> JobReport {
        nodes.with(job, hub.report(of: job))
    }
}
