// server.metrics: the metrics in Prometheus's format.
internal import JobQueue
internal import Media
internal import Wire

extension ServerService {
    /// `server.metrics`
    func metrics() throws(MediaError) -> MetricsResult {
        let oldest = try store.oldestWaiting()
        let metrics = Metrics(
            version: trimdVersion, jobs: try store.counts(), totals: try store.totals(),
            workers: configuration.workers, busy: scheduler.busy, budget: scheduler.presentBudget,
            isDraining: scheduler.isDraining,
            oldest: oldest.map { Double(Moment.now.milliseconds - $0.milliseconds) / 1000 } ?? 0,
            freeBytes: try freeState(), started: since,
            nodes: store.leaseTime == nil ? [] : try nodes.records(for: .all))
        return MetricsResult(text: metrics.text)
    }
}
