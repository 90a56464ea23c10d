// ServerService: what trimd tells of itself and does for all; each verb is a file of its own, named as its method. Any queue.
internal import Glibc
internal import JobQueue
internal import Media
internal import Platform

/// What trimd tells of itself, and does for all.
final class ServerService: Sendable {
    let configuration: Configuration
    let store: any JobQueue
    let scheduler: Scheduler
    let pool: WorkerPool
    let events: EventLongPoll
    let presets: PresetCatalogue
    /// What the queue had lost when trimd was started.
    let loss: QueueLoss
    let checkup: Checkup
    /// Ends the daemon.
    let exit: @Sendable () -> Void
    /// When it was started.
    let since = Moment.now

    /// A service of parts that are running.
    init(
        _ configuration: Configuration, store: any JobQueue, scheduler: Scheduler, pool: WorkerPool,
        events: EventLongPoll, presets: PresetCatalogue, loss: QueueLoss,
        exit: @escaping @Sendable () -> Void
    ) {
        self.configuration = configuration
        self.store = store
        self.scheduler = scheduler
        self.pool = pool
        self.events = events
        self.presets = presets
        self.loss = loss
        self.exit = exit
        checkup = Checkup(configuration, store: store, presets: presets, loss: loss)
    }

    /// Bytes that are free where the queue is.
    func freeState() throws(MediaError) -> Int64 {
        let state = configuration.state
        return try forUser(state) { () throws(SystemError) in
            try freeBytes(at: try Descriptor(opening: state, O_RDONLY | O_DIRECTORY))
        }
    }
}
