import Dispatch
import Glibc
import Platform
import Testing

@testable import Wire

@Suite struct UnixSocketTests {
    private func mode(_ path: String) -> UInt32 {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
    }

    private func closesOnExec(_ raw: Int32) -> Bool { fcntl(raw, F_GETFD) & FD_CLOEXEC != 0 }

    @Test func listensWithItsModeAndClosesOnExec() throws {
        let scratch = try Scratch()
        let path = scratch.file("s")
        let listening = try UnixSocket.listen(at: path, mode: 0o660)
        #expect(mode(path) == 0o660)
        #expect(closesOnExec(listening.rawValue))
        let client = try UnixSocket.connect(to: path)
        #expect(closesOnExec(client.rawValue))
        let accepted = try Descriptor.Box(UnixSocket.accept(listening))
        #expect(closesOnExec(accepted.raw))
        let more = try UnixSocket.accept(listening) == nil
        #expect(more)
    }

    @Test func staleSocketIsReplaced() throws {
        let scratch = try Scratch()
        let path = scratch.file("s")
        do { _ = try UnixSocket.listen(at: path) }
        #expect(UnixSocket.identity(at: path) != nil)
        #expect(throws: WireError.noDaemon(path: path, reason: "Connection refused")) {
            _ = try UnixSocket.connect(to: path)
        }
        let again = try UnixSocket.listen(at: path)
        _ = try UnixSocket.connect(to: path)
        _ = consume again
    }

    @Test func liveSocketIsLeftAlone() throws {
        let scratch = try Scratch()
        let path = scratch.file("s")
        let first = try UnixSocket.listen(at: path, backlog: 0)
        let error = #expect(throws: WireError.self) { _ = try UnixSocket.listen(at: path) }
        #expect(error?.description == "another trimd is listening on \(path)")
        // The first probe filled the backlog: a full one is alive too.
        #expect(throws: WireError.alreadyListening(path: path)) { _ = try UnixSocket.listen(at: path) }
        _ = consume first
    }

    @Test func fileInTheWayIsLeftAlone() throws {
        let scratch = try Scratch()
        let path = scratch.file("s")
        do { _ = try Descriptor(opening: path, O_WRONLY | O_CREAT) }
        #expect(throws: WireError.inTheWay(path: path)) { _ = try UnixSocket.listen(at: path) }
        #expect(unsafe access(path, F_OK) == 0)
    }

    @Test func longPathIsExplained() {
        let path = "/tmp/" + String(repeating: "a", count: 103)
        let error = #expect(throws: WireError.self) { _ = try UnixSocket.listen(at: path) }
        #expect(error == .pathTooLong(path: path, bytes: 108, limit: 107))
        #expect(throws: WireError.self) { _ = try UnixSocket.connect(to: path) }
    }

    @Test func missingDaemonAndMissingFolder() {
        #expect(throws: WireError.noDaemon(path: "/nowhere/s", reason: "No such file or directory")) {
            _ = try UnixSocket.connect(to: "/nowhere/s")
        }
        let error = #expect(throws: WireError.self) { _ = try UnixSocket.listen(at: "/nowhere/s") }
        #expect(error?.description == "binding /nowhere/s: No such file or directory")
    }

    @Test func twentyDaemonsAtOnceAndOneWins() throws {
        let scratch = try Scratch()
        let path = scratch.file("s")
        do { _ = try UnixSocket.listen(at: path) }
        let won = Log<Bool>()
        let held = Log<Descriptors>()
        for _ in 0..<20 {
            DispatchQueue(label: "daemon").async {
                if let socket = try? UnixSocket.listen(at: path) {
                    held.add(Descriptors(adopting: [socket.release()]))
                    won.add(true)
                } else {
                    won.add(false)
                }
            }
        }
        for _ in 0..<20 { _ = won.next() }
        #expect(won.all.count { $0 } == 1)
    }

    @Test func adopting() throws {
        let scratch = try Scratch()
        let listening = try UnixSocket.listen(at: scratch.file("s"))
        let pair = try socketPair()
        let file = try Descriptor(opening: "/dev/null", O_RDONLY)
        #expect(throws: WireError.self) { _ = try UnixSocket.adoptListening(file.rawValue) }
        #expect(throws: WireError.self) { _ = try UnixSocket.adoptListening(pair.ours.raw) }
        #expect(throws: WireError.self) { _ = try UnixSocket.adoptConnected(listening.rawValue) }
        #expect(throws: WireError.self) { _ = try UnixSocket.adoptConnected(99_999) }
        let copy = dup(listening.rawValue)
        let adopted = try UnixSocket.adoptListening(copy)
        #expect(closesOnExec(adopted.rawValue))
        _ = try UnixSocket.adoptConnected(try pair.ours.take().release())
    }

    @Test func errorsSayActObjectAndReason() {
        let error = #expect(throws: SystemError.self) { _ = try Descriptor(opening: "/nowhere/x", O_RDONLY) }
        #expect(error?.description == "opening /nowhere/x: No such file or directory")
    }

    @Test func leftDescriptorsAreClosed() throws {
        let raw = try memoryFile("x").release()
        let other = try memoryFile("y").release()
        do {
            let descriptors = Descriptors(adopting: [raw, other])
            let taken = try Descriptor.Box(descriptors.take(1))
            #expect(taken.raw == other)
            let twice = descriptors.take(1) == nil
            #expect(twice)
        }
        // Numbers are reused at once by tests beside this one: ask what is behind them.
        #expect(!isMemoryFile(raw, "x") && !isMemoryFile(other, "y"))
    }

    private func isMemoryFile(_ raw: Int32, _ text: String) -> Bool {
        guard let copy = try? Descriptor.duplicating(raw) else { return false }
        return contents(of: copy) == text
    }
}
