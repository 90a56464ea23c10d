// trimd's notifications to a service manager, on a socket that a test listens on: readiness, status, and watchdog.
import Foundation
import Glibc
import Synchronization
import Testing

/// A datagram socket as systemd has one for its services, read at once: who notifies waits for a full one.
private final class Manager: Sendable {
    private let raw: Int32
    private let received = Mutex<[String]>([])

    init(at path: String) throws {
        raw = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(path.utf8)) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let bound = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(raw, $0, size) }
        }
        try #require(bound == 0)
    }

    deinit { close(raw) }

    /// Reads until the socket is shut down.
    func start() {
        Thread.detachNewThread { [self] in
            var bytes = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = unsafe recv(raw, &bytes, bytes.count, 0)
                guard count > 0 else { return }
                let words = String(decoding: bytes.prefix(count), as: UTF8.self)
                received.withLock { $0 += words.split(separator: "\n").map(String.init) }
            }
        }
    }

    func stop() { shutdown(raw, Int32(SHUT_RDWR)) }

    /// The lines that have come since the last time.
    func lines() -> [String] {
        received.withLock { received in
            defer { received = [] }
            return received
        }
    }
}

@Suite struct NotifyTests {
    @Test func aManagerIsNotifiedOfReadinessWorkAndLife() throws {
        let rig = try Rig(booted: false)
        let manager = try Manager(at: rig.path("n"))
        manager.start()
        defer { manager.stop() }
        try rig.boot(workers: 1, environment: ["NOTIFY_SOCKET": rig.path("n"), "WATCHDOG_USEC": "400000"])
        var lines: [String] = []
        try rig.wait("readiness") {
            lines += manager.lines()
            return lines.contains("STATUS=0 of 1 workers busy")
        }
        #expect(lines.contains("READY=1"))
        let film = try rig.film()
        #expect(
            rig.trimctl("export", film, "--preset", "m4v720", "-o", rig.path("a.m4v"), "--end", "1").code == 0
        )
        try rig.wait("work and its end in the status") {
            lines += manager.lines()
            guard let busy = lines.lastIndex(where: { $0.hasPrefix("STATUS=1 of 1") }) else { return false }
            return lines[busy...].contains { $0 == "STATUS=0 of 1 workers busy, 0 jobs waiting" }
        }
        #expect(rig.trimctl("drain").code == 0)
        try rig.wait("the drain in the status") {
            manager.lines().contains { $0.contains("0 jobs waiting; draining") }
        }
        #expect(lines.filter { $0 == "WATCHDOG=1" }.count > 1)
        // A stop of the process stops its signs of life.
        kill(rig.pid, SIGSTOP)
        try rig.wait("silence") {
            _ = manager.lines()
            usleep(1_500_000)
            return rig.state(rig.pid) == "T" && manager.lines().isEmpty
        }
        kill(rig.pid, SIGCONT)
        try rig.wait("life") { manager.lines().contains("WATCHDOG=1") }
        rig.end(SIGTERM)
        try rig.wait("the last word") { manager.lines().contains("STOPPING=1") }
    }
}
