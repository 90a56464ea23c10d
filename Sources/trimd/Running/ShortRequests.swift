// ShortRequests: runs workers on files for waiting clients, one worker each. A few run at a time, in turns between users; a user
// with no running worker gets a slot at once, within a limit. So a user who asks often, or whose disk does not respond, delays
// nobody else. It opens no path: its files are open already. It keeps nothing across restarts and runs on its own queue.
internal import Dispatch
internal import Glibc
internal import JobQueue
internal import Media
internal import Text
internal import Wire

/// Probes and checks.
///
/// `@unchecked Sendable`: variables are accessed on `queue` only.
final class ShortRequests: @unchecked Sendable {
    /// Receives the answer.
    typealias Then = @Sendable (Result<JSONValue, MediaError>) -> Void

    /// A worker's task.
    struct Work: Sendable {
        let method: WorkerMethod
        let params: any Encodable & Sendable
        /// The file, and its path for messages.
        let file: OpenedFile
        let path: String
        /// The user, for the fair share; and the connection: the work is ended when it closes.
        let user: UInt32
        let client: ObjectIdentifier
        /// Further descriptors for the worker; the caller keeps them open until the answer.
        var beside: [Int32] = []
        /// Further files for the worker.
        var companions: [OpenedFile] = []

        /// The descriptors of the worker's request.
        fileprivate var descriptors: [Int32] {
            [file.descriptor] + companions.map(\.descriptor) + beside
        }
    }

    private struct Run {
        let worker: Worker
        let work: Work
        let then: Then
        var isOverdue = false
        /// The client has its answer; the worker is ending.
        var isAnswered = false
    }

    private let queue = DispatchQueue(label: "trimd.short-requests")
    private let pool: WorkerPool
    private let slots: Int
    private let timeLimit: Int?
    private var running: [ObjectIdentifier: Run] = [:]
    /// Workers that were killed but still wait for a disk in the kernel; they occupy no slot.
    private var stuck: [ObjectIdentifier: (worker: Worker, user: UInt32)] = [:]
    private var waiting = FairQueue<(work: Work, then: Then)>()
    private var isClosed = false

    /// The most waiting requests, per user and in total; a user with none waiting may always add one.
    static let mostWaiting = (perUser: 32, all: 256)
    /// A user with this many stuck workers gets no more of them.
    private static let mostStuck = 4

    /// At most `slots` workers at once, each for at most `timeLimit` seconds; nil: as long as a worker shows progress.
    init(pool: WorkerPool, slots: Int, timeLimit: Int? = 60) {
        self.pool = pool
        self.slots = slots
        self.timeLimit = timeLimit
    }

    /// Asks a worker; `then` is called once, when the work is done or cannot be ended.
    func ask(_ work: Work, then: @escaping Then) {
        queue.async { [self] in
            if let refusal = refusal(for: work.user) { return then(.failure(refusal)) }
            waiting.add((work, then), of: work.user)
            next()
        }
    }

    /// Ends all running workers.
    func close() {
        queue.async { [self] in
            isClosed = true
            for run in running.values { run.worker.kill() }
        }
    }

    /// Ends the work of a client that has disconnected.
    func forget(_ client: ObjectIdentifier) {
        queue.async { [self] in
            for run in running.values where run.work.client == client { run.worker.kill() }
            for (_, then) in waiting.remove(where: { $1.work.client == client }) {
                then(.failure(MediaError(.operationCancelled, "whoever asked has gone")))
            }
        }
    }

    // MARK: on the queue

    private func refusal(for user: UInt32) -> MediaError? {
        if isClosed { return MediaError(.operationInterrupted, "trimd is ending") }
        if stuckCount(of: user) >= ShortRequests.mostStuck { return ShortRequests.noAnswer }
        let mine = waiting.count(of: user)
        guard
            mine >= ShortRequests.mostWaiting.perUser
                || mine > 0 && waiting.count >= ShortRequests.mostWaiting.all
        else { return nil }
        return MediaError(
            .limitReached, "\(mine) of your files wait to be looked at already",
            remedy: "wait for some of the answers")
    }

    /// The error while a disk blocks a user's paths or workers in the kernel.
    static let noAnswer = MediaError(
        .limitReached,
        "opening or reading some of your files does not end: the disk or server they lie on does not answer",
        remedy: "see to that disk, then try again")

    private func stuckCount(of user: UInt32) -> Int { stuck.values.count { $0.user == user } }

    private func mayStart(_ user: UInt32) -> Bool {
        let mine = running.values.count { $0.work.user == user }
        // A user with nothing running does not wait for other users' work.
        if mine == 0 { return running.count < 2 * slots + 4 }
        return running.count < slots
    }

    private func next() {
        dispatchPrecondition(condition: .onQueue(queue))
        while !isClosed, let (_, (work, then)) = waiting.next(where: mayStart) { start(work, then) }
    }

    private func start(_ work: Work, _ then: @escaping Then) {
        let worker: Worker
        do throws(MediaError) { worker = try pool.take() } catch { return then(.failure(error)) }
        let key = ObjectIdentifier(worker)
        running[key] = Run(worker: worker, work: work, then: then)
        var client = Worker.Client { [self] outcome in queue.async { self.ended(key, outcome) } }
        client.files = work.file.files
        client.onGone = { [self] in
            queue.async {
                self.stuck[key] = nil
                self.next()
            }
        }
        // A picture counts when nothing can write to it any more.
        if work.beside.isEmpty {
            client.onAnswer = { [self] outcome in queue.async { self.answered(key, outcome) } }
        }
        worker.serve(work.method, work.params, passing: work.descriptors, client)
        guard let timeLimit else { return }
        queue.asyncAfter(deadline: .now() + .seconds(timeLimit)) { [self, weak worker] in
            guard let worker, running[key]?.worker === worker else { return }
            running[key]?.isOverdue = true
            worker.kill()
        }
    }

    /// Answers the client. The worker keeps its slot until it is gone.
    private func answered(_ key: ObjectIdentifier, _ outcome: Worker.Outcome) {
        guard let run = running[key], !run.isAnswered, !run.isOverdue else { return }
        running[key]?.isAnswered = true
        run.then(outcome)
    }

    private func ended(_ key: ObjectIdentifier, _ outcome: Worker.Outcome) {
        guard let run = running.removeValue(forKey: key) else { return }
        if run.worker.isStuck {
            stuck[key] = (run.worker, run.work.user)
            if stuckCount(of: run.work.user) >= ShortRequests.mostStuck { refuseWaiting(of: run.work.user) }
        }
        if !run.isAnswered { run.then(run.isOverdue ? .failure(tooSlow(run.work.path)) : outcome) }
        next()
    }

    private func refuseWaiting(of user: UInt32) {
        for (_, then) in waiting.remove(where: { other, _ in other == user }) {
            then(.failure(ShortRequests.noAnswer))
        }
    }

    private func tooSlow(_ path: String) -> MediaError {
        let time = timeLimit.map { " within \($0) s" } ?? ""
        return MediaError(.undecodableMediaData, "\(path) could not be looked at\(time)")
    }
}
