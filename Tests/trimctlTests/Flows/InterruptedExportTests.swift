// `trimctl export` against a scripted daemon on a real socket: Ctrl-C, and a daemon that restarts, stays away or is another version.
import Media
import Synchronization
import Testing
import Text
import Wire

@testable import TrimClient
@testable import trimctl

@Suite(.timeLimit(.minutes(10))) struct InterruptedExportTests {
    /// A daemon whose job runs until it is cancelled; `obeys`: and then ends.
    private func cancellable(_ path: String, obeys: Bool) throws -> FakeDaemon {
        try FakeDaemon(path) { daemon, method, _ in
            switch method {
            case .jobSubmit: return try json(JobReport.sample())
            case .jobWatch:
                daemon.later { daemon.notify(.jobProgress, JobProgress.sample(0.5)) }
                return try json([JobReport.sample(1, .exporting)])
            case .jobCancel:
                if obeys {
                    daemon.later {
                        daemon.notify(.jobChanged, JobReport.sample(1, .cancelled, progress: 0.5))
                    }
                }
                return try json(JobReport.sample(1, .exporting, progress: 0.5))
            default: throw RemoteError.notScripted(method.rawValue)
            }
        }
    }

    @Test func controlCCancelsAndWaits() throws {
        let rig = try Rig()
        let daemon = try cancellable(rig.socket, obeys: true)
        defer { daemon.stop() }
        rig.onWrite = { rig, text in if text.contains("50 %") { rig.interrupts.raise() } }
        #expect(rig.ask("export", "in.mov", "--json") == 4)
        #expect(daemon.calls(.jobCancel).count == 1)
        #expect(rig.err.contains("cancelling job 1"))
        #expect(rig.err.hasSuffix("trimctl: job 1 was cancelled\n"))
        #expect(try rig.lastJSON()["status"] == "cancelled")
    }

    @Test func theSecondControlCStopsWaiting() throws {
        let rig = try Rig()
        let daemon = try cancellable(rig.socket, obeys: false)
        defer { daemon.stop() }
        rig.onWrite = { rig, text in
            if text.contains("50 %") || text.contains("cancelling") { rig.interrupts.raise() }
        }
        #expect(rig.ask("export", "in.mov", "--json") == 4)
        #expect(daemon.calls(.jobCancel).count == 1)
        #expect(rig.err.contains("job 1 goes on being cancelled"))
        #expect(try rig.lastJSON()["error"]?["code"] == "operationCancelled")
    }

    /// The daemon may die between its answer to `job.submit` and the first `job.watch`.
    @Test func aDaemonThatDiesBeforeItIsWatchedDoesNotLoseTheWait() throws {
        let rig = try Rig()
        let watches = Atomic(0)
        let daemon = try FakeDaemon(rig.socket) { daemon, method, _ in
            switch method {
            case .jobSubmit: return try json(JobReport.sample())
            case .jobWatch:
                if watches.add(1, ordering: .relaxed).newValue == 1 {
                    daemon.stop()
                    daemon.later(400) { try? daemon.start() }
                }
                return try json([JobReport.sample(1, .completed)])
            default: throw RemoteError.notScripted(method.rawValue)
            }
        }
        defer { daemon.stop() }
        #expect(rig.ask("export", "in.mov") == 0, "\(rig.err)")
        #expect(rig.err.contains("connecting again"))
    }

    @Test func aRestartOfTheDaemonDoesNotLoseTheWait() throws {
        let rig = try Rig()
        let watches = Atomic(0)
        let daemon = try FakeDaemon(rig.socket) { daemon, method, _ in
            switch method {
            case .jobSubmit: return try json(JobReport.sample())
            case .jobWatch:
                let isFirst = watches.add(1, ordering: .relaxed).oldValue == 0
                daemon.later {
                    daemon.notify(.jobProgress, JobProgress.sample(isFirst ? 0.5 : 0.2))
                    if !isFirst { daemon.notify(.jobChanged, JobReport.sample(1, .completed, progress: 1)) }
                }
                return try json([JobReport.sample(1, .exporting)])
            default: throw RemoteError.notScripted(method.rawValue)
            }
        }
        defer { daemon.stop() }
        rig.onWrite = { _, text in
            guard text.contains("50 %"), watches.load(ordering: .relaxed) == 1 else { return }
            daemon.stop()
            daemon.later(400) { try? daemon.start() }
        }
        #expect(rig.ask("export", "in.mov") == 0)
        #expect(daemon.calls(.jobSubmit).count == 1)
        #expect(daemon.calls(.jobWatch).count == 2)
        #expect(rig.err.contains("connecting again"))
        #expect(!rig.err.contains("20 %"), "progress fell")
    }

    @Test func aDaemonThatStaysAwayEndsTheWait() throws {
        let rig = try Rig()
        let daemon = try cancellable(rig.socket, obeys: false)
        let client = DaemonConnection(path: rig.socket, interrupts: rig.interrupts)
        try client.connect()
        let follower = JobFollower(client, [1])
        follower.patience = .milliseconds(500)
        follower.onProgress = { _ in daemon.stop() }
        let error = try #require(throws: MediaError.self) { try follower.run() }
        #expect(error.code == .noDaemon && error.code.exitCode == 5)
        #expect(error.remedy?.contains("trimctl wait 1") == true)
    }

    @Test func aDaemonOfAnotherVersionIsNone() throws {
        let rig = try Rig()
        let socket = try UnixSocket.listen(at: rig.socket)
        let listener = Listener(socket, removing: rig.socket)
        listener.start { connection in
            connection.start { connection, message, _ in
                guard case .request(let id, _, _) = message else { return }
                var hello = HelloResult(version: "9.9", pid: 1, user: 0)
                hello.protocolVersion = 99
                if let answer = try? Message.response(to: id, encoding: hello) { _ = connection.send(answer) }
            } onEnd: { _, _ in
            }
        }
        defer { listener.close() }
        #expect(rig.ask("status") == 5)
        #expect(rig.err.contains("speaks version 99"))
    }
}
