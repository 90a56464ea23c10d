// RootMarkers: whether the named roots of this node are the media that the other nodes have under those names. Each root has a small
// file with an ID, which is on record in the queue: so an empty mount point, or another disk, is never taken for the media. A root may be
// on a server that does not answer: each is looked at on a queue of its own, and counts as gone after a while.
internal import Dispatch
internal import JobQueue
internal import Media
internal import Platform
internal import Synchronization

/// The named roots of this node, and which of them are there.
final class RootMarkers: Sendable {
    /// The state of a root.
    private struct State {
        /// Nil: it is there.
        var problem: String?
        /// Its path without symbolic links, as it was found last.
        var resolved: String?
        /// When the look began that has not ended, in seconds.
        var lookBegan: ContinuousClock.Instant?
        /// The problem that was logged last.
        var logged: String?
    }

    private let roots: [String: String]
    private let store: any JobQueue
    private let log: Log
    private let states: Mutex<[String: State]>
    private let queues: [String: DispatchQueue]
    /// Is called when a job's root is found missing, before that is answered.
    private let onLoss = Mutex<(@Sendable () -> Void)?>(nil)

    /// A look that lasts longer means that the root is not there.
    private static let patience = Duration.seconds(10)
    /// A look that lasts longer explains a failure of a job beneath the root.
    private static let doubt = Duration.seconds(3)

    /// Roots by name; they are not there until they were looked at.
    init(_ roots: [String: String], store: any JobQueue, log: Log) {
        self.roots = roots
        self.store = store
        self.log = log
        states = Mutex(roots.mapValues { _ in State(problem: "it was not looked at yet") })
        queues = Dictionary(
            uniqueKeysWithValues: roots.keys.map { ($0, DispatchQueue(label: "trimd.root.\($0)")) })
    }

    /// Sets what is called when a job's root is found missing.
    func whenLost(_ body: @escaping @Sendable () -> Void) { onLoss.withLock { $0 = body } }

    /// The names of the roots that are there.
    var present: [String] {
        states.withLock { $0.filter { $0.value.problem == nil }.map(\.key).sorted() }
    }

    /// Why a root is not there; nil: it is.
    func problem(of name: String) -> String? { states.withLock { $0[name]?.problem ?? nil } }

    /// Each root with its path, and why it is not there; nil: it is.
    var problems: [(name: String, path: String, problem: String?)] {
        roots.sorted { $0.key < $1.key }.map { ($0.key, $0.value, problem(of: $0.key)) }
    }

    /// The paths of each root.
    var paths: [String: [String]] {
        states.withLock { states in
            roots.reduce(into: [:]) { paths, root in
                let resolved = states[root.key]?.resolved
                paths[root.key] = [root.value] + (resolved == root.value ? [] : resolved.map { [$0] } ?? [])
            }
        }
    }

    /// Looks at all roots, and returns after the last look has ended, or after the patience. Not on a queue that others need.
    func look() {
        let group = DispatchGroup()
        let now = ContinuousClock.now
        for (name, path) in roots {
            let isBusy = states.withLock { states in
                guard let began = states[name]?.lookBegan else {
                    states[name]?.lookBegan = now
                    return false
                }
                if began + RootMarkers.patience < now {
                    states[name]?.problem = "looking at it does not end: the disk or server does not answer"
                }
                return true
            }
            if isBusy { continue }
            queues[name]?.async(group: group) { [self] in look(at: name, path) }
        }
        _ = group.wait(timeout: .now() + .seconds(10))
        report()
    }

    /// Why a root of a job is not there, as far as is known; nil: all are. Never waits for one.
    func absence(of needs: Needs) -> String? {
        let now = ContinuousClock.now
        return states.withLock { states in
            for (name, path) in roots where needs.words.contains(Needs.root(name)) {
                if let problem = states[name]?.problem { return "root \(name), \(path): \(problem)" }
                if let began = states[name]?.lookBegan, began + RootMarkers.doubt < now {
                    return "root \(name), \(path): the disk or server does not answer"
                }
            }
            return nil
        }
    }

    /// Looks at the roots of a job once more, before its paths are opened; the problem of one that is not there.
    func problem(of needs: Needs) -> String? {
        for (name, path) in roots where needs.words.contains(Needs.root(name)) {
            look(at: name, path)
            if let problem = problem(of: name) {
                onLoss.withLock(\.self)?()
                return "root \(name), \(path): \(problem)"
            }
        }
        return nil
    }

    private func look(at name: String, _ path: String) {
        let (problem, resolved): (String?, String?)
        do throws(MediaError) {
            problem = try RootMarker(name, path).problem { id throws(MediaError) in
                try store.marker(of: name, proposing: id)
            }
            resolved = Kernel.resolved(path)
        } catch {
            // Without the queue nothing is known; what was there stays.
            states.withLock { $0[name]?.lookBegan = nil }
            return log.debug("root \(name) cannot be compared with the queue: \(error)")
        }
        states.withLock { states in
            states[name]?.problem = problem
            states[name]?.resolved = resolved
            states[name]?.lookBegan = nil
        }
    }

    /// Logs what has changed.
    private func report() {
        for (name, path) in roots {
            let (problem, isNew) = states.withLock { states in
                let word = states[name]?.problem ?? "there"
                defer { states[name]?.logged = word }
                return (states[name]?.problem, states[name]?.logged != word)
            }
            guard isNew else { continue }
            if let problem {
                log.error("root \(name), \(path), is not there, and no job beneath it runs here: \(problem)")
            } else {
                log.info("root \(name) is \(path)")
            }
        }
    }
}
