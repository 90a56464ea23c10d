// A connection whose request does not come is ended; one that is being answered is not.
import Glibc
import Platform
import Testing

@testable import TrimPage

@Suite(.timeLimit(.minutes(60))) struct SlowClientTests {
    @Test func onlyWhoIsAwaitedIsEnded() throws {
        var slow = try Descriptor.socketPair()
        var answered = try Descriptor.socketPair()
        guard let slowClient = slow.takeFirst(), let slowServer = slow.takeSecond(),
            let otherClient = answered.takeFirst(), let otherServer = answered.takeSecond()
        else { return }
        let clients = SlowClients(patience: .milliseconds(100), every: .milliseconds(20))
        clients.wait(for: otherServer.rawValue)
        clients.stopWaiting(for: otherServer.rawValue)
        clients.wait(for: slowServer.rawValue)
        // It becomes readable where it is ended: at its end.
        let ready = try SocketIO.wait(slowClient.rawValue, until: Deadline(after: .seconds(300)))
        #expect(ready.contains(.readable))
        #expect(try SocketIO.wait(otherClient.rawValue, until: Deadline(after: .milliseconds(1))).isEmpty)
        _ = consume slowServer
        _ = consume otherServer
    }
}
