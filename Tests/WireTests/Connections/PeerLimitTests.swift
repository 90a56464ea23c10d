// The share of a listener that one peer, or one user, can keep: seats, descriptors, lines that never end. Nothing of it for ever, and
// never what others need.
import CLinux
import Dispatch
import Glibc
import Platform
import Testing
import Text

@testable import Wire

@Suite(.timeLimit(.minutes(10))) struct PeerLimitTests {
    private let echo = #"{"jsonrpc":"2.0","id":1,"method":"echo"}"# + "\n"
    private let read = #"{"jsonrpc":"2.0","id":1,"method":"read"}"# + "\n"

    /// A peer that sends its own end of the connection, and a byte of a line, and goes: what it sent would keep it there.
    @Test func aPeerThatSendsItselfIsNotKept() throws {
        let scratch = try Scratch()
        let service = try Service(scratch)
        defer { service.stop() }
        do {
            let peer = try RawPeer(service.path)
            _ = try #require(service.connections.next())
            try peer.send("{", passing: [peer.raw])
        }
        #expect(service.ends.next() == .byPeer)
        #expect(eventually { service.listener.connected == 0 })
    }

    @Test func aLineThatIsNotEndedEndsItsConnection() throws {
        let scratch = try Scratch()
        var limits = Listener.Limits()
        limits.connection.lineTime = 300
        let service = try Service(scratch, limits: limits)
        defer { service.stop() }
        for beginning in ["{", String(repeating: "x", count: 2 << 20), "\n \n\r\n{"] {
            let peer = try RawPeer(service.path)
            try? peer.send(beginning)
            // A byte now and then makes the line no better.
            for _ in 0..<400 where (try? peer.send("x")) != nil { SocketIO.pause(milliseconds: 50) }
            #expect(service.ends.next() == .unfinishedLine)
        }
    }

    /// Who says nothing, and who ends their lines, stays: each line has its own time.
    @Test func whoEndsTheirLinesStays() throws {
        let scratch = try Scratch()
        var limits = Listener.Limits()
        limits.connection.lineTime = 10_000
        let service = try Service(scratch, limits: limits)
        defer { service.stop() }
        let idle = try RawPeer(service.path)
        let client = try RawPeer(service.path)
        for _ in 0..<7 {
            for part in [echo.prefix(10), echo.dropFirst(10)] {
                try client.send(String(part))
                SocketIO.pause(milliseconds: 800)
            }
            _ = try client.message()
        }
        try idle.send(echo)
        _ = try idle.message()
        #expect(service.ends.all.isEmpty)
    }

    /// The time counts while lines are read: a peer whose requests are not answered yet cannot help it.
    @Test func aLineThatNobodyReadsIsNotLate() throws {
        let pair = try socketPair()
        var limits = Connection.Limits()
        (limits.lineTime, limits.unanswered) = (300, 1)
        let connection = try Connection(try pair.ours.take(), label: "test", limits: limits)
        let ends = Log<Connection.End>()
        connection.start { _, _, _ in
        } onEnd: { _, end in
            ends.add(end)
        }
        let peer = RawPeer(adopting: try pair.theirs.take())
        try peer.send(echo + "{")
        SocketIO.pause(milliseconds: 900)
        #expect(ends.all.isEmpty)
        connection.send(.response(id: .int(1), result: true))
        _ = try peer.message()
        #expect(ends.next() == .unfinishedLine)
    }

    @Test func whoTakesNothingIsDropped() throws {
        let scratch = try Scratch()
        var limits = Listener.Limits()
        limits.connection.sendTime = 300
        let service = try Service(scratch, limits: limits)
        defer { service.stop() }
        let deaf = try RawPeer(service.path)
        let connection = try #require(service.connections.next())
        let text = JSONValue.string(String(repeating: "x", count: 100_000))
        for _ in 0..<10 { connection.send(.notification(method: "n", params: [text])) }
        #expect(service.ends.next() == .slowReader)
        _ = deaf
    }

    @Test func onlyFilesAndFoldersComeThrough() throws {
        let scratch = try Scratch()
        let service = try Service(scratch)
        defer { service.stop() }
        let peer = try RawPeer(service.path)
        let (reading, writing) = try pipe()
        let film = try memoryFile("film")
        let folder = try Descriptor(opening: scratch.path, O_RDONLY | O_DIRECTORY)
        let device = try Descriptor(opening: "/dev/null", O_RDONLY)
        let sent = [writing.raw, film.rawValue, peer.raw, device.rawValue, folder.rawValue]
        let received = Log<Descriptors>()
        let pair = try socketPair()
        let connection = try Connection(try pair.ours.take(), label: "test")
        connection.start { _, _, descriptors in
            received.add(descriptors)
        } onEnd: { _, _ in
        }
        let other = RawPeer(adopting: try pair.theirs.take())
        try other.send(read, passing: sent)
        let descriptors = try #require(received.next())
        #expect(descriptors.refused == [0: "pipe", 2: "socket", 3: "character device"])
        #expect(descriptors.count == 5 && !descriptors.truncated)
        #expect(descriptors.borrowed.count == 2)
        // Each is where it was sent.
        if let own = descriptors.take(1) { #expect(contents(of: own) == "film") }
        #expect(descriptors.borrowed.count == 1, "the folder is left")
        writing.close()
        #expect(try SocketIO.wait(reading.raw, until: Deadline(after: .seconds(60))) == .readable)
        connection.close()
    }

    /// A user's descriptors are counted over all their connections, and given back.
    @Test func aUserHasAShareOfDescriptors() throws {
        let scratch = try Scratch()
        var limits = Listener.Limits()
        limits.descriptorsPerUser = 6
        // The unfinished lines are to stay on a slow machine.
        limits.connection.lineTime = 600_000
        let service = try Service(scratch, limits: limits)
        defer { service.stop() }
        let file = try memoryFile("f")
        let hoarders = try (0..<2).map { _ in try RawPeer(service.path) }
        // The beginning of a line holds what came with it: by the time the line before it is answered.
        for peer in hoarders {
            try peer.send(echo + "{", passing: [file.rawValue, file.rawValue, file.rawValue])
            _ = try peer.message()
        }
        let peer = try RawPeer(service.path)
        func answer() throws -> JSONValue? {
            try peer.send(read, passing: [file.rawValue])
            guard case .response(_, let result) = try peer.message() else { return nil }
            return result
        }
        #expect(try answer() == ["texts": [], "lost": true])
        try hoarders[0].send("}\n")
        _ = try hoarders[0].message()
        #expect(eventually { (try? answer()) == ["texts": ["f"], "lost": false] })
    }

    @Test func sharesAreGrantedByUser() {
        var limits = Listener.Limits()
        (limits.connections, limits.reserved, limits.perUser, limits.perOwner) = (20, 2, 8, 16)
        (limits.descriptors, limits.descriptorsPerUser) = (20, 12)
        let shares = PeerShares(limits, own: 7)
        var seats: [PeerShares.Seat] = []
        func fill(_ uid: UInt32) -> Int {
            let before = seats.count
            while let seat = shares.seat(for: uid) { seats.append(seat) }
            return seats.count - before
        }
        // Other users leave two for the daemon's own user and root, these two for root.
        #expect([1001, 1002, 1003, 1004].map(fill) == [8, 8, 0, 0])
        #expect(fill(7) == 2)
        #expect(fill(0) == 2)
        seats = []
        #expect(shares.connected == 0)
        #expect(fill(0) == 16)
        seats = []

        let users = (1...4 as ClosedRange<UInt32>).compactMap { shares.seat(for: 1000 + $0) }
        #expect(users.count == 4)
        var leases = [users[0].lease(12)]
        #expect(leases[0] != nil && users[0].lease(1) == nil)
        // Beyond what all may have together, each has what one message carries.
        leases.append(users[1].lease(8))
        #expect(leases[1] != nil && users[1].lease(1) == nil)
        leases.append(users[2].lease(8))
        #expect(leases[2] != nil && users[2].lease(1) == nil)
        leases[0] = nil
        #expect(users[1].lease(4) != nil && users[3].lease(3) != nil)
    }

    /// How long a connection with these limits takes to read `count` messages that are there at once.
    private func time(
        toRead count: Int, _ text: String, _ change: (inout Connection.Limits) -> Void
    ) throws -> Duration {
        let pair = try socketPair()
        var limits = Connection.Limits()
        change(&limits)
        let connection = try Connection(try pair.ours.take(), label: "test", limits: limits)
        defer { connection.close() }
        let received = Log<Message>()
        connection.start { _, message, _ in
            received.add(message)
        } onEnd: { _, _ in
        }
        let peer = RawPeer(adopting: try pair.theirs.take())
        let began = ContinuousClock.now
        try peer.send(text)
        #expect(eventually { received.all.count == count })
        return ContinuousClock.now - began
    }

    /// Of a peer that says more than it may, so much is read, and the rest later.
    @Test func messagesAreReadAtTheirRate() throws {
        let line = #"{"jsonrpc":"2.0","method":"n"}"# + "\n"
        let took = try time(toRead: 160, String(repeating: line, count: 160)) { $0.messageRate = 50 }
        #expect(took > .seconds(2))
    }

    @Test func bytesAreReadAtTheirRate() throws {
        let text = String(repeating: "x", count: 400_000)
        let line = #"{"jsonrpc":"2.0","method":"n","params":["\#(text)"]}"# + "\n"
        let took = try time(toRead: 1, line) { $0.byteRate = 100_000 }
        #expect(took > .milliseconds(1900))
    }

    @Test func aPausedConnectionKeepsItsOrder() throws {
        let pair = try socketPair()
        let connection = try Connection(try pair.ours.take(), label: "test")
        let received = Log<RequestID>()
        let ends = Log<Connection.End>()
        connection.start { connection, message, _ in
            guard case .request(let id, _, _) = message else { return }
            received.add(id)
            connection.pause()
        } onEnd: { _, end in
            ends.add(end)
        }
        let peer = RawPeer(adopting: try pair.theirs.take())
        for id in 0..<5 { try peer.send(#"{"jsonrpc":"2.0","id":\#(id),"method":"m"}"# + "\n") }
        try peer.finishSending()
        for id in 0..<5 as Range<Int64> {
            #expect(eventually { received.all.count == Int(id) + 1 })
            SocketIO.pause(milliseconds: 20)
            #expect(received.all.last == .int(id))
            connection.send(.response(id: .int(id), result: true))
            connection.resume()
            #expect(try peer.message() == .response(id: .int(id), result: true))
        }
        #expect(ends.next() == .byPeer)
    }
}
