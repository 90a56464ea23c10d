// Metrics: data for a monitoring system, as OpenMetrics text. Totals come from the database, so that they persist across
// restarts and the removal of old jobs. Pure: numbers in, text out.
internal import JobQueue
internal import Media

/// A snapshot of the numbers, and its text.
struct Metrics {
    var version: String
    var jobs: [JobStatus: Int]
    var totals: [JobTotal]
    var workers: Int
    var busy: Int
    var budget: Budget
    var isDraining: Bool
    /// The wait of the longest-waiting job, in seconds.
    var oldest: Double
    var freeBytes: Int64
    /// The daemon's start, in milliseconds since 1970.
    var started: Moment
    /// The nodes that share the queue.
    var nodes: [NodeRecord] = []

    private typealias Labels = [(name: String, value: String)]

    /// The text, with its EOF line.
    var text: String {
        var out = Writer()
        out.family("trimd_build", "info", "The daemon's version.")
        out.sample("trimd_build_info", [("version", version)], "1")
        out.family("trimd_start_time_seconds", "gauge", "When the daemon began.", unit: "seconds")
        out.sample("trimd_start_time_seconds", [], Writer.seconds(started.milliseconds))
        out.family("trimd_jobs", "gauge", "Jobs on record by status.")
        for status in JobStatus.allCases {
            out.sample("trimd_jobs", [("status", status.rawValue)], "\(jobs[status] ?? 0)")
        }
        out.family(
            "trimd_queue_age_seconds", "gauge", "How long the oldest waiting job has waited.", unit: "seconds"
        )
        out.sample("trimd_queue_age_seconds", [], Writer.seconds(Int64(max(0, oldest) * 1000)))
        out.family("trimd_workers", "gauge", "Exports that may run at once.")
        out.sample("trimd_workers", [], "\(workers)")
        out.family("trimd_workers_busy", "gauge", "Exports that run.")
        out.sample("trimd_workers_busy", [], "\(busy)")
        out.family("trimd_processors", "gauge", "Processors that all exports share.")
        out.sample("trimd_processors", [], "\(budget.processors)")
        out.family("trimd_processors_busy", "gauge", "Processors that exports use.")
        out.sample("trimd_processors_busy", [], "\(budget.usedProcessors)")
        out.family("trimd_memory_bytes", "gauge", "Memory that all exports share.", unit: "bytes")
        out.sample("trimd_memory_bytes", [], "\(budget.memory)")
        out.family(
            "trimd_memory_reserved_bytes", "gauge", "Memory that is reserved for exports, by estimates.",
            unit: "bytes")
        out.sample("trimd_memory_reserved_bytes", [], "\(budget.usedMemory)")
        out.family("trimd_draining", "gauge", "1 where no job is started.")
        out.sample("trimd_draining", [], isDraining ? "1" : "0")
        out.family(
            "trimd_state_free_bytes", "gauge", "Bytes free in the file system of the state folder.",
            unit: "bytes")
        out.sample("trimd_state_free_bytes", [], "\(freeBytes)")
        writeNodes(&out)
        writeSums(&out)
        return out.text + "# EOF\n"
    }

    /// The most nodes with samples of their own.
    private static let mostNodes = 500

    /// The same numbers for each of the nodes that share the queue, as each said them last.
    private func writeNodes(_ out: inout Writer) {
        guard !nodes.isEmpty else { return }
        func family(
            _ name: String, _ help: String, unit: String? = nil, live: Bool = true,
            _ value: (NodeRecord) -> String
        ) {
            out.family(name, "gauge", help, unit: unit)
            for record in nodes.prefix(Metrics.mostNodes) where !live || !record.isGone {
                out.sample(name, [("node", record.node.name)], value(record))
            }
        }
        family("trimd_node_up", "1 where the node was heard within its lease.", live: false) {
            $0.isGone ? "0" : "1"
        }
        family("trimd_node_draining", "1 where the node starts no job.") { $0.node.isDraining ? "1" : "0" }
        family("trimd_node_jobs", "Jobs that the node has begun, \(NodeRecord.mostJobs) at most.") {
            "\($0.jobs.count)"
        }
        family("trimd_node_workers", "Exports that may run at once on the node.") { "\($0.node.workers)" }
        family("trimd_node_processors", "Processors that exports share on the node.") {
            "\($0.node.processors)"
        }
        family("trimd_node_processors_busy", "Processors that exports use on the node.") {
            "\($0.node.busyProcessors)"
        }
        family("trimd_node_silence_seconds", "How long ago the node was heard.", unit: "seconds", live: false)
        {
            Writer.seconds(max(0, $0.now.milliseconds - $0.heard.milliseconds))
        }
    }

