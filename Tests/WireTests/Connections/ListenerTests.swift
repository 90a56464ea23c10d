import Dispatch
import Glibc
import Platform
import Testing
import Text

@testable import Wire

@Suite struct ListenerTests {
    @Test func overTheLimitAPeerGetsAnErrorAndIsTurnedAway() throws {
        let scratch = try Scratch()
        var limits = Listener.Limits()
        limits.connections = 3
        let service = try Service(scratch, limits: limits)
        defer { service.stop() }
        var clients = try (0..<3).map { _ in try Client(path: service.path) }
        for client in clients { #expect(try client.call("echo", params: [1]) == [1]) }
        let error = #expect(throws: WireError.self) { try Client(path: service.path).call("echo") }
        guard case .remote(let remote)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(remote.code == "serverBusy")
        clients.removeLast()
        #expect(eventually { service.listener.connected == 2 })
        #expect(try Client(path: service.path).call("echo", params: [2]) == [2])
    }

    @Test func closeRemovesItsFileOnly() throws {
        let scratch = try Scratch()
        let service = try Service(scratch)
        #expect(try Client(path: service.path).call("echo", params: [1]) == [1])
        service.stop()
        #expect(UnixSocket.identity(at: service.path) == nil)
        let first = try Service(scratch)
        _ = unsafe unlink(first.path)
        let second = try Service(scratch)
        first.stop()
        #expect(try Client(path: second.path).call("echo", params: [2]) == [2])
        second.stop()
        service.stop()
    }

    @Test func droppedConnectionsFreeTheirSlots() throws {
        let scratch = try Scratch()
        let path = scratch.file("s")
        let listener = Listener(try UnixSocket.listen(at: path), removing: path)
        listener.start { _ in }
        for _ in 0..<10 { #expect(throws: WireError.self) { try Client(path: path).call("echo") } }
        #expect(eventually { listener.connected == 0 })
        listener.close()
    }

    /// In a process of its own: the limit on descriptors is everybody's.
    @Test func survivesHavingNoDescriptorsLeft() async {
        await #expect(processExitsWith: .success) {
            var few = rlimit(rlim_cur: 64, rlim_max: 64)
            try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &few) == 0)
            let scratch = try Scratch()
            let path = scratch.file("s")
            let listener = Listener(try UnixSocket.listen(at: path), removing: path)
            let troubles = Log<Int32>()
            listener.start { connection in
                connection.start {
                    Service.answer($0, $1, $2)
                } onEnd: { _, _ in
                }
            } onTrouble: {
                troubles.add($0.code)
            }
            try #require(try Client(path: path).call("echo", params: [0]) == [0])
            // All descriptors but one are taken: the client gets that, its other end has none. Again, where Dispatch
            // gave one back meanwhile.
            var taken: [Int32] = []
            var clients: [Client] = []
            _ = eventually {
                while case let raw = dup(0), raw >= 0 { taken.append(raw) }
                if let last = taken.popLast() { _ = Descriptor(adopting: last) }
                if let client = try? Client(path: path) { clients.append(client) }
                return !troubles.all.isEmpty
            }
            try #require(troubles.all.first == EMFILE)
            let client = try #require(clients.last)
            let hog = Descriptors(adopting: taken)
            while let descriptor = hog.takeNext() { _ = consume descriptor }
            try #require(try client.call("echo", params: [1], timeout: .seconds(60)) == [1])
            let closed = DispatchSemaphore(value: 0)
            listener.close { closed.signal() }
            closed.wait()
        }
    }
}
