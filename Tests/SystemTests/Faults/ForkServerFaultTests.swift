// The fork server is killed at random while jobs run: each is completed, and the daemon has no more processes and descriptors than
// before.
import Foundation
import Glibc
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct ForkServerFaultTests {
    private static let jobs = ProcessInfo.processInfo.environment["TRIMD_FAULTS"] == nil ? 40 : 400

    @Test func everyJobIsCompletedWhereItsServerIsKilled() throws {
        let rig = try Rig()
        let daemon = rig.pid
        let film = try rig.film()
        try rig.wait("a fork server") { Rig.forkServers(of: daemon).count == 1 }
        #expect(rig.trimctl("export", film, "-o", rig.path("first.mp4"), "--render", "copy").code == 0)
        // Now the daemon has opened what it keeps open: its queue, its timers.
        try rig.waitForRest()
        let before = try rig.descriptors()
        let isOver = Mutex(false)
        let kills = Mutex(0)
        let killer = Thread {
            while !isOver.withLock(\.self) {
                usleep(.random(in: 0...400_000))
                for pid in Rig.forkServers(of: daemon) where kill(pid, SIGKILL) == 0 {
                    kills.withLock { $0 += 1 }
                }
            }
        }
        killer.start()
        for number in 0..<ForkServerFaultTests.jobs {
            let ended = rig.trimctl(
                "export", film, "-o", rig.path("\(number).mp4"), "--render", "copy", "--detach")
            #expect(ended.code == 0, "\(ended.err)")
        }
        try rig.wait("the jobs' end") {
            let list = rig.trimctl("list", "--status", "waiting", "--status", "exporting", "--json").out
            return try JSONSerialization.jsonObject(with: Data(list.utf8)) as? [Any] != nil
                && list.filter { !$0.isWhitespace } == "[]"
        }
        isOver.withLock { $0 = true }
        while !killer.isFinished { usleep(1000) }
        #expect(kills.withLock(\.self) > 3)
        let size = try Data(contentsOf: URL(filePath: rig.path("first.mp4"))).count
        for number in 0..<ForkServerFaultTests.jobs {
            #expect(
                (try? Data(contentsOf: URL(filePath: rig.path("\(number).mp4"))).count) == size, "\(number)")
        }
        #expect(try rig.leftovers().isEmpty)
        // A server is there again, and nothing besides.
        try rig.waitForRest()
        try rig.wait("the descriptors of before") { try rig.descriptors() <= before }
    }
}
