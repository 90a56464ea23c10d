// One run of an export: a thread submits the job and follows it to its end, and tells those who read its states or observe its times.
// They may come and go at any time, from any task; the thread watches the job as finely as the most impatient of them wants. A run is
// made once. It holds no settings: these have become a request before.
internal import Media
internal import MediaTime
internal import Synchronization
internal import Wire

/// The run of an export.
final class ExportRun: Sendable {
    private struct Shared {
        var state: ExportSession.State?
        var readers: [Int: StateReader] = [:]
        var observers: [Int: ObserverState] = [:]
        var lastID = 0
        var isStarted = false
        /// Whether the thread waits for news of the job, and looks for new readers when it is woken.
        var isFollowing = false

        mutating func nextID() -> Int {
            lastID += 1
            return lastID
        }

        /// How finely the job is to be watched.
        var wishes: Wishes {
            let intervals =
                readers.values.map { Time($0.interval) } + observers.values.compactMap(\.interval)
            return Wishes(
                interval: intervals.min().map { min(max($0, Wishes.shortest), Wishes.longest) },
                boundaries: observers.values.flatMap(\.boundaries))
        }
    }

    /// How a job is watched.
    private struct Wishes {
        let interval: Time?
        let boundaries: [Time]

        /// The limits of the protocol.
        static let shortest = Time(1, 100), longest = Time(3600, 1)
    }

    private let shared = Mutex(Shared())
    private let signal = StopSignal()

    // MARK: The thread

    /// Makes the export; ends it when the task is cancelled.
    /// - Parameter request: makes the request. Its error, too, ends the run.
    func export(
        socket: String?, _ request: () throws(ExportError) -> SubmitParams
    ) async throws(ExportError) -> JobReport {
        let isFirst = shared.withLock { shared in
            defer { shared.isStarted = true }
            return !shared.isStarted
        }
        guard isFirst else {
            throw ExportError(
                MediaError(
                    .invalidRequest, "this session has exported already", remedy: "make another one"))
        }
        do throws(ExportError) {
            let request = try request()
            let job = try await DaemonThread.run(socket: socket, signal: signal) {
                daemon throws(MediaError) in
                try self.follow(try daemon.submit(request), daemon)
            }
            let end = ExportSession.State(job)
            tell(end)
            switch end {
            case .completed: return job
            case .failed(let error): throw error
            case .cancelled, .waiting, .exporting:
                throw ExportError(job.error ?? MediaError(.operationCancelled, "the job was cancelled"))
            }
        } catch {
            if case .cancelled = error { tell(.cancelled) } else { tell(.failed(error)) }
            throw error
        }
    }

    /// Follows the job to its end.
    private func follow(_ job: JobReport, _ daemon: DaemonConnection) throws(MediaError) -> JobReport {
        let follower = JobFollower(daemon, [job.id])
        follower.onChange = { job in if !job.status.isFinal { self.tell(ExportSession.State(job)) } }
        follower.onProgress = { self.tell($0) }
        follower.onBoundary = { self.tell(passing: $0.boundary) }
        follower.onInterrupt = { [unowned follower] _ in
            if self.signal.isStopped { return .cancel }
            self.watch(follower)
            return .watchAgain
        }
        tell(ExportSession.State(job))
        watch(follower)
        _ = try follower.run()
        return follower.jobs[job.id] ?? job
    }

    private func watch(_ follower: JobFollower) {
        let wishes = shared.withLock { shared in
            shared.isFollowing = true
            return shared.wishes
        }
        follower.interval = wishes.interval
        follower.boundaries = wishes.boundaries.isEmpty ? nil : wishes.boundaries
    }

    // MARK: Readers and observers

    /// The states from now on.
    func states(interval: Duration) -> AsyncStream<ExportSession.State> {
        AsyncStream(bufferingPolicy: .bufferingNewest(64)) { continuation in
            let (id, isFollowing, isOver) = shared.withLock { shared in
                let id = shared.nextID()
                var reader = StateReader(interval: interval, continuation: continuation)
                if let state = shared.state { reader.tell(state) }
                let isOver = shared.state?.isFinal == true
                if !isOver { shared.readers[id] = reader }
                return (id, shared.isFollowing, isOver)
            }
            continuation.onTermination = { _ in
                _ = self.shared.withLock { $0.readers.removeValue(forKey: id) }
            }
            if isOver { continuation.finish() }
            if isFollowing { signal.wake() }
        }
    }

    /// Adds an observer.
    func add(_ observer: ObserverState) -> TimeObserver {
        let (id, isFollowing) = shared.withLock { shared in
            let id = shared.nextID()
            if shared.state?.isFinal != true { shared.observers[id] = observer }
            return (id, shared.isFollowing)
        }
        if isFollowing { signal.wake() }
        return TimeObserver(id: id)
    }

    /// Removes an observer.
    func remove(_ observer: TimeObserver) {
        _ = shared.withLock { $0.observers.removeValue(forKey: observer.id) }
    }

    // MARK: News

    private func tell(_ state: ExportSession.State) {
        let ended = shared.withLock { shared -> [StateReader] in
            shared.state = state
            for id in shared.readers.keys { shared.readers[id]?.tell(state) }
            guard state.isFinal else { return [] }
            shared.isFollowing = false
            defer { (shared.readers, shared.observers) = ([:], [:]) }
            return Array(shared.readers.values)
        }
        // Not under the lock: the end of a sequence removes its reader.
        for reader in ended { reader.continuation.finish() }
    }

    private func tell(_ progress: JobProgress) {
        tell(
            .exporting(
                Media.Progress(
                    fraction: progress.progress, phase: progress.phase, speed: progress.speed,
                    remaining: progress.remaining, time: progress.time)))
        guard let time = progress.time else { return }
        let now = ContinuousClock.now
        let calls = shared.withLock { shared in
            shared.observers.keys.compactMap { shared.observers[$0]?.passing(time, at: now) }
        }
        for call in calls { call(time) }
    }

    private func tell(passing time: Time) {
        let calls = shared.withLock { shared in
            shared.observers.keys.compactMap { shared.observers[$0]?.passing(boundary: time) }
        }
        for call in calls { call(time) }
    }
}
