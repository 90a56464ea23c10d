// SharedLogs: the logs of jobs where several daemons share a queue. Lines go to the queue a few times a second, all that this node has
// together, so that any node answers for them, also when this one is gone. While the queue cannot be reached they wait in memory, which
// has a limit. Any thread may write; nothing that a job does waits for it.
internal import Dispatch
internal import JobQueue
internal import Media
internal import Synchronization
internal import Wire

/// The logs of all nodes.
final class SharedLogs: Sendable {
    private struct State {
        /// Lines that are in no batch yet, and how many were left out, by their jobs.
        var lines: [Int64: (text: String, leftOut: Int)] = [:]
        var bytes = 0
        /// A batch that may not be stored yet.
        var batch: LogBatch?
        var number: Int64 = 0
        var isDue = false
        var delay = SharedLogs.interval
    }

    private let store: any JobQueue
    private let node: String
    private let log: Log
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "trimd.logs")

    /// Milliseconds in which lines become one batch, and the longest delay after a failure.
    private static let interval = 200, longestDelay = 5000
    /// The most bytes that wait for one job, with room for a last line, and for all.
    private static let mostWaiting = LogBatch.mostBytes - 256, mostBytes = 4 << 20

    /// Logs of a node.
    init(_ store: any JobQueue, node: String, log: Log) {
        (self.store, self.node, self.log) = (store, node, log)
    }

    /// Adds a line. Never blocks.
    func write(_ job: Int64, _ line: String) {
        let line = "\(Moment.now) \(node): \(WorkerInbox.cut(Log.printable(line)))\n"
        let count = line.utf8.count
        state.withLock { state in
            let known = state.lines[job] ?? ("", 0)
            guard known.text.utf8.count + count <= SharedLogs.mostWaiting,
                state.bytes + count <= SharedLogs.mostBytes
            else { return state.lines[job] = (known.text, known.leftOut + 1) }
            state.lines[job] = (known.text + line, known.leftOut)
            state.bytes += count
        }
        flushLater()
    }

    /// As `JobLogs.read`, with what this node has written before.
    func read(_ job: Int64, from offset: Int64?, limit: Int) throws(MediaError) -> LogResult {
        flush()
        let part = try store.log(of: job, from: offset, limit: limit)
        return LogResult(text: part.text, next: part.next)
    }

    /// Stores what waits, if that can be done now.
    func flush() { queue.sync { send() } }

    private func flushLater() {
        let delay = state.withLock { state -> Int? in
            defer { state.isDue = true }
            return state.isDue ? nil : state.delay
        }
        guard let delay else { return }
        queue.asyncAfter(deadline: .now() + .milliseconds(delay)) { [self] in
            state.withLock { $0.isDue = false }
            send()
        }
    }

    // MARK: on its queue

    private func send() {
        dispatchPrecondition(condition: .onQueue(queue))
        while let batch = next() {
            do throws(MediaError) { try store.add(batch) } catch {
                guard error.code == .queueUnavailable else {
                    log.warning("lines of the logs of jobs \(batch.texts.keys.sorted()) are lost: \(error)")
                    state.withLock { $0.batch = nil }
                    continue
                }
                state.withLock { $0.delay = min($0.delay * 2, SharedLogs.longestDelay) }
                return flushLater()
            }
            state.withLock { ($0.batch, $0.delay) = (nil, SharedLogs.interval) }
        }
    }

    /// The batch to store next; nil: nothing waits.
    private func next() -> LogBatch? {
        state.withLock { state in
            if state.batch == nil, !state.lines.isEmpty {
                state.number += 1
                let leftOut = "further lines are left out, since the queue could not be reached"
                let texts = state.lines.mapValues { lines in
                    lines.leftOut == 0
                        ? lines.text : lines.text + "\(Moment.now) \(node): \(lines.leftOut) \(leftOut)\n"
                }
                state.batch = LogBatch(number: state.number, texts)
                (state.lines, state.bytes) = ([:], 0)
            }
            return state.batch
        }
    }
}
