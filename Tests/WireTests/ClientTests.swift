import Dispatch
import Glibc
import Platform
import Testing
import Text

@testable import Wire

@Suite struct ClientTests {
    @Test func callsAndDecodes() throws {
        let scratch = try Scratch()
        let service = try Service(scratch)
        defer { service.stop() }
        let client = try Client(path: service.path)
        #expect(
            try client.call("echo", params: ["a": [1, 2]], returning: [String: [Int]].self) == ["a": [1, 2]])
        #expect(try client.peer.uid == geteuid())
        let error = #expect(throws: WireError.self) { try client.call("no.such") }
        guard case .remote(let remote)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(remote.number == RemoteError.Kind.methodNotFound.rawValue)
        #expect(remote.code == "operationNotSupported")
    }

    @Test func notificationsArriveDuringCallAndWait() throws {
        let scratch = try Scratch()
        let service = try Service(scratch)
        defer { service.stop() }
        let client = try Client(path: service.path)
        var seen: [JSONValue] = []
        client.onNotification = { [unowned client] method, params in
            #expect(method == "told")
            seen.append(params)
            // A handler may ask.
            if params == [1] { #expect((try? client.call("echo", params: [9])) == [9]) }
        }
        #expect(try client.call("tell", params: [1]) == true)
        #expect(seen == [[1]])
        let connection = try #require(service.connections.next())
        connection.send(.notification(method: "told", params: [2]))
        #expect(try client.waitForNotification(timeout: .seconds(60)))
        #expect(seen == [[1], [2]])
        #expect(try client.waitForNotification(timeout: .milliseconds(1)) == false)
    }

    @Test func endInTheMiddleOfACallIsClear() throws {
        let scratch = try Scratch()
        let service = try Service(scratch)
        defer { service.stop() }
        let client = try Client(path: service.path)
        let connection = try #require(service.connections.next())
        DispatchQueue(label: "closer").async {
            _ = service.messages.next()
            connection.close()
        }
        let error = #expect(throws: WireError.self) { try client.call("later") }
        #expect(error == .closed(while: "waiting for the answer to later"))
        #expect(
            error?.description == "trimd closed the connection while waiting for the answer to later")
        #expect(throws: WireError.self) { try client.call("echo") }
    }

    @Test func timeIsLimited() throws {
        let scratch = try Scratch()
        let service = try Service(scratch)
        defer { service.stop() }
        let client = try Client(path: service.path)
        #expect(throws: WireError.timedOut(while: "waiting for the answer to later")) {
            try client.call("later", timeout: .milliseconds(5))
        }
        // A late answer is nobody's; the next call gets its own.
        let connection = try #require(service.connections.next())
        connection.send(.response(id: .int(1), result: "late"))
        #expect(try client.call("echo", params: [1]) == [1])
    }

    @Test func interruption() throws {
        let scratch = try Scratch()
        let service = try Service(scratch)
        defer { service.stop() }
        let client = try Client(path: service.path)
        let (reading, writing) = try pipe()
        client.interrupt = reading.raw
        let raw = writing.raw
        DispatchQueue(label: "signal").async {
            _ = service.messages.next()
            _ = unsafe write(raw, [1], 1)
        }
        #expect(throws: WireError.interrupted) { try client.call("later") }
        #expect(throws: WireError.interrupted) { try client.waitForNotification() }
        var byte: UInt8 = 0
        #expect(unsafe read(reading.raw, &byte, 1) == 1)
        #expect(try client.call("echo", params: ["cancel"]) == ["cancel"])
    }

    @Test func interruptedSendingLeavesTheStreamWhole() throws {
        let pair = try socketPair()
        let client = Client(adopting: try pair.ours.take())
        let (reading, writing) = try pipe()
        client.interrupt = reading.raw
        _ = unsafe write(writing.raw, [1], 1)
        // Nobody reads: the line gets stuck half way.
        let long = [String(repeating: "x", count: 900_000)]
        #expect(throws: WireError.interrupted) { try client.call("long", params: long) }
        client.interrupt = nil
        let connection = try Connection(try pair.theirs.take(), label: "test")
        connection.start {
            Service.answer($0, $1, $2)
        } onEnd: { _, _ in
        }
        #expect(try client.call("echo", params: ["short"]) == ["short"])
        connection.close()
    }

    @Test func tooMuchToAskIsRefusedHere() throws {
        let scratch = try Scratch()
        let service = try Service(scratch)
        defer { service.stop() }
        let client = try Client(path: service.path)
        let error = #expect(throws: WireError.self) {
            try client.call("echo", params: [String(repeating: "x", count: 1 << 20)])
        }
        guard case .tooLong? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try client.call("echo", params: [String(repeating: "x", count: 900_000)]).array?.count == 1)
    }

    @Test func rubbishFromTheOtherSideIsAnError() throws {
        let pair = try socketPair()
        let client = Client(adopting: try pair.ours.take())
        let peer = RawPeer(adopting: try pair.theirs.take())
        try peer.send("hello\n")
        let error = #expect(throws: WireError.self) { try client.call("echo") }
        guard case .malformed? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
