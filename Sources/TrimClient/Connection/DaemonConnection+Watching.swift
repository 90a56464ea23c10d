// Watches jobs page by page: a response is one line of bounded length, and holds only the first of many jobs. Each call adds
// the jobs it names to this connection's notifications.
package import Media
package import MediaTime
internal import Wire

extension DaemonConnection {
    /// Maximum jobs named in one call.
    private static let mostNamed = 500

    /// Watches jobs (nil: all, including later ones) and returns the current state of each named job.
    package func watch(
        _ ids: [Int64]?, interval: Time? = nil, boundaries: [Time]? = nil
    ) throws(MediaError) -> [JobReport] {
        guard let ids else {
            return try call(.jobWatch, WatchParams(interval: interval, boundaries: boundaries))
        }
        var rest = ids[...]
        var present: [JobReport] = []
        while !rest.isEmpty {
            let named = Array(rest.prefix(DaemonConnection.mostNamed))
            let page: [JobReport] = try call(
                .jobWatch, WatchParams(ids: named, interval: interval, boundaries: boundaries))
            let known = Set(page.map(\.id))
            let count = rest.count
            rest.removeAll { known.contains($0) }
            guard rest.count < count else {
                throw MediaError(.internalError, "trimd does not say what job \(named[0]) is")
            }
            present += page
        }
        return present
    }
}

extension JobReport {
    /// The job with the daemon's drain state.
    package func draining(_ isOn: Bool) -> JobReport {
        var job = self
        job.draining = isOn && status == .waiting ? true : nil
        return job
    }
}
