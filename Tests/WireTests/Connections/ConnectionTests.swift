import Dispatch
import Glibc
import Platform
import Synchronization
import Testing
import Text

@testable import Wire

@Suite struct ConnectionTests {
    @Test func badLinesAreAnsweredAndTheConnectionWorksOn() throws {
        let scratch = try Scratch()
        let service = try Service(scratch)
        defer { service.stop() }
        let peer = try RawPeer(service.path)
        let echo = #"{"jsonrpc":"2.0","id":"e","method":"echo","params":[1]}"# + "\n"
        let bad: [(bytes: [UInt8], number: Int)] = [
            (Array("nonsense\n".utf8), -32700),
            ([0x22, 0xFF, 0x22, 0x0A], -32700),
            ([0x00, 0x0A], -32700),
            (Array((String(repeating: "[", count: 100_000) + "\n").utf8), -32700),
            (
                [UInt8](repeating: 0x20, count: 100)
                    + Array((String(repeating: "x", count: 3 << 20) + "\n").utf8), -32600
            ),
            (Array("[]\n".utf8), -32600),
            (Array(#"[{"jsonrpc":"2.0","id":1,"method":"echo"}]"#.utf8) + [10], -32600),
            (Array("{}\n".utf8), -32600),
            (Array(#"{"jsonrpc":"2.0","id":5,"method":"nothing"}"#.utf8) + [10], -32601),
        ]
        for (bytes, number) in bad {
            try peer.send(bytes)
            guard case .failure(let id, let error) = try peer.message() else {
                Issue.record("no error for \(number)")
                continue
            }
            #expect(error.number == number)
            #expect(id == (number == -32601 ? .int(5) : .null))
            try peer.send("\n" + echo)
            #expect(try peer.message() == .response(id: .string("e"), result: [1]))
        }
        // Unknown answers and notifications are nobody's business.
        try peer.send(
            #"{"jsonrpc":"2.0","id":77,"result":1}"# + "\n" + #"{"jsonrpc":"2.0","method":"x"}"# + "\n" + echo
        )
        #expect(try peer.message() == .response(id: .string("e"), result: [1]))
    }

    @Test func peerIsKnown() throws {
        let scratch = try Scratch()
        let service = try Service(scratch)
        defer { service.stop() }
        let who = try Client(path: service.path).call("who")
        let uid = Int64(geteuid())
        #expect(who == ["pid": .int(Int64(getpid())), "uid": .int(uid), "gid": .int(Int64(getegid()))])
    }

    @Test func descriptorsGoWithTheirMessage() throws {
        let scratch = try Scratch()
        let service = try Service(scratch)
        defer { service.stop() }
        let client = try Client(path: service.path)
        let one = try memoryFile("one")
        let two = try memoryFile("two")
        for _ in 0..<20 {
            let answer = try client.call("read", passing: [one.rawValue, two.rawValue])
            #expect(answer == ["texts": ["one", "two"], "lost": false])
        }
        #expect(try client.call("read") == ["texts": [], "lost": false])
        // The client's own stay open.
        #expect(contents(of: one) == "one")
    }

    @Test func descriptorsFindTheirLineAmongOthers() throws {
        let scratch = try Scratch()
        let service = try Service(scratch)
        defer { service.stop() }
        let peer = try RawPeer(service.path)
        let files = [try memoryFile("0").release(), try memoryFile("1").release()]
        let owner = Descriptors(adopting: files)
        for round in 0..<50 {
            // A long line is split by the kernel; its descriptors come with its first part.
            let padding = String(repeating: "p", count: round % 5 * 60_000)
            try peer.send(#"{"jsonrpc":"2.0","id":0,"method":"read"}"# + "\n")
            for (index, file) in files.enumerated() {
                let line =
                    #"{"jsonrpc":"2.0","id":\#(index + 1),"method":"read","params":["\#(padding)"]}"# + "\n"
                try peer.send(line, passing: [file])
                try peer.send(#"{"jsonrpc":"2.0","id":0,"method":"read"}"# + "\n")
            }
            for expected in [[], ["0"], [], ["1"], []] as [[String]] {
                guard case .response(let id, let result) = try peer.message() else {
                    Issue.record("no response")
                    return
                }
                let texts = result["texts"]?.array?.compactMap(\.string)
                #expect(texts == expected, "id \(id)")
            }
        }
        _ = owner
    }

    @Test func surplusDescriptorsAreClosedAndSaid() throws {
        let scratch = try Scratch()
        let service = try Service(scratch)
        defer { service.stop() }
        let peer = try RawPeer(service.path)
        // The reading end sees the end of the pipe only when every copy of the writing end is closed.
        let (reading, writing) = try pipe()
        let request = #"{"jsonrpc":"2.0","id":1,"method":"echo"}"# + "\n"
        try peer.send(request, passing: [Int32](repeating: writing.raw, count: 20))
        #expect(try peer.message() == .response(id: .int(1), result: .empty))
        // Descriptors with every byte of one line, and with a line that is no message.
        for byte in Array(request.utf8) { try peer.send([byte], passing: [writing.raw, writing.raw]) }
        #expect(try peer.message() == .response(id: .int(1), result: .empty))
        try peer.send("rubbish\n", passing: [writing.raw])
        _ = try peer.message()
        writing.close()
        #expect(try SocketIO.wait(reading.raw, until: Deadline(after: .seconds(60))) == .readable)
    }

    @Test func halfClosedPeerGetsItsAnswers() throws {
        let scratch = try Scratch()
        let service = try Service(scratch)
        defer { service.stop() }
        let peer = try RawPeer(service.path)
        let connection = try #require(service.connections.next())
        let later = #"{"jsonrpc":"2.0","id":1,"method":"later"}"# + "\n"
        // The last line lacks its newline, as from printf.
        try peer.send(later + #"{"jsonrpc":"2.0","id":2,"method":"echo","params":[2]}"#)
        try peer.finishSending()
        #expect(try peer.message() == .response(id: .int(2), result: [2]))
        connection.send(.response(id: .int(1), result: "late"))
        #expect(try peer.message() == .response(id: .int(1), result: "late"))
        #expect(try peer.line() == nil)
        #expect(service.ends.next() == .byPeer)
    }

    @Test func heldHalfClosedConnectionStays() throws {
        let scratch = try Scratch()
        let service = try Service(scratch)
        defer { service.stop() }
        let peer = try RawPeer(service.path)
        let connection = try #require(service.connections.next())
        connection.hold()
        try peer.send(#"{"jsonrpc":"2.0","id":2,"method":"echo"}"# + "\n")
        try peer.finishSending()
        _ = try peer.message()
        for step in 0..<3 {
            connection.send(.notification(method: "n", params: [.int(Int64(step))]))
            #expect(try peer.message() == .notification(method: "n", params: [.int(Int64(step))]))
        }
        connection.unhold()
        #expect(try peer.line() == nil)
        #expect(service.ends.next() == .byPeer)
    }

    @Test func closeHandlerRunsOnceAndEverythingGoes() throws {
        let pair = try socketPair()
        let ends = Log<Connection.End>()
        weak var gone: Connection?
        do {
            let connection = try Connection(try pair.ours.take(), label: "test")
            gone = connection
            connection.start { _, _, _ in
            } onEnd: { _, end in
                ends.add(end)
            }
            for _ in 0..<10 { DispatchQueue(label: "closer").async { connection.close() } }
            #expect(ends.next() == .here)
            connection.close()
            connection.queue.sync {}
        }
        #expect(eventually { gone == nil })
        #expect(ends.all == [.here])
        #expect(try RawPeer(adopting: try pair.theirs.take()).line() == nil)
    }

    @Test func vanishedPeerEndsIt() throws {
        let (connection, ends, other) = try startedConnection()
        connection.hold()
        other.close()
        #expect(ends.next() == .byPeer)
        #expect(connection.send(.notification(method: "n", params: [])) == false)
    }

    @Test func closeWhenSentSendsFirst() throws {
        let (connection, ends, other) = try startedConnection()
        for _ in 0..<200 {
            connection.send(
                .notification(method: "n", params: [.string(String(repeating: "x", count: 10_000))]))
        }
        connection.closeWhenSent()
        let peer = RawPeer(adopting: try other.take())
        var lines = 0
        while try peer.line() != nil { lines += 1 }
        #expect(lines == 200)
        #expect(ends.next() == .here)
    }

    @Test func answerTooLongBecomesAnError() throws {
        let scratch = try Scratch()
        let service = try Service(scratch)
        defer { service.stop() }
        let client = try Client(path: service.path)
        let error = #expect(throws: WireError.self) { try client.call("big") }
        guard case .remote(let remote)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(remote.code == "answerTooLong")
        #expect(try client.call("echo", params: [1]) == [1])
    }
}
