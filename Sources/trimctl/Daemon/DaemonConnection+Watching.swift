// Watching jobs page by page: an answer is one line of bounded length, and holds of many jobs only the first. Each call adds
// the jobs it names to what this connection is told of.
internal import Media
internal import MediaTime
internal import Wire

extension DaemonConnection {
    /// Jobs that one call names.
    private static let mostNamed = 500

    /// Watches jobs (nil: all, those submitted later too) and answers their present states: of those that are named, of each.
    func watch(_ ids: [Int64]?, interval: Time? = nil) throws(MediaError) -> [JobReport] {
        guard let ids else { return try call(.jobWatch, WatchParams(interval: interval)) }
        var rest = ids[...]
        var present: [JobReport] = []
        while !rest.isEmpty {
            let named = Array(rest.prefix(DaemonConnection.mostNamed))
            let page: [JobReport] = try call(.jobWatch, WatchParams(ids: named, interval: interval))
            let told = Set(page.map(\.id))
            let count = rest.count
            rest.removeAll { told.contains($0) }
            guard rest.count < count else {
                throw MediaError(.internalError, "trimd does not say what job \(named[0]) is")
            }
            present += page
        }
        return present
    }
}
