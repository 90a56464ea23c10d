// WorkerInbox: what a worker says of its work, on its way to the queue of its run. A worker that was taken over by the file it
// reads may say anything, as fast as it can: so of progress only the latest waits, and only one that goes on counts as a sign
// of work; of plans only the first is taken; of lines there are so many in all, each so long, and what is beyond is counted and left out. Whoever fills it is the
// queue of the worker's connection; it is emptied on another one.
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
        var lines: [String] = []
        var taken = 0
        var isOnItsWay = false
    }

    private let queue: DispatchQueue
    private let onProgress: @Sendable (Progress) -> Void
    private let onPlan: @Sendable (WorkerPlan) -> Void
    private let onLine: @Sendable (String) -> Void
    private let state = Mutex(State())

    /// So many lines are taken of one worker: an honest one says some dozens, and passes on at most 100 of FFmpeg's.
    static let mostLines = 1000
    /// A line is cut after so many bytes.
    static let longestLine = 4096

    /// An inbox that is emptied on a queue.
    init(
        on queue: DispatchQueue, onProgress: @escaping @Sendable (Progress) -> Void = { _ in },
        onPlan: @escaping @Sendable (WorkerPlan) -> Void = { _ in },
        onLine: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.queue = queue
        self.onProgress = onProgress
        self.onPlan = onPlan
        self.onLine = onLine
    }

    /// Takes a progress; true where it is ahead of all before it: a sign of work.
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

    /// Takes the plan; one that comes after another is none.
    func take(_ plan: WorkerPlan) {
        let isNews = state.withLock { state in
            guard !state.isPlanned else { return false }
            (state.plan, state.isPlanned) = (plan, true)
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
            let (plan, progress, lines) = state.withLock { state in
                defer { (state.plan, state.progress, state.lines, state.isOnItsWay) = (nil, nil, [], false) }
                return (state.plan, state.progress, state.lines)
            }
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

    /// A line of at most so many bytes.
    static func cut(_ line: String) -> String {
        guard line.utf8.count > longestLine else { return line }
        return String(decoding: line.utf8.prefix(longestLine), as: UTF8.self)
    }
}