    private func writeSums(_ out: inout Writer) {
        let ended = sum(["completed", "failed", "cancelled"]) {
            [("outcome", $0.event), ("preset", $0.preset), ("way", $0.render)]
        }
        out.family("trimd_exports", "counter", "Jobs that ended, by outcome, preset and way to render.")
        for (labels, total) in ended { out.sample("trimd_exports_total", labels, "\(total.jobs)") }
        let made = sum(["completed"]) { [("preset", $0.preset), ("way", $0.render)] }
        out.family("trimd_media_seconds", "counter", "Seconds of media in the outputs.", unit: "seconds")
        for (labels, total) in made {
            out.sample("trimd_media_seconds_total", labels, Writer.seconds(total.media))
        }
        out.family("trimd_work_seconds", "counter", "Seconds the exports took.", unit: "seconds")
        for (labels, total) in made {
            out.sample("trimd_work_seconds_total", labels, Writer.seconds(total.work))
        }
        out.family("trimd_output_bytes", "counter", "Bytes of the outputs.", unit: "bytes")
        for (labels, total) in made { out.sample("trimd_output_bytes_total", labels, "\(total.bytes)") }
        out.family("trimd_failures", "counter", "Jobs that failed, by error code.")
        for (labels, total) in sum(["failed"], by: { [("code", $0.code)] }) {
            out.sample("trimd_failures_total", labels, "\(total.jobs)")
        }
        out.family("trimd_retries", "counter", "Attempts after a failure that can heal, by error code.")
        for (labels, total) in sum(["retried"], by: { [("code", $0.code)] }) {
            out.sample("trimd_retries_total", labels, "\(total.jobs)")
        }
        out.family("trimd_worker_crashes", "counter", "Workers that died.")
        let crashes = totals.filter { $0.event == "crashed" }.reduce(0) { $0 + $1.jobs }
        out.sample("trimd_worker_crashes_total", [], "\(crashes)")
    }

    /// The totals of some events, summed by labels, in the order of these.
    private func sum(
        _ events: Set<String>, by labels: (JobTotal) -> Labels
    ) -> [(labels: Labels, total: JobTotal)] {
        var sums: [String: (labels: Labels, total: JobTotal)] = [:]
        for total in totals where events.contains(total.event) {
            let labels = labels(total)
            let key = labels.map(\.value).joined(separator: "\u{0}")
            if var known = sums[key]?.total {
                known.jobs += total.jobs
                known.media += total.media
                known.work += total.work
                known.bytes += total.bytes
                sums[key]?.total = known
            } else {
                sums[key] = (labels, total)
            }
        }
        return sums.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Writes OpenMetrics lines.
    private struct Writer {
        var text = ""

        mutating func family(_ name: String, _ type: String, _ help: String, unit: String? = nil) {
            text += "# TYPE \(name) \(type)\n"
            if let unit { text += "# UNIT \(name) \(unit)\n" }
            text += "# HELP \(name) \(help)\n"
        }

        mutating func sample(_ name: String, _ labels: Labels, _ value: String) {
            let list = labels.map { "\($0.name)=\"\(Writer.escaped($0.value))\"" }.joined(separator: ",")
            text += name + (list.isEmpty ? "" : "{\(list)}") + " \(value)\n"
        }

        static func escaped(_ text: String) -> String {
            var escaped = ""
            for character in text {
                switch character {
                case "\\": escaped += "\\\\"
                case "\"": escaped += "\\\""
                case "\n", "\r\n": escaped += "\\n"
                default: escaped.append(character)
                }
            }
            return escaped
        }

        /// Milliseconds as seconds.
        static func seconds(_ milliseconds: Int64) -> String {
            let rest = "\(milliseconds % 1000)"
            return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
        }
    }
}
