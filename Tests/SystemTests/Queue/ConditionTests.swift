// Jobs that run after others, or not before a time, over the daemon's life and death.
import Foundation
import Glibc
import Testing

@Suite(.timeLimit(.minutes(10))) struct ConditionTests {
    let rig: Rig
    let film: String

    init() throws {
        rig = try Rig(workers: 1)
        film = try rig.film()
    }

    private func submit(_ output: String, _ film: String? = nil, _ more: String...) -> String {
        let words = ["export", film ?? self.film, "-o", rig.path(output), "--end", "1", "--detach"] + more
        let ended = rig.finish(rig.start(words))
        #expect(ended.code == 0, "\(ended.err)")
        return ended.out.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func show(_ id: String) throws -> [String: Any] { try rig.trimctl("show", id, "--json").json() }

    private func status(_ id: String) throws -> String { try show(id)["status"] as? String ?? "none" }

    private func moment(_ job: [String: Any], _ key: String) -> Date? {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        return (job[key] as? String).flatMap { try? style.parse($0) }
    }

    @Test func aJobRunsAfterOthersAlsoOverARestart() throws {
        let first = submit("a.m4v", nil, "--not-before", "+1h")
        let second = submit("b.m4v", nil, "--after", first)
        let third = submit("c.m4v", nil, "--after", first, "--after", second)
        let other = submit("d.m4v")
        #expect(rig.trimctl("wait", other).code == 0)
        rig.end(SIGKILL)
        try rig.boot(workers: 1)
        #expect(try [first, second, third].map(status) == ["waiting", "waiting", "waiting"])
        #expect(try show(third)["after"] as? [Int] == [first, second].compactMap { Int($0) })
        #expect(try show(first)["notBefore"] != nil)
        #expect(rig.trimctl("list").out.contains("waiting (after \(first), \(second))"))
        // A release starts it at once; the others follow by themselves.
        #expect(rig.trimctl("release", first).code == 0)
        #expect(rig.trimctl("wait", first, second, third).code == 0)
        let jobs = try [first, second, third].map(show)
        for (job, next) in zip(jobs, jobs.dropFirst()) {
            let (end, start) = (try #require(moment(job, "ended")), try #require(moment(next, "started")))
            #expect(end <= start)
        }
    }

    /// Nothing else wakes the queue.
    @Test func aJobStartsWhenItsTimeHasCome() throws {
        let id = submit("a.m4v", nil, "--not-before", "+10s")
        #expect(try status(id) == "waiting")
        #expect(rig.trimctl("wait", id).code == 0)
        let job = try show(id)
        let (time, start) = (try #require(moment(job, "notBefore")), try #require(moment(job, "started")))
        #expect(start >= time)
    }

    @Test func aJobFailsWithTheOneThatItWaitsFor() throws {
        let bad = rig.path("bad.mp4")
        try Data("no film".utf8).write(to: URL(filePath: bad))
        let gate = submit("z.m4v", nil, "--not-before", "+1h")
        let first = submit("a.m4v", bad, "--after", gate)
        let second = submit("b.m4v", nil, "--after", first)
        let third = submit("c.m4v", nil, "--after", gate)
        #expect(rig.trimctl("release", gate).code == 0)
        let ended = rig.trimctl("wait", second)
        #expect(ended.code == 1)
        #expect(ended.err.contains("job \(first), which it was to run after, failed"), "\(ended.err)")
        #expect((try show(second)["error"] as? [String: Any])?["code"] as? String == "dependencyFailed")
        #expect(rig.trimctl("wait", third).code == 0)
        #expect(!rig.exists("b.m4v") && rig.exists("c.m4v"))
        // A cancelled one and a removed one are named too, at once.
        let fourth = submit("d.m4v", nil, "--not-before", "+1h")
        let fifth = submit("e.m4v", nil, "--after", fourth)
        #expect(rig.trimctl("cancel", fourth).code == 0)
        #expect(
            rig.trimctl("wait", fifth).err.contains("job \(fourth), which it was to run after, was cancelled")
        )
        #expect(rig.trimctl("remove", fourth).code == 0)
        #expect(rig.trimctl("retry", fifth).code == 0)
        #expect(rig.trimctl("wait", fifth).err.contains("was removed"))
        let gone = rig.trimctl("export", film, "-o", rig.path("f.m4v"), "--after", fourth, "--detach")
        #expect(gone.code == 1 && gone.err.contains("there is no job \(fourth)"), "\(gone.err)")
    }

    @Test func aLogIsFollowedUntilItsJobHasEnded() throws {
        let long = try rig.longFilm(seconds: 3)
        let id = submit("a.m4v", long)
        let followed = rig.trimctl("log", "-f", id)
        #expect(followed.code == 0)
        #expect(try status(id) == "completed")
        #expect(followed.out == rig.trimctl("log", id).out)
        #expect(followed.out.contains("completed in"))
    }
}
