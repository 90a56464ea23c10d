// Boundaries: which times of their sources jobs have passed, each told once for each job, as a boundary time observer
// does. A job that is tried again passes nothing twice. A pure value; its owner's queue is its queue.
internal import Media
internal import MediaTime

/// Times a watcher waits for.
struct Boundaries {
    private struct State {
        var reached: Time?
        var told: Set<Int> = []
    }

    private var times: [Time] = []
    private var jobs: [Int64: State] = [:]

    /// So many one watcher can wait for.
    static let most = 1000

    /// Waits for more times.
    mutating func add(_ more: [Time]) {
        for time in more where !times.contains(time) && times.count < Boundaries.most { times.append(time) }
    }

    /// A job that began at `start` has come to `time`: what it passed since the last time, in order. Where it
    /// began is not known, its first word says only where it is.
    mutating func pass(_ job: Int64, from start: Time?, to time: Time) -> [Time] {
        guard !times.isEmpty, time.isNumeric else { return [] }
        var state = jobs[job] ?? State()
        defer { jobs[job] = state }
        let from = state.reached ?? start
        state.reached = max(state.reached ?? time, time)
        guard let from, from <= time else { return [] }
        return tell(from, time, &state)
    }

    /// A job has ended, and made this range of the source: what of it has not been told. Without a range it made
    /// nothing.
    mutating func end(_ job: Int64, _ range: TimeSpan?) -> [Time] {
        guard !times.isEmpty else { return [] }
        var state = jobs.removeValue(forKey: job) ?? State()
        guard let range else { return [] }
        return tell(range.start, range.end, &state)
    }

    private func tell(_ from: Time, _ to: Time, _ state: inout State) -> [Time] {
        let passed = times.indices.filter {
            times[$0] >= from && times[$0] <= to && !state.told.contains($0)
        }
        state.told.formUnion(passed)
        return passed.map { times[$0] }.sorted()
    }
}
