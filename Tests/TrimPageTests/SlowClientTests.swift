// A connection whose request does not come is ended; one that is being answered is not.
import Glibc
import Platform
import Testing

@testable import TrimPage

@Suite(.timeLimit(.minutes(10))) struct SlowClientTests {
    @Test func onlyWhoIsAwaitedIsEnded() throws {
        var slow = try Descriptor.socketPair()
        var answered = try Descriptor.socketPair()
        guard let slowClient = slow.takeFirst(), let slowServer = slow.takeSecond(),
            let otherClient = answered.takeFirst(), let otherServer = answered.takeSecond()
        else { return }
        let clients = SlowClients(patience: .milliseconds(100), every: .milliseconds(20))
        clients.wait(for: otherServer.rawValue)
        clients.stopWaiting(for: otherServer.rawValue, hasSeat: false)
        clients.wait(for: slowServer.rawValue)
        // It becomes readable where it is ended: at its end.
        let ready = try SocketIO.wait(slowClient.rawValue, until: Deadline(after: .seconds(300)))
        #expect(ready.contains(.readable))
        #expect(try SocketIO.wait(otherClient.rawValue, until: Deadline(after: .milliseconds(1))).isEmpty)
        _ = consume slowServer
        _ = consume otherServer
    }

    @Test func strangersTakeNoSeatOfWhoHasASession() throws {
        var pairs: [(client: Int32, server: Int32)] = []
        defer { for pair in pairs { for socket in [pair.client, pair.server] { close(socket) } } }
        for _ in 0..<6 {
            var both: [Int32] = [0, 0]
            #expect(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &both) == 0)
            pairs.append((both[0], both[1]))
        }
        let clients = SlowClients(mostStrangers: 3)
        for pair in pairs.prefix(2) {
            clients.wait(for: pair.server)
            clients.stopWaiting(for: pair.server, hasSeat: true)
        }
        // The strangers that come first go, also one that is being answered.
        for pair in pairs.dropFirst(2) {
            clients.wait(for: pair.server)
            clients.stopWaiting(for: pair.server, hasSeat: false)
        }
        for (index, pair) in pairs.enumerated() {
            let ready = try SocketIO.wait(pair.client, until: Deadline(after: .milliseconds(1)))
            #expect(ready.isEmpty == (index != 2), "\(index)")
        }
    }
}
