// Boundaries: reports which source times a job has passed, each once per job, like a boundary time observer. A retried job
// reports no time twice. A pure value, used on its owner's queue.
internal import Media
internal import MediaTime

/// The times a watcher waits for.
struct Boundaries {
    private struct State {
        var reached: Time?
        var reported: Set<Int> = []
    }

    private var times: [Time] = []
    private var jobs: [Int64: State] = [:]

    /// The most times one watcher can wait for.
    static let most = 1000

    /// Adds times.
    mutating func add(_ more: [Time]) {
        for time in more where !times.contains(time) && times.count < Boundaries.most { times.append(time) }
    }

    /// Reports progress: a job that began at `start` has reached `time`. Returns the times passed since the last report, in
    /// order. If its start is unknown, the first report only sets its position.
    mutating func pass(_ job: Int64, from start: Time?, to time: Time) -> [Time] {
        guard !times.isEmpty, time.isNumeric else { return [] }
        var state = jobs[job] ?? State()
        defer { jobs[job] = state }
        let from = state.reached ?? start
        state.reached = max(state.reached ?? time, time)
        guard let from, from <= time else { return [] }
        return timesPassed(from, time, &state)
    }

    /// Reports the end of a job that exported this range of the source. Returns the times in it that were not reported yet.
    /// Without a range nothing was exported.
    mutating func end(_ job: Int64, _ range: TimeSpan?) -> [Time] {
        guard !times.isEmpty else { return [] }
        var state = jobs.removeValue(forKey: job) ?? State()
        guard let range else { return [] }
        return timesPassed(range.start, range.end, &state)
    }

    private func timesPassed(_ from: Time, _ to: Time, _ state: inout State) -> [Time] {
        let passed = times.indices.filter {
            times[$0] >= from && times[$0] <= to && !state.reported.contains($0)
        }
        state.reported.formUnion(passed)
        return passed.map { times[$0] }.sorted()
    }
}
