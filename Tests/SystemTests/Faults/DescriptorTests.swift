// A daemon that has no descriptors left, by clients or by whatever else: it lets in whoever comes as soon as there are some again.
import Foundation
import Glibc
import Testing

@Suite(.timeLimit(.minutes(10))) struct DescriptorTests {
    /// How many descriptors are left decides what fails first: to accept, to watch who was accepted, or to wait for later.
    @Test(arguments: 3...6) func theDaemonAcceptsAgainAfterItRanOutOfDescriptors(_ left: Int) throws {
        let rig = try Rig(workers: 1)
        // All that takes descriptors later is there: on a busy machine that comes long after the first answer.
        try rig.waitForRest()
        try rig.wait("the daemon to settle") {
            let count = try rig.descriptors()
            usleep(300_000)
            return try count == rig.descriptors()
        }
        let limit = try rig.descriptors() + left
        _ = try Rig.capture("prlimit", ["--pid", "\(rig.pid)", "--nofile=\(limit):\(limit)"])
        var clients = (0..<40).map { _ in connect(rig) }
        try rig.wait("the descriptors to be used up") { rig.daemonLog.contains("Too many open files") }
        usleep(500_000)
        for client in clients where client >= 0 { close(client) }
        clients = []
        try rig.wait("the daemon to answer again") { rig.trimctl("status").code == 0 }
    }

    /// A client that says nothing; it does not wait to be let in.
    private func connect(_ rig: Rig) -> Int32 {
        let client = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: rig.socket.utf8) }
        _ = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(client, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return client
    }
}
