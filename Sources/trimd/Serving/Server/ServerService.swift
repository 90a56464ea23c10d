// ServerService: the methods about the daemon; each one has a file named after its method. Any queue.
internal import Glibc
internal import JobQueue
internal import Media
internal import Platform

/// The methods about the daemon.
final class ServerService: Sendable {
    let configuration: Configuration
    let store: any JobQueue
    let scheduler: Scheduler
    let pool: WorkerPool
    let events: EventLongPoll
    let presets: PresetCatalogue
    /// The data loss found when trimd started.
    let loss: QueueLoss
    let healthChecks: Doctor
    /// The nodes that share the queue.
    let nodes: NodeList
    /// Ends the daemon.
    let exit: @Sendable () -> Void
    /// The daemon's start.
    let since = Moment.now

    /// A service on running parts.
    init(
        _ configuration: Configuration, store: any JobQueue, scheduler: Scheduler, pool: WorkerPool,
        events: EventLongPoll, presets: PresetCatalogue, loss: QueueLoss, nodes: NodeList,
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
        self.nodes = nodes
        healthChecks = Doctor(configuration, store: store, presets: presets, loss: loss)
    }

    /// Free bytes on the file system of the state directory.
    func freeState() throws(MediaError) -> Int64 {
        let state = configuration.state
        return try forUser(state) { () throws(SystemError) in
            try freeBytes(at: try Descriptor(opening: state, O_RDONLY | O_DIRECTORY))
        }
    }
}
