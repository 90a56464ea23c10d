// No user can hold up the others: priorities order one's own jobs, and what is looked at goes in turns.
import Dispatch
import Foundation
import Glibc
import JobQueue
import Media
import MediaTime
import Synchronization
import Testing
import Text

@testable import Wire
@testable import trimd

@Suite(.timeLimit(.minutes(10))) struct FairnessTests {
    /// A worker that answers at once about other files than the slow ones.
    private static let slowAboutSlow = """
        read request <&3
        case "$request" in *slow*) sleep 100;; esac
        echo '{"jsonrpc":"2.0","id":1,"result":{}}' >&3

        """

    private func submit(_ rig: ServiceRig, as uid: UInt32, priority: Int) throws -> Called {
        var params = SubmitParams(input: rig.film)
        params.output = rig.out + "/"
        params.priority = priority
        return try rig.connect(as: uid).ask(.jobSubmit, params, passing: try rig.files())
    }

    @Test func highPrioritiesAreForThoseWhoMayDoAll() throws {
        let rig = try ServiceRig()
        for priority in [0, 50] {
            let called = try submit(rig, as: ServiceRig.ann, priority: priority)
            #expect(called.result?["priority"] == .int(Int64(priority)), "\(called)")
        }
        for priority in [51, 100] {
            guard case .error(let code, let message) = try submit(rig, as: ServiceRig.ann, priority: priority)
            else {
                Issue.record("another user has the priority \(priority)")
                continue
            }
            #expect(code == "permissionDenied" && message.contains("\(priority)"), "\(message)")
        }
        for uid in [0, geteuid()] {
            #expect(try submit(rig, as: uid, priority: 100).result?["priority"] == 100)
        }
    }

    @Test func turnsGoRoundAndKeepEachUsersOrder() {
        var queue = FairQueue<String>()
        for name in ["a1", "a2", "a3"] { queue.add(name, of: 1) }
        for name in ["b1", "b2"] { queue.add(name, of: 2) }
        queue.add("c1", of: 3)
        #expect(queue.count == 6 && queue.count(of: 1) == 3)
        var order: [String] = []
        while let next = queue.next(where: { _ in true }) { order.append(next.element) }
        #expect(order == ["a1", "b1", "c1", "a2", "b2", "a3"])
        // Who had a turn lately is behind who had none, however early they came.
        queue.add("a4", of: 1)
        queue.add("d1", of: 4)
        #expect(queue.next(where: { _ in true })?.element == "d1")
        queue.add("b3", of: 2)
        #expect(queue.next(where: { $0 != 2 })?.element == "a4")
        #expect(queue.remove(where: { user, _ in user == 2 }) == ["b3"])
        #expect(queue.count == 0 && queue.next(where: { _ in true }) == nil)
    }

    @Test func manyUsersAreNotRememberedForEver() {
        var queue = FairQueue<Int>()
        for user in 0..<5000 as Range<UInt32> {
            queue.add(1, of: user)
            #expect(queue.next(where: { _ in true })?.user == user)
        }
        #expect(
            Mirror(reflecting: queue).descendant("turns").map { ($0 as? [UInt32: Int])?.count ?? 0 } ?? 0
                <= 1000)
    }

    /// One user has all slots, and more waiting; another is served at once, and is not refused.
    @Test(arguments: [Wire.Method.assetProbe, .assetFrame, .assetSegment])
    func aUserWhoAsksMuchHoldsUpNobodyElse(_ method: Wire.Method) throws {
        let rig = try ServiceRig(worker: Self.slowAboutSlow)
        let slow = try rig.scratch.file("slow.mov")
        func params(_ path: String, _ number: Int) -> JSONValue {
            let path = JSONValue.string(path)
            if method == .assetProbe { return ["path": path] }
            if method == .assetSegment { return Self.segment(of: path) }
            return ["path": path, "at": "0", "output": .string(rig.out + "/\(number).png")]
        }
        let greedy = try (0..<3).map { _ in try rig.connect(as: 0) }
        for (number, client) in greedy.enumerated() {
            for request in 0..<20 {
                let id = number * 20 + request
                let line = Message.request(
                    id: .int(Int64(id)), method: method.rawValue, params: params(slow, id)
                ).line
                #expect(unsafe write(client.descriptor, line, line.count) == line.count)
            }
        }
        // Requests beyond the greedy one's share are refused to them: until then the others have been taken.
        let refused = try #require(try firstAnswer(greedy))
        #expect(refused["error"]?["data"]?["code"] == "limitReached", "\(refused)")
        for number in 0..<5 {
            let called = try rig.connect(as: ServiceRig.ann)
                .ask(method, params(rig.film, 1000 + number), passing: try rig.files())
            #expect(called.code == "workerCrashed" || called.code == "verificationFailed", "\(called)")
        }
    }

    /// The first line that one of several clients is sent.
    private func firstAnswer(_ clients: [Client]) throws -> JSONValue? {
        var texts = clients.map { _ in "" }
        for _ in 0..<6000 {
            for (index, client) in clients.enumerated() {
                var bytes = [UInt8](repeating: 0, count: 4096)
                let count = unsafe recv(client.descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
                if count > 0 { texts[index] += String(decoding: bytes.prefix(count), as: UTF8.self) }
                if let line = texts[index].split(separator: "\n").first, texts[index].contains("\n") {
                    return try JSONValue(parsing: Array(line.utf8))
                }
            }
            usleep(10_000)
        }
        return nil
    }

    /// The parameters of a segment.
    private static func segment(of path: JSONValue) -> JSONValue {
        let (start, duration): (JSONValue, JSONValue) = (
            ["value": 0, "timescale": 1], ["value": 4, "timescale": 1]
        )
        return ["path": path, "start": start, "duration": duration]
    }

    /// A request of somebody who has gone is not served any more.
    @Test(arguments: [Wire.Method.assetProbe, .assetSegment])
    func aClientThatLeavesFreesItsSlots(_ method: Wire.Method) throws {
        let rig = try ServiceRig(worker: Self.slowAboutSlow)
        let slow = try rig.scratch.file("slow.mov")
        do {
            let gone = try rig.connect(as: geteuid())
            for id in 0..<10 {
                let line = Message.request(
                    id: .int(Int64(id)), method: method.rawValue,
                    params: method == .assetProbe
                        ? ["path": .string(slow)] : Self.segment(of: .string(slow))
                ).line
                #expect(unsafe write(gone.descriptor, line, line.count) == line.count)
            }
            usleep(200_000)
        }
        let film = JSONValue.string(rig.film)
        let called = try rig.connect(as: geteuid()).ask(
            method, method == .assetProbe ? ["path": film] : Self.segment(of: film))
        #expect(called.code == "workerCrashed", "\(called)")
    }

    /// Paths that cannot be opened keep a few threads of their user's, and no other user waits for them.
    @Test func aPathThatHangsHoldsUpItsUserAlone() {
        let lanes = PathLanes(width: 3)
        let hung = DispatchSemaphore(value: 0)
        let busy = Mutex(0)
        for _ in 0..<50 {
            lanes.run(for: 1) {
                busy.withLock { $0 += 1 }
                hung.wait()
            }
        }
        for user in 2..<10 as Range<UInt32> {
            let done = DispatchSemaphore(value: 0)
            lanes.run(for: user) { done.signal() }
            #expect(done.wait(timeout: .now() + 60) == .success)
        }
        #expect(busy.withLock(\.self) <= 3)
        for _ in 0..<50 { hung.signal() }
        for _ in 0..<2000 where busy.withLock(\.self) < 50 { usleep(10_000) }
        #expect(busy.withLock(\.self) == 50)
    }

    /// A client gets one error that it takes too long; requests that had no lane by then are not begun.
    @Test func aPathThatTakesTooLongIsSaid() {
        let lanes = PathLanes(width: 1, patience: PathLanes.Patience(opening: 6000, waiting: 3000))
        let hung = DispatchSemaphore(value: 0)
        let events = Mutex<[String]>([])
        func run(_ name: String, _ work: @escaping @Sendable () -> Void = {}) {
            lanes.run(for: 1) {
                work()
                events.withLock { $0.append("\(name) done") }
            } tooLong: {
                events.withLock { $0.append("\(name) late") }
            }
        }
        func comes(_ count: Int) -> Bool {
            for _ in 0..<2000 where events.withLock(\.count) < count { usleep(10_000) }
            return events.withLock(\.count) == count
        }
        run("first") { hung.wait() }
        run("second")
        #expect(comes(2))
        #expect(events.withLock { Set($0) } == ["second late", "first late"])
        usleep(500_000)
        hung.signal()
        #expect(comes(3))
        // Another one has the lane at once.
        run("third")
        #expect(comes(4))
        #expect(events.withLock { Array($0.suffix(2)) } == ["first done", "third done"])
    }

    /// A job waits for its disks as long as they may take, and not when nobody wants it any more.
    @Test func whoWaitsForAPathIsNotKeptByIt() {
        let lanes = PathLanes(width: 1, patience: PathLanes.Patience(opening: 5000, waiting: 5000))
        #expect(lanes.wait(for: 1) {})
        let hung = DispatchSemaphore(value: 0)
        #expect(!lanes.wait(for: 1) { hung.wait() })
        #expect(!lanes.wait(for: 1) {}, "there is no lane")
        let began = ContinuousClock.now
        #expect(
            !lanes.wait(for: 2, while: { ContinuousClock.now - began < .milliseconds(50) }) { hung.wait() })
        for _ in 0..<2 { hung.signal() }
        #expect(lanes.wait(for: 3) {})
    }

    /// While a path is being opened, a connection's next request waits, and what is asked beside it does not.
    @Test func requestsOfOneConnectionKeepTheirOrder() throws {
        let rig = try ServiceRig()
        let client = try rig.connect(as: geteuid())
        var lines: [UInt8] = []
        for number in 0..<20 {
            let params: JSONValue = [
                "input": .string(rig.film), "output": .string(rig.out + "/"), "key": .string("k\(number)"),
            ]
            lines += Message.request(id: .string("\(number)"), method: "job.submit", params: params).line
        }
        lines += Message.request(id: .string("l"), method: "job.list", params: [:]).line
        #expect(unsafe write(client.descriptor, lines, lines.count) == lines.count)
        #expect(try client.ask(.hello).code == nil)
        let jobs = try rig.store.jobs(for: .all, limit: 100)
        #expect(jobs.map(\.request.key) == (0..<20).reversed().map { "k\($0)" })
    }
}
