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

    private let queue = DispatchQueue(label: "trimd.inspection")
    private let pool: WorkerPool
    private let places: Int
    private let timeLimit: Int
    private var running: [ObjectIdentifier: Worker] = [:]
    private var overdue: Set<ObjectIdentifier> = []
    private var waiting: [@Sendable () -> Void] = []
    private var isClosed = false

    /// So many may wait for a place.
    private static let mostWaiting = 64

    /// At most `places` at once, each for at most `timeLimit` seconds.
    init(pool: WorkerPool, places: Int, timeLimit: Int = 60) {
        self.pool = pool
        self.places = places
        self.timeLimit = timeLimit
    }

    /// Asks a worker about a file; the caller has judged its path's syntax. `shown` is the file that its user has
    /// shown the right to read, where it is not trimd's own: no other one is looked at.
    func ask(
        _ method: WorkerMethod, _ params: some Encodable & Sendable, about path: String,
        shown: FileIdentity? = nil, with companion: Companion? = nil, then: @escaping Then
    ) {
        queue.async { [self] in
            guard !isClosed, waiting.count < Inspection.mostWaiting else {
                let what =
                    isClosed ? "trimd is ending" : "too many files are being looked at; try again later"
                return then(.failure(MediaError(isClosed ? .operationInterrupted : .limitReached, what)))
            }
            waiting.append { [self] in begin(method, params, path, shown, companion, then) }
            next()
        }
    }

    /// Ends all that run.
    func close() {
        queue.async { [self] in
            isClosed = true
            for worker in running.values { worker.kill() }
        }
    }

    // MARK: on the queue

    private func next() {
        dispatchPrecondition(condition: .onQueue(queue))
        while running.count < places, !waiting.isEmpty { waiting.removeFirst()() }
    }

    private func begin(
        _ method: WorkerMethod, _ params: some Encodable, _ path: String, _ shown: FileIdentity?,
        _ companion: Companion?, _ then: @escaping Then
    ) {
        do throws(MediaError) {
            let source = try SourceFile(opening: path)
            if let shown, !source.identity.isSameFile(as: shown) {
                throw MediaError(
                    .permissionDenied,
                    "refused by policy: \(path) is another file than the one that was opened")
            }
            var descriptors = [source.descriptor.rawValue]
            let beside = try companion.map { companion throws(MediaError) in try self.open(companion) }
            if let beside { descriptors.append(beside.descriptor.rawValue) }
            let worker = try pool.take()
            let key = ObjectIdentifier(worker)
            running[key] = worker
            worker.serve(
                method, params, passing: descriptors,
                Worker.Client { [self] outcome in
                    queue.async {
                        let isOverdue = self.overdue.remove(key) != nil
                        self.running[key] = nil
                        then(isOverdue ? .failure(self.tooSlow(path)) : outcome)
                        self.next()
                    }
                })
            queue.asyncAfter(deadline: .now() + .seconds(timeLimit)) { [self, weak worker] in
                guard let worker, running[key] === worker else { return }
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
        MediaError(.undecodableMediaData, "\(path) could not be looked at within \(timeLimit) s")
    }
}
