// Watching jobs while others read, and the report of a job whose end is not stored yet.
import Dispatch
import JobQueue
import Media
import MediaTime
import Platform
import Synchronization
import Testing
import Text
import Wire

@testable import trimd

@Suite(.timeLimit(.minutes(10))) struct EventHubTests {
    /// A client of a hub: what it was sent, in order.
    private final class Listener {
        let connection: Connection
        let client: Client
        private(set) var received: [(method: String, params: JSONValue)] = []

        init(_ label: String) throws {
            var pair = try Descriptor.socketPair()
            guard let ours = pair.takeFirst(), let theirs = pair.takeSecond() else {
                throw SystemError("making", "a pair", code: 0)
            }
            connection = try Connection(ours, label: label)
            connection.start(onMessage: { _, _, _ in }, onEnd: { _, _ in })
            client = Client(adopting: theirs)
            client.onNotification = { [unowned self] in received.append(($0, $1)) }
        }

        /// Waits until this many notifications were received.
        func wait(for count: Int) throws {
            while received.count < count { #expect(try client.waitForNotification(timeout: .seconds(60))) }
        }

        var statuses: [String] { received.compactMap { $0.params["status"]?.string } }
    }

    private let caller = Caller(uid: 1, own: 1)

    private func report(_ id: Int64, _ status: JobStatus) -> JobReport {
        JobReport(
            id: id, status: status, preset: "p", render: .auto, input: "/i", output: "/o",
            created: Moment(milliseconds: 0), user: 1)
    }

    /// A thousand rows are read beside the hub's queue: other watchers are notified meanwhile.
    @Test func oneWhoReadsALotHoldsUpNobody() throws {
        let hub = EventHub()
        let first = try Listener("first"), second = try Listener("second")
        hub.watch(first.connection, caller, WatchParams()) {}
        let isReading = DispatchSemaphore(value: 0), mayEnd = DispatchSemaphore(value: 0)
        let connection = second.connection, caller = caller
        let done = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            hub.watch(connection, caller, WatchParams()) {
                isReading.signal()
                mayEnd.wait()
                connection.send(.notification(method: "present", params: .empty))
            }
            done.signal()
        }
        isReading.wait()
        hub.changed(report(1, .exporting))
        hub.changed(report(1, .completed))
        try first.wait(for: 2)
        #expect(first.statuses == ["exporting", "completed"])
        // The other one has it too, after what was there when it came, and in order.
        mayEnd.signal()
        done.wait()
        hub.changed(report(2, .waiting))
        try second.wait(for: 4)
        #expect(second.received.first?.method == "present")
        #expect(second.statuses == ["exporting", "completed", "waiting"])
    }

    /// A subscriber without a socket: the methods of the notifications it received.
    private final class Notebook: Subscriber {
        private let received = Mutex<[String]>([])
        private let news = DispatchSemaphore(value: 0)
        let holds = Mutex(0)

        func send(_ message: Message) -> Bool {
            guard case .notification(let method, _) = message else { return false }
            received.withLock { $0.append(method) }
            news.signal()
            return true
        }

        func sendDroppable(_ message: Message, key: String) -> Bool { send(message) }

        func hold() { holds.withLock { $0 += 1 } }

        /// The notifications received, once there are this many.
        func all(_ count: Int) -> [String] {
            for _ in 0..<count { #expect(news.wait(timeout: .now() + 60) == .success) }
            return received.withLock(\.self)
        }
    }

    @Test func aSubscriberNeedsNoConnection() {
        let hub = EventHub()
        let notebook = Notebook(), other = Notebook()
        hub.watch(notebook, caller, WatchParams(ids: [1])) {}
        hub.watch(other, caller, WatchParams(ids: [2])) {}
        hub.watch(notebook, caller, WatchParams(ids: [3])) {}
        hub.changed(report(1, .exporting))
        hub.progressed(1, of: 1, Progress(fraction: 0.5, phase: .exporting))
        hub.drains(true)
        hub.changed(report(3, .waiting))
        #expect(notebook.all(4) == ["job.changed", "job.progress", "server.draining", "job.changed"])
        #expect(other.all(1) == ["server.draining"])
        hub.forget(other)
        hub.changed(report(2, .waiting))
        hub.changed(report(1, .completed))
        #expect(notebook.all(1).count == 5)
        #expect(other.all(0).count == 1)
        // It is held although it asks nothing more; once, however often it asks for more jobs.
        #expect(notebook.holds.withLock(\.self) == 1)
    }

    @Test func anUnwrittenStateIsReportedWithAWarning() throws {
        let hub = EventHub()
        let listener = try Listener("listener")
        hub.watch(listener.connection, caller, WatchParams(boundaries: [Time(1, 1)])) {}
        let scratch = try Scratch()
        let store = try JobStore(file: scratch.path + "/q", owner: "test")
        let target = OutputTarget(folder: "/films", name: "o.m4a", stem: "o")
        let job = try store.submit(
            ExportRequest(input: "/i", output: target, preset: preset()), source: source, user: 1
        ).job
        var known = job
        known.result = result()
        known.publication = Publication(device: 1, inode: 2, name: "o.m4a")
        known = known.foreseen(.completed, policy: QueuePolicy(), now: .now)
        hub.foreseen(known, MediaError(.diskFull, "the queue's disk is full"))
        // Every client gets the same state, although the queue has another.
        let shown = hub.report(of: job)
        #expect(shown.status == .completed)
        #expect(shown.warnings.map(\.code) == [.notRecorded])
        #expect(shown.warnings.first?.message.contains("the queue's disk is full") == true)
        hub.written(known)
        #expect(hub.report(of: job).status == .waiting)
        try listener.wait(for: 2)
        #expect(listener.statuses == ["completed", "completed"])
        let warnings = listener.received.map { $0.params["warnings"]?.array?.count }
        #expect(warnings == [1, 0])
    }
}
