// Inspection: looking at a file for somebody who waits for the answer, in a worker of its own, a few at a
// time and each for a limited time. It queues nothing durable; who asks too much at once is told so. It lives
// on its own queue.
internal import Dispatch
internal import Glibc
internal import JobQueue
internal import Media
internal import Wire

/// Probes and checks.
///
/// `@unchecked Sendable`: what is not constant is touched on `queue` only.
final class Inspection: @unchecked Sendable {
    /// A second file that goes to the worker.
    struct Companion: Sendable {
        /// Its path.
        var path: String
        /// What it was when its user showed it.
        var place: String?
    }

    /// What is done with the answer.
    typealias Then = @Sendable (Result<JSONValue, MediaError>) -> Void

    /// What is asked of a worker.
    struct Work: Sendable {
        fileprivate let method: WorkerMethod
        fileprivate let params: any Encodable & Sendable
        fileprivate let path: String
        fileprivate let shown: FileIdentity?
        fileprivate let client: ObjectIdentifier?
        fileprivate let beside: [Int32]
        fileprivate var companion: Companion?

        /// A question about a file; the caller has judged its path's syntax.
        /// - Parameters:
        ///   - shown: the file that its user has shown the right to read, where it is not trimd's own: no other one is
        ///     looked at.
        ///   - client: whoever asks; when it goes, the work is ended.
        ///   - beside: more descriptors for the worker, which the caller keeps open until the answer.
        init(
            _ method: WorkerMethod, _ params: some Encodable & Sendable, about path: String,
            shown: FileIdentity? = nil, for client: ObjectIdentifier? = nil, passing beside: [Int32] = []
        ) {
            self.method = method
            self.params = params
            self.path = path
            self.shown = shown
            self.client = client
            self.beside = beside
        }
    }

    private let queue = DispatchQueue(label: "trimd.inspection")
    private let pool: WorkerPool
    private let places: Int
    private let timeLimit: Int?
    private var running: [ObjectIdentifier: (worker: Worker, client: ObjectIdentifier?)] = [:]
    private var overdue: Set<ObjectIdentifier> = []
    private var waiting: [(work: Work, then: Then)] = []
    private var isClosed = false

    /// So many may wait for a place.
    private static let mostWaiting = 64

    /// At most `places` at once, each for at most `timeLimit` seconds; nil: as long as a worker shows signs of work.
    init(pool: WorkerPool, places: Int, timeLimit: Int? = 60) {
        self.pool = pool
        self.places = places
        self.timeLimit = timeLimit
    }

    /// Asks a worker about a file.
    func ask(
        _ method: WorkerMethod, _ params: some Encodable & Sendable, about path: String,
        shown: FileIdentity? = nil, with companion: Companion? = nil, then: @escaping Then
    ) {
        var work = Work(method, params, about: path, shown: shown)
        work.companion = companion
        ask(work, then: then)
    }

    /// Asks a worker; `then` is called once, when nothing of the work goes on.
    func ask(_ work: Work, then: @escaping Then) {
        queue.async { [self] in
            guard !isClosed, waiting.count < Inspection.mostWaiting else {
                let what =
                    isClosed ? "trimd is ending" : "too many files are being looked at; try again later"
                return then(.failure(MediaError(isClosed ? .operationInterrupted : .limitReached, what)))
            }
            waiting.append((work, then))
            next()
        }
    }

    /// Ends all that run.
    func close() {
        queue.async { [self] in
            isClosed = true
            for (worker, _) in running.values { worker.kill() }
        }
    }

    /// Ends what was asked by somebody who has gone.
    func forget(_ client: ObjectIdentifier) {
        queue.async { [self] in
            for (worker, owner) in running.values where owner == client { worker.kill() }
            let given = waiting.filter { $0.work.client == client }
            waiting.removeAll { $0.work.client == client }
            for (_, then) in given {
                then(.failure(MediaError(.operationCancelled, "whoever asked has gone")))
            }
        }
    }

    // MARK: on the queue

    private func next() {
        dispatchPrecondition(condition: .onQueue(queue))
        while running.count < places, !waiting.isEmpty {
            let (work, then) = waiting.removeFirst()
            begin(work, then)
        }
    }

    private func begin(_ work: Work, _ then: @escaping Then) {
        let path = work.path
        do throws(MediaError) {
            let source = try SourceFile(opening: path)
            if let shown = work.shown, !source.identity.isSameFile(as: shown) {
                throw MediaError(
                    .permissionDenied,
                    "refused by policy: \(path) is another file than the one that was opened")
            }
            var descriptors = [source.descriptor.rawValue]
            let beside = try work.companion.map { companion throws(MediaError) in try self.open(companion) }
            if let beside { descriptors.append(beside.descriptor.rawValue) }
            let worker = try pool.take()
            let key = ObjectIdentifier(worker)
            running[key] = (worker, work.client)
            worker.serve(
                work.method, work.params, passing: descriptors + work.beside,
                Worker.Client { [self] outcome in
                    queue.async {
                        let isOverdue = self.overdue.remove(key) != nil
                        self.running[key] = nil
                        then(isOverdue ? .failure(self.tooSlow(path)) : outcome)
                        self.next()
                    }
                })
            guard let timeLimit else { return }
            queue.asyncAfter(deadline: .now() + .seconds(timeLimit)) { [self, weak worker] in
                guard let worker, running[key]?.worker === worker else { return }
                overdue.insert(key)
                worker.kill()
            }
        } catch { then(.failure(error)) }
    }

    private func open(_ companion: Companion) throws(MediaError) -> SourceFile {
        let file = try SourceFile(opening: companion.path)
        guard companion.place == nil || file.identity.place == companion.place else {
            throw MediaError(
                .sourceChanged, "\(companion.path) is another file than the one that was opened")
        }
        return file
    }

    private func tooSlow(_ path: String) -> MediaError {
        MediaError(.undecodableMediaData, "\(path) could not be looked at within \(timeLimit ?? 0) s")
    }
}
