// Many nodes and many jobs over one database, with workers that only wait: how many jobs a second can be accepted and claimed, and how
// long that takes. `Tests/Scripts/fleet/scale-check` runs it against a server that syncs, and adds what that costs.
import Dispatch
import Foundation
import Media
import Platform
import Synchronization
import Testing

@testable import JobQueue

/// How much of it, by the environment.
private enum Scale {
    static let environment = ProcessInfo.processInfo.environment
    /// The server; nil: not wanted.
    static let setting = environment["TRIMD_SCALE"]
    static func number(_ name: String, else usual: Int) -> Int {
        environment["TRIMD_SCALE_" + name].flatMap(Int.init) ?? usual
    }
    static let nodes = number("NODES", else: 200), jobs = number("JOBS", else: 100_000)
    /// Seconds for which nodes claim, and milliseconds that a worker waits on average.
    static let seconds = number("SECONDS", else: 60), wait = number("WAIT", else: 4000)
}

@Suite(.enabled(if: Scale.setting != nil), .serialized, .timeLimit(.minutes(120)))
struct ScaleTests {
    @Test func manyNodesShareManyJobs() throws {
        let setting = try #require(Scale.setting)
        let nodes = try (0..<Scale.nodes).map { try SimulatedNode("n\($0)", setting, wait: Scale.wait) }
        say("phase submit")
        let clients = nodes.prefix(8)
        let perClient = Scale.jobs / max(1, clients.count)
        var taken = try seconds {
            try concurrently(clients) { node in for _ in 0..<perClient { try node.submit() } }
        }
        report("submissions", Latencies(clients.map(\.submissions)), taken)
        let accepted = try nodes[0].store.waitingCount()
        #expect(accepted == perClient * clients.count)
        for node in nodes { node.submissions = [] }
        say("phase claim")
        taken = try seconds { try concurrently(nodes[...]) { try $0.work(for: .seconds(Scale.seconds)) } }
        report("claims", Latencies(nodes.map(\.claims)), taken)
        report("submissions beside them", Latencies(nodes.map(\.submissions)), taken)
        report("looks at what others changed", Latencies(nodes.map(\.looks)), taken)
        say("phase end")
        let claimed = nodes.flatMap(\.claimed)
        #expect(Set(claimed).count == claimed.count && !claimed.isEmpty)
        #expect(nodes.flatMap(\.failures) == [])
        #expect(try nodes[0].store.counts()[.completed] == nodes.reduce(0) { $0 + $1.completed })
    }

    private func say(_ line: String) {
        FileHandle.standardOutput.write(Data("SCALE \(line)\n".utf8))
    }

    private func report(_ what: String, _ times: Latencies, _ seconds: Double) {
        let rate = Int(Double(times.count) / seconds)
        say("\(what): \(times.count) in \(Int(seconds)) s, \(rate) a second; \(times)")
    }

    private func seconds(_ body: () throws -> Void) throws -> Double {
        let start = ContinuousClock.now
        try body()
        return (ContinuousClock.now - start) / .seconds(1)
    }

    /// Runs each node on a thread of its own.
    private func concurrently(
        _ nodes: ArraySlice<SimulatedNode>, _ body: @escaping @Sendable (SimulatedNode) throws -> Void
    ) throws {
        let failures = Mutex<[String]>([])
        let group = DispatchGroup()
        for node in nodes {
            group.enter()
            Thread {
                do { try body(node) } catch { failures.withLock { $0.append("\(error)") } }
                group.leave()
            }.start()
        }
        group.wait()
        #expect(failures.withLock(\.self) == [])
    }
}

/// How long calls took.
private struct Latencies: CustomStringConvertible {
    private let sorted: [Duration]

    init(_ times: [[Duration]]) { sorted = times.flatMap(\.self).sorted() }

    var count: Int { sorted.count }

    private func part(_ share: Double) -> String {
        guard let last = sorted.last else { return "-" }
        let index = Int(Double(sorted.count) * share)
        return String(format: "%.1f ms", (index < sorted.count ? sorted[index] : last) / .milliseconds(1))
    }

    var description: String { "p50 \(part(0.5)), p99 \(part(0.99)), the longest \(part(1))" }
}
