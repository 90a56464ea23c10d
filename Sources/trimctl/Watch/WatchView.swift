// The state of the live view: jobs, their progress, the selection, and the last message. A pure value: events and keys go in,
// actions and lines come out (WatchView+Frame). It performs no I/O and reads no clock.
internal import Media
internal import Wire

/// The state of the live view.
struct WatchView {
    /// The action of a key.
    enum Action: Hashable, Sendable {
        /// Ends the view.
        case quit
        /// A request to the daemon about a job.
        case order(Method, Int64)
    }

    /// The jobs watched; nil: all.
    let ids: [Int64]?
    /// The jobs in display order: running, waiting, held, ended.
    private(set) var jobs: [JobReport] = []
    /// The progress of running jobs.
    private(set) var progress: [Int64: ProgressState] = [:]
    /// The selected job.
    private(set) var chosen: Int64?
    /// The index of the first job shown.
    private(set) var top = 0
    /// The last message, shown until the next key.
    var note: String?
    /// The daemon does not answer.
    var isLost = false
    /// Shown instead of the jobs; nil: the jobs.
    private(set) var panel: Panel?
    /// The first line of the panel that is shown.
    private(set) var scroll = 0
    /// The log of the job whose details are shown, in lines; set by the caller that reads it.
    var log: [String] = []
    /// The job whose cancellation is asked about.
    private var asked: Int64?
    /// The number of jobs that fit on the screen; set by the caller that draws.
    private(set) var page = 10

    /// Maximum number of ended jobs kept.
    private static let history = 500

    /// A view of some jobs, or of all.
    init(_ ids: [Int64]? = nil) { self.ids = ids }

    /// All named jobs have ended.
    var isDone: Bool {
        ids.map { $0.allSatisfy { id in jobs.contains { $0.id == id && $0.status.isFinal } } } ?? false
    }

    /// Replaces all jobs, after a new connection.
    mutating func begin(_ present: [JobReport]) {
        jobs = []
        isLost = false
        for job in present { insert(job) }
        progress = progress.filter { id, _ in jobs.contains { $0.id == id && $0.status == .exporting } }
        settle()
    }

    /// Adds or updates a job.
    mutating func take(_ job: JobReport) {
        if let ids, !ids.contains(job.id) { return }
        insert(job)
        settle()
    }

    /// Updates a job's progress.
    mutating func take(_ news: JobProgress) {
        guard jobs.contains(where: { $0.id == news.id && $0.status == .exporting }) else { return }
        progress[news.id] = ProgressState(news).notBehind(progress[news.id])
    }

    private mutating func insert(_ job: JobReport) {
        jobs.removeAll { $0.id == job.id }
        // Of all jobs, those that were refused would fill the view: their command has said why.
        if ids == nil, job.wasRefused {
            progress[job.id] = nil
            return
        }
        let index = jobs.firstIndex { Self.isBefore(job, $0) } ?? jobs.endIndex
        jobs.insert(job, at: index)
        progress[job.id] = job.status == .exporting ? ProgressState(job).notBehind(progress[job.id]) : nil
        // Named jobs are never removed: the view ends when all have ended.
        if ids == nil, jobs.count(where: \.status.isFinal) > Self.history { jobs.removeLast() }
    }

    private static func isBefore(_ one: JobReport, _ other: JobReport) -> Bool {
        let (own, theirs) = (rank(one), rank(other))
        if own != theirs { return own < theirs }
        if one.status.isFinal {
            let (own, theirs) = (one.ended?.milliseconds ?? 0, other.ended?.milliseconds ?? 0)
            return own != theirs ? own > theirs : one.id > other.id
        }
        return one.id < other.id
    }

    private static func rank(_ job: JobReport) -> Int {
        switch job.status {
        case .exporting: 0
        case .waiting: 1
        case .held: 2
        case .completed, .failed, .cancelled: 3
        }
    }

    /// Sets the number of jobs that fit on the screen.
    mutating func fit(_ page: Int) {
        self.page = max(page, 1)
        settle()
    }

    /// Keeps a job selected where there is one, and scrolls it into view.
    private mutating func settle() {
        if !jobs.contains(where: { $0.id == chosen }) { chosen = jobs.first?.id }
        guard let index = jobs.firstIndex(where: { $0.id == chosen }) else { return top = 0 }
        top = min(max(top, index - page + 1), index, max(0, jobs.count - page))
    }

    /// Handles a key.
    mutating func press(_ key: Key) -> Action? {
        note = nil
        if let asked {
            self.asked = nil
            guard key == .letter("y") || key == .letter("Y") else {
                note = "job \(asked) is not cancelled"
                return nil
            }
            // It may have ended meanwhile.
            return order(.jobCancel, "cancelled", asked) { !$0.isFinal }
        }
        if panel != nil, scrolls(key) { return nil }
        switch key {
        case .enter: open(chosen.map(Panel.job))
        case .letter("?"): open(.keys)
        case .up, .letter("k"): choose(-1)
        case .down, .letter("j"): choose(1)
        case .pageUp: choose(-page)
        case .pageDown: choose(page)
        case .first, .letter("g"): choose(-jobs.count)
        case .last, .letter("G"): choose(jobs.count)
        case .letter("q"), .letter("Q"): return .quit
        case .letter("c"):
            guard case .order(_, let id)? = order(.jobCancel, "cancelled", nil, { !$0.isFinal }) else {
                break
            }
            asked = id
            note = "cancel job \(id)? y cancels it, any other key does not"
        case .letter("h"): return order(.jobHold, "held") { $0 == .waiting || $0 == .exporting }
        case .letter("l"), .letter("r"): return order(.jobRelease, "released") { !$0.isFinal }
        case .letter("R"): return order(.jobRetry, "tried again") { $0 == .failed || $0 == .cancelled }
        case .letter: break
        }
        return nil
    }

    private mutating func choose(_ step: Int) {
        guard let index = jobs.firstIndex(where: { $0.id == chosen }) else { return }
        chosen = jobs[min(max(index + step, 0), jobs.count - 1)].id
        settle()
    }

    private mutating func open(_ panel: Panel?) { (self.panel, scroll, log) = (panel, 0, []) }

    /// Handles a key of a panel; false if it is none.
    private mutating func scrolls(_ key: Key) -> Bool {
        switch key {
        case .enter, .letter("q"), .letter("Q"), .letter("?"): open(nil)
        case .up, .letter("k"): scroll = max(0, scroll - 1)
        case .down, .letter("j"): scroll += 1
        case .pageUp: scroll = max(0, scroll - page)
        case .pageDown: scroll += page
        case .first, .letter("g"): scroll = 0
        case .last, .letter("G"): scroll = .max / 2
        case .letter: return false
        }
        // No further than to the last line.
        let lines = panel.map { text(of: $0, now: Moment(milliseconds: 0)).count } ?? 0
        scroll = min(scroll, max(0, lines - 1))
        return true
    }

    private mutating func order(
        _ method: Method, _ word: String, _ id: Int64? = nil, _ suits: (JobStatus) -> Bool
    ) -> Action? {
        guard let job = jobs.first(where: { $0.id == id ?? chosen }) else { return nil }
        guard !isLost else {
            note = "trimd does not answer; nothing can be asked of it now"
            return nil
        }
        guard suits(job.status) else {
            note = "job \(job.id) is \(job.status.rawValue), and cannot be \(word)"
            return nil
        }
        return .order(method, job.id)
    }
}
