// WorkerInbox: passes a worker's progress, plan and log lines to the queue of its run. A compromised worker may send anything,
// as fast as it can: so only the latest progress is kept, and only one that advances counts as progress for the watchdog; only
// the first plan is taken, and of later ones the latest processors, a limited number of times; the number and length of lines are
// limited, and dropped lines are counted. The queue of the worker's connection fills it; another queue empties it.
internal import Dispatch
internal import Media
internal import MediaTime
internal import Synchronization
internal import Wire

/// The progress, the plan and the lines of one worker.
final class WorkerInbox: Sendable {
    private struct State {
        var latest: Progress?
        var progress: Progress?
        var plan: WorkerPlan?
        var isPlanned = false
        /// The processors that it has said last it can use, and whether they are to be passed on.
        var processors = Int.max
        var hasOthers = false
        /// How often they have changed.
        var changes = 0
        var lines: [String] = []
        var taken = 0
        var isOnItsWay = false
    }

    private let queue: DispatchQueue
    private let onProgress: @Sendable (Progress) -> Void
    private let onPlan: @Sendable (WorkerPlan) -> Void
    private let onProcessors: @Sendable (Int) -> Void
    private let onLine: @Sendable (String) -> Void
    private let state = Mutex(State())

    /// The most lines taken from one worker: a legitimate one sends some dozens, and passes on at most 100 of FFmpeg's.
    static let mostLines = 1000
    /// The most changes of the processors that are taken from one worker: each makes the scheduler look for work, and an export says two
    /// for each way that it tries.
    static let mostChanges = 100
    /// The longest line, in bytes.
    static let longestLine = 4096

    /// An inbox that is emptied on a queue.
    init(
        on queue: DispatchQueue, onProgress: @escaping @Sendable (Progress) -> Void = { _ in },
        onPlan: @escaping @Sendable (WorkerPlan) -> Void = { _ in },
        onProcessors: @escaping @Sendable (Int) -> Void = { _ in },
        onLine: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.queue = queue
        self.onProgress = onProgress
        self.onPlan = onPlan
        self.onProcessors = onProcessors
        self.onLine = onLine
    }

    /// Takes a progress report; true if it exceeds all before it.
    func take(_ progress: Progress) -> Bool {
        let (isAhead, isNews) = state.withLock { state in
            let isAhead = WorkerInbox.isAhead(progress, of: state.latest)
            if isAhead { state.latest = progress }
            state.progress = progress
            defer { state.isOnItsWay = true }
            return (isAhead, !state.isOnItsWay)
        }
        if isNews { send() }
        return isAhead
    }

    /// Takes the plan; of later plans only the processors: an attempt that copied may be followed by one that encodes.
    func take(_ plan: WorkerPlan) {
        let isNews = state.withLock { state in
            let isFirst = !state.isPlanned
            if isFirst { (state.plan, state.isPlanned) = (plan, true) }
            let processors = plan.processors ?? .max
            let isOther = processors != state.processors && state.changes < WorkerInbox.mostChanges
            if isOther {
                (state.processors, state.hasOthers) = (processors, true)
                state.changes += 1
            }
            guard isFirst || isOther else { return false }
            defer { state.isOnItsWay = true }
            return !state.isOnItsWay
        }
        if isNews { send() }
    }

    /// Takes a line.
    func take(_ line: String) {
        let isNews = state.withLock { state in
            guard state.taken <= WorkerInbox.mostLines else { return false }
            state.taken += 1
            let isLast = state.taken > WorkerInbox.mostLines
            state.lines.append(isLast ? "what the worker said further is left out" : WorkerInbox.cut(line))
            defer { state.isOnItsWay = true }
            return !state.isOnItsWay
        }
        if isNews { send() }
    }

    private func send() {
        queue.async { [self] in
            let (plan, processors, progress, lines) = state.withLock { state in
                defer {
                    (state.plan, state.progress, state.lines, state.isOnItsWay) = (nil, nil, [], false)
                    state.hasOthers = false
                }
                return (
                    state.plan, state.hasOthers ? state.processors : nil, state.progress, state.lines
                )
            }
            if let processors { onProcessors(processors) }
            if let plan { onPlan(plan) }
            for line in lines { onLine(line) }
            if let progress { onProgress(progress) }
        }
    }

    private static func isAhead(_ new: Progress, of old: Progress?) -> Bool {
        guard let old else { return true }
        let phases = ExportPhase.allCases
        let (now, before) = (phases.firstIndex(of: new.phase) ?? 0, phases.firstIndex(of: old.phase) ?? 0)
        if now != before { return now > before }
        if new.fraction > old.fraction { return true }
        guard let time = new.time, time.isNumeric else { return false }
        return old.time.map { $0.isNumeric && time > $0 } ?? true
    }

    /// The line, cut to the limit.
    static func cut(_ line: String) -> String {
        guard line.utf8.count > longestLine else { return line }
        return String(decoding: line.utf8.prefix(longestLine), as: UTF8.self)
    }
}
