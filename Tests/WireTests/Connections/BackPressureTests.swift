// Peers that say much or read slowly: what waits for them is bounded, and others are served.
import Dispatch
import Glibc
import Platform
import Testing
import Text

@testable import Wire

@Suite struct BackPressureTests {
    @Test func slowReaderIsDroppedAndOthersAreServed() throws {
        let scratch = try Scratch()
        var limits = Listener.Limits()
        limits.connection.outbox = 1 << 20
        let service = try Service(scratch, limits: limits)
        defer { service.stop() }
        let slow = try RawPeer(service.path)
        let connection = try #require(service.connections.next())
        let quick = try Client(path: service.path)
        let text = JSONValue.string(String(repeating: "x", count: 10_000))
        var sent = 0
        while connection.send(.notification(method: "n", params: [text])) {
            sent += 1
            if sent % 20 == 0 { #expect(try quick.call("echo", params: [sent]) == [.int(Int64(sent))]) }
            if sent > 10_000 { break }
        }
        #expect(sent < 1000)
        #expect(service.ends.next() == .slowReader)
        #expect(connection.send(.notification(method: "n", params: [])) == false)
        #expect(try quick.call("echo", params: ["after"]) == ["after"])
        _ = slow
    }

    @Test func droppableNotificationsCoalesce() throws {
        let (connection, ends, other) = try startedConnection()
        let peer = RawPeer(adopting: try other.take())
        let padding = JSONValue.string(String(repeating: "p", count: 20_000))
        for step in 0..<400 {
            #expect(
                connection.sendDroppable(
                    .notification(method: "p", params: [.int(Int64(step)), padding]), key: "job"))
        }
        connection.send(.notification(method: "last", params: []))
        var seen: [Int64] = []
        while case .notification("p", let params) = try peer.message() {
            seen.append(try #require(params.array?.first?.int))
        }
        #expect(seen.count < 100)
        #expect(seen == seen.sorted())
        #expect(seen.last == 399)
        connection.close()
        #expect(ends.next() == .here)
    }

    @Test func floodOfRequestsIsReadAsFastAsAnswered() throws {
        let pair = try socketPair()
        var limits = Connection.Limits()
        limits.unanswered = 5
        let connection = try Connection(try pair.ours.take(), label: "test", limits: limits)
        let received = Log<RequestID>()
        let ends = Log<Connection.End>()
        connection.start { _, message, _ in
            if case .request(let id, _, _) = message { received.add(id) }
        } onEnd: { _, end in
            ends.add(end)
        }
        let peer = RawPeer(adopting: try pair.theirs.take())
        for id in 0..<100 { try peer.send(#"{"jsonrpc":"2.0","id":\#(id),"method":"m"}"# + "\n") }
        for id in 0..<100 {
            #expect(eventually { received.all.count == min(id + 5, 100) })
            connection.queue.sync {}
            #expect(received.all.count == min(id + 5, 100))
            connection.send(.response(id: .int(Int64(id)), result: true))
            #expect(try peer.message() == .response(id: .int(Int64(id)), result: true))
        }
        try peer.finishSending()
        #expect(ends.next() == .byPeer)
    }

    @Test func pipeliningWithoutReadingIsBackPressure() throws {
        let scratch = try Scratch()
        var limits = Listener.Limits()
        limits.connection.outbox = 1 << 20
        let service = try Service(scratch, limits: limits)
        defer { service.stop() }
        let peer = try Descriptor.Box(UnixSocket.connect(to: service.path))
        let raw = peer.raw
        let text = String(repeating: "x", count: 5000)
        let line = Array((#"{"jsonrpc":"2.0","id":1,"method":"echo","params":["\#(text)"]}"# + "\n").utf8)
        // Writes until the server takes no more, reading nothing: it must neither grow nor drop us.
        var written = 0
        var offset = 0
        while written < 20 << 20 {
            guard
                case .bytes(let count) = try SocketIO.send(
                    raw, line, from: offset, descriptors: [], waiting: false)
            else {
                let ready = try SocketIO.wait(
                    raw, reading: false, writing: true, until: Deadline(after: .seconds(1)))
                if ready.isEmpty { break }
                continue
            }
            written += count
            offset = (offset + count) % line.count
        }
        #expect(written < 10 << 20)
        #expect(service.ends.all.isEmpty)
        _ = peer
    }

    @Test func sendingFromManyThreadsKeepsLinesWhole() throws {
        let pair = try socketPair()
        let connection = try Connection(try pair.ours.take(), label: "test")
        connection.start { _, _, _ in
        } onEnd: { _, _ in
        }
        let peer = RawPeer(adopting: try pair.theirs.take())
        for thread in 0..<4 {
            DispatchQueue(label: "sender").async {
                for step in 0..<250 {
                    let text = JSONValue.string(String(repeating: "x", count: step * 17))
                    connection.send(.notification(method: "\(thread)", params: [.int(Int64(step)), text]))
                }
            }
        }
        var next: [String: Int64] = [:]
        for _ in 0..<1000 {
            guard case .notification(let thread, let params) = try peer.message() else { continue }
            #expect(params.array?.first?.int == next[thread, default: 0])
            next[thread, default: 0] += 1
        }
        #expect(next == ["0": 250, "1": 250, "2": 250, "3": 250])
        connection.close()
    }
}
