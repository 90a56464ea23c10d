// A node as the samples of messages have it.
import Media
import Wire

extension NodeReport {
    static func sample(_ full: Bool) -> NodeReport {
        let now = Moment(milliseconds: 1_700_000_000_123)
        var node = NodeReport(name: "a", state: .active, version: trimdVersion, since: now, heard: now)
        guard full else { return node }
        (node.state, node.answers, node.host) = (.draining, true, "ada")
        (node.workers, node.processors, node.busyProcessors, node.memoryBytes) = (2, 8, 3, 1 << 34)
        (node.tags, node.roots, node.jobs, node.silence) = (["gpu", "x.1"], ["media"], [4, 5], 1.5)
        return node
    }
}
