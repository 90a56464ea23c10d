import Dispatch
import Glibc
import Platform
import Testing
import Text

@testable import Wire

@Suite struct BlockingChannelTests {
    @Test func daemonAndWorkerTalk() throws {
        let pair = try socketPair()
        let daemon = try Connection(try pair.ours.take(), label: "daemon")
        let messages = Log<Message>()
        let ends = Log<Connection.End>()
        daemon.start { _, message, _ in
            messages.add(message)
        } onEnd: { _, end in
            ends.add(end)
        }
        let worker = BlockingChannel(adopting: try pair.theirs.take())
        let file = try memoryFile("source")
        try daemon.send(.request(id: .int(1), method: "export", params: ["a": 1]), passing: [file.rawValue])
        let received = try #require(try worker.receive())
        #expect(received.message == .request(id: .int(1), method: "export", params: ["a": 1]))
        #expect(received.descriptors.count == 1)
        let source = try Descriptor.Box(received.descriptors.takeNext())
        #expect(contents(of: try source.take()) == "source")
        for step in 0..<100 {
            try worker.send(.notification(method: "progress", params: [.int(Int64(step))]))
        }
        try worker.send(.response(id: .int(1), result: "done"))
        #expect(eventually { messages.all.count == 101 })
        #expect(messages.all.last == .response(id: .int(1), result: "done"))
        daemon.close()
        let last = try worker.receive()
        #expect(last == nil)
        #expect(throws: WireError.closed(while: "sending")) {
            try worker.send(.notification(method: "progress", params: []))
        }
        #expect(ends.next() == .here)
    }

    @Test func manyThreadsSend() throws {
        let pair = try socketPair()
        let one = BlockingChannel(adopting: try pair.ours.take())
        let other = BlockingChannel(adopting: try pair.theirs.take())
        for thread in 0..<4 {
            DispatchQueue(label: "sender").async {
                for step in 0..<100 {
                    let text = JSONValue.string(String(repeating: "y", count: step * 100))
                    try? one.send(.notification(method: "\(thread)", params: [text]))
                }
            }
        }
        for _ in 0..<400 { #expect(try other.receive() != nil) }
        one.close()
        let last = try other.receive()
        #expect(last == nil)
    }

    @Test func whileNothingComesTheReceiverIsIdle() throws {
        let pair = try socketPair()
        let one = BlockingChannel(adopting: try pair.ours.take())
        let other = BlockingChannel(adopting: try pair.theirs.take())
        let note = Message.notification(method: "note", params: .empty)
        var idle = 0
        // Both are here: for what has come, nobody waits.
        for _ in 0..<2 { try one.send(note) }
        for _ in 0..<2 {
            let received = try other.receive(every: .zero) { idle += 1 }
            #expect(received?.message == note && idle == 0)
        }
        let received = try other.receive(every: .milliseconds(1)) {
            idle += 1
            if idle == 3 { try? one.send(note) }
        }
        #expect(received?.message == note && idle == 3)
        let last = try other.receive(every: .milliseconds(1)) {
            idle += 1
            one.close()
        }
        #expect(last == nil && idle == 4)
    }
}
