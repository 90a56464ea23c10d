// The metrics against the grammar of OpenMetrics, as far as we use it, and against what they are to say.
import JobQueue
import Media
import Testing

@testable import trimd

@Suite struct MetricsTests {
    private func metrics(preset: String = "m4v720") -> Metrics {
        func total(_ event: String, code: String = "", jobs: Int64 = 1) -> JobTotal {
            JobTotal(
                event: event, preset: preset, render: "encode", code: code, jobs: jobs, media: 2500,
                work: 1040,
                bytes: 700)
        }
        var budget = Budget(processors: 8, memory: 1 << 30, workers: 4)
        _ = budget.take(Budget.Holder(job: 1), Budget.Wish(processors: 3, memory: 1 << 20))
        return Metrics(
            version: "1.2.3", jobs: [.waiting: 3, .completed: 2],
            totals: [
                total("completed", jobs: 2), total("failed", code: "diskFull"),
                total("failed", code: "decodeFailed", jobs: 4), total("crashed"),
                total("retried", code: "diskFull", jobs: 3),
            ],
            workers: 2, busy: 1, budget: budget, isDraining: false, oldest: 12.5, freeBytes: 1 << 40,
            started: Moment(milliseconds: 1_700_000_000_012))
    }

    @Test(arguments: ["m4v720", "a \"quoted\" \\ one\nof two lines", ""])
    func theyAreOpenMetrics(_ preset: String) throws {
        let text = metrics(preset: preset).text
        #expect(text.hasSuffix("\n# EOF\n"))
        var types: [String: String] = [:]
        var samples: Set<String> = []
        var family = ""
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast(2).map(String.init)
        {
            let words = line.split(separator: " ").map(String.init)
            if line.hasPrefix("# ") {
                try #require(words.count >= 4 && ["TYPE", "UNIT", "HELP"].contains(words[1]), "\(line)")
                if words[1] == "TYPE" {
                    #expect(types.updateValue(words[3], forKey: words[2]) == nil, "a family is there twice")
                    #expect(["gauge", "counter", "info"].contains(words[3]))
                    #expect(words[2].wholeMatch(of: /[a-z_:][a-z0-9_:]*/) != nil)
                    family = words[2]
                } else if words[1] == "UNIT" {
                    #expect(words[2] == family && family.hasSuffix("_" + words[3]))
                } else {
                    #expect(words[2] == family)
                }
                continue
            }
            let pattern =
                /([a-z0-9_]+)(\{[a-z]+="(?:[^"\\\n]|\\["\\n])*"(?:,[a-z]+="(?:[^"\\\n]|\\["\\n])*")*\})? (-?[0-9]+(?:\.[0-9]+)?)/
            let match = try #require(try pattern.wholeMatch(in: line), "\(line)")
            let suffix = ["counter": "_total", "info": "_info", "gauge": ""][types[family] ?? ""]
            #expect(String(match.1) == family + (suffix ?? "?"), "\(line) outside of its family")
            #expect(samples.insert("\(match.1)\(match.2 ?? "")").inserted, "\(line) is there twice")
        }
        #expect(types.count == 19)
    }

    @Test func eachNodeHasItsNumbers() {
        var metrics = metrics()
        for (name, isGone) in [("a", false), ("b\"", true)] {
            var node = QueueNode(name: name, version: "1")
            (node.processors, node.busyProcessors, node.workers, node.isDraining) = (8, 3, 2, true)
            metrics.nodes.append(
                NodeRecord(
                    node, started: Moment(milliseconds: 0), heard: Moment(milliseconds: 1000),
                    now: Moment(milliseconds: 3500), isGone: isGone, jobs: [1, 2]))
        }
        let text = metrics.text
        for line in [
            #"trimd_node_up{node="a"} 1"#, #"trimd_node_up{node="b\""} 0"#, #"trimd_node_jobs{node="a"} 2"#,
            #"trimd_node_processors{node="a"} 8"#, #"trimd_node_processors_busy{node="a"} 3"#,
            #"trimd_node_workers{node="a"} 2"#, #"trimd_node_draining{node="a"} 1"#,
            #"trimd_node_silence_seconds{node="b\""} 2.500"#,
        ] { #expect(text.contains("\n\(line)\n"), "\(line)") }
        // Of one that is gone only that, and since when.
        #expect(!text.contains(#"trimd_node_jobs{node="b"#))
        #expect(text.hasSuffix("\n# EOF\n"))
        metrics.nodes = (0..<2000).map { number in
            NodeRecord(QueueNode(name: "\(number)", version: "1"), started: .now, heard: .now, now: .now)
        }
        #expect(metrics.text.split(separator: "\n").count(where: { $0.hasPrefix("trimd_node_up{") }) == 500)
    }

    @Test func whatTheySay() {
        let text = metrics().text
        for line in [
            #"trimd_jobs{status="waiting"} 3"#, #"trimd_jobs{status="held"} 0"#,
            "trimd_queue_age_seconds 12.500",
            #"trimd_exports_total{outcome="completed",preset="m4v720",way="encode"} 2"#,
            #"trimd_exports_total{outcome="failed",preset="m4v720",way="encode"} 5"#,
            #"trimd_media_seconds_total{preset="m4v720",way="encode"} 2.500"#,
            #"trimd_work_seconds_total{preset="m4v720",way="encode"} 1.040"#,
            #"trimd_failures_total{code="decodeFailed"} 4"#, #"trimd_retries_total{code="diskFull"} 3"#,
            "trimd_processors 8", "trimd_processors_busy 3", "trimd_memory_bytes 1073741824",
            "trimd_memory_reserved_bytes 1048576",
            "trimd_worker_crashes_total 1", "trimd_start_time_seconds 1700000000.012",
        ] { #expect(text.contains("\n\(line)\n"), "\(line)") }
    }
}
