// The jobs that an order is for: those named one by one, whatever their status; and of a range, or of all, those for which the
// order makes sense. The daemon lists only jobs that the caller may change.
internal import Media
internal import TrimClient
internal import Wire

/// The jobs that an order's arguments name.
struct JobSelection {
    /// The order.
    let order: JobOrder
    /// Jobs named one by one.
    let named: [Int64]
    private let ranges: [ClosedRange<Int64>]
    private let statuses: [JobStatus]

    /// The selection of an order's arguments.
    init(_ order: JobOrder, _ arguments: Arguments) {
        self.order = order
        named = arguments.jobs
        let isOfAll = arguments.has(.all) || arguments.has(.failed)
        ranges = isOfAll ? [1...Int64.max - 1] : arguments.jobRanges
        statuses = arguments.has(.failed) ? [.failed] : order.statuses
    }

    /// Whether it has jobs that are not named one by one.
    var isBroad: Bool { !ranges.isEmpty }

    /// The jobs that are not named one by one, in the order in which they are to be changed.
    func found(_ daemon: DaemonConnection) throws(MediaError) -> [Int64] {
        var found: [Int64] = []
        for status in statuses {
            var jobs: [Int64] = []
            for range in ranges {
                jobs += try list(status, range, daemon)
            }
            // Of waiting jobs the oldest starts first: it is the last to be stopped, and the first to wait again.
            found += order == .cancel || order == .hold ? jobs.sorted(by: >) : jobs.sorted()
        }
        var seen = Set(named)
        return found.filter { seen.insert($0).inserted }
    }

    /// The jobs of a range with a status. Reads pages until one is empty: a page may be shorter than its limit.
    private func list(
        _ status: JobStatus, _ range: ClosedRange<Int64>, _ daemon: DaemonConnection
    ) throws(MediaError) -> [Int64] {
        var params = ListParams(limit: 1000, after: range.upperBound + 1)
        params.statuses = [status]
        var ids: [Int64] = []
        while true {
            let page: [JobReport] = try daemon.call(.jobList, params)
            let own = page.filter { range.contains($0.id) }
            ids += own.filter(order.suits).map(\.id)
            guard let last = page.last, own.count == page.count else { return ids }
            params.after = last.id
        }
    }

    /// Gives the order for each job, and says how many got it where they are not named one by one. Returns the worst exit code.
    func each(
        _ daemon: DaemonConnection, _ console: Console, asJSON: Bool,
        _ give: (Int64) throws(MediaError) -> Void
    ) throws(MediaError) -> Int32 {
        var worst: Int32 = 0
        var count = 0
        let found = isBroad ? try found(daemon) : []
        for (id, isNamed) in named.map({ ($0, true) }) + found.map({ ($0, false) }) {
            do throws(MediaError) {
                try give(id)
                count += 1
            } catch {
                guard error.code != .noDaemon else { throw error }
                // Its status has changed since it was listed: the order is no longer for it.
                if !isNamed, error.code == .jobStateNotValid || error.code == .jobNotFound { continue }
                console.report(error, asJSON: asJSON)
                worst = max(worst, error.code.exitCode)
            }
        }
        if isBroad { console.say("trimctl: \(count) job\(count == 1 ? "" : "s") \(order.done)") }
        return worst
    }
}
