// QueueHealth: looks whether the queue's files are still those that were opened, whether or not a client asks for anything; the log says
// when they are not, and when they are again. Runs on its own queue: the disk may not answer.
internal import Dispatch
internal import JobQueue
internal import Media

/// Watches the files of a queue.
///
/// `@unchecked Sendable`: variables are accessed on `queue` only.
final class QueueHealth: @unchecked Sendable {
    private let queue = DispatchQueue(label: "trimd.queue.health", qos: .utility)
    private let store: any JobQueue
    private let log: Log
    private var calls = RepeatedCalls()
    private var isLost = false

    /// Milliseconds between two looks.
    private static let interval = 2000

    init(_ store: any JobQueue, log: Log) { (self.store, self.log) = (store, log) }

    /// Looks from now on.
    func start() {
        queue.async { [self] in
            calls.add(every: QueueHealth.interval, on: queue) { [weak self] in self?.look() }
        }
    }

    private func look() {
        do throws(MediaError) {
            try store.checkFiles()
            if isLost { log.info("the files of the queue are back: jobs are accepted again") }
            isLost = false
        } catch {
            if !isLost { log.error("THE QUEUE IS GONE, and no job is accepted: \(error)") }
            isLost = true
        }
    }
}
