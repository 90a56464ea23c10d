// `trimctl batch --shard` as engines run it: all parts of a list at once, one part twice at once, one that is killed and run again
// elsewhere. Every line is done once.
import Foundation
import Glibc
import Testing

@Suite(.timeLimit(.minutes(10))) struct ShardTests {
    private func names(_ rig: Rig, _ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: rig.path(folder)).filter { $0 != ".trimd-batch" }
            .sorted()
    }

    /// Each output with its inode and time: another one was made in between.
    private func stamps(_ rig: Rig, _ folder: String) throws -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: try names(rig, folder).map { name in
                let found = try FileManager.default.attributesOfItem(atPath: rig.path("\(folder)/\(name)"))
                let time = (found[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
                return (name, "\(found[.systemFileNumber] ?? 0) \(time)")
            })
    }

    private func list(_ rig: Rig, _ film: String, _ lines: [String]) throws -> String {
        let text = "input,start,end,label\n" + lines.map { "\(film),\($0)\n" }.joined()
        try Data(text.utf8).write(to: URL(filePath: rig.path("cuts.csv")))
        return rig.path("cuts.csv")
    }

    @Test func allShardsAtOnceDoEveryLineOnce() throws {
        let rig = try Rig()
        _ = try rig.film()
        let list = try list(rig, "film.mp4", ["0,1,a", "1,2,b", "0,3,c", "2,2.5,d", "0,1,", "0,1,"])
        let words = ["batch", list, "--output-dir", rig.path("out")]
        let runs = (1...3).map { shard in
            rig.start(words + ["--shard", "\(shard)/3", "--report", rig.path("\(shard).json")])
        }
        let ended = runs.map(rig.finish)
        #expect(ended.allSatisfy { $0.code == 0 }, "\(ended.map(\.err))")
        let made = try stamps(rig, "out")
        // The last two ask for the same, and are in different shards.
        #expect(
            made.keys.sorted()
                == ["a", "b", "c", "d", "", ""].enumerated().map { number, label in
                    "film-00\(number + 1)\(label.isEmpty ? "" : "-")\(label).mp4"
                })
        // Each was printed by one shard.
        #expect(ended.flatMap { $0.out.split(separator: "\n") }.count == 6)
        let parts = (1...3).map { rig.path("\($0).json") }
        let merged = rig.finish(
            rig.start(
                ["batch", "report"] + parts + ["--report", rig.path("all.xml"), "--json"], daemon: false))
        #expect(merged.code == 0, "\(merged.err)")
        let counts = try JUnitRules.check(rig.path("all.xml"))
        #expect(counts.tests == 6 && counts.failures + counts.errors + counts.skipped == 0)

        // Again, and by a trimd that has none of this on record.
        for alone in [false, true] {
            for shard in 1...3 {
                let more = ["--shard", "\(shard)/3", "--resume"] + (alone ? ["--standalone"] : [])
                let again = rig.finish(rig.start(words + more, daemon: !alone))
                #expect(
                    again.code == 0 && again.out.isEmpty && again.err.contains("of them before"),
                    "\(again.err)")
            }
        }
        // Another number of shards, and none missing.
        let whole = rig.finish(
            rig.start(words + ["--shard", "1/1", "--resume", "--standalone"], daemon: false))
        #expect(whole.code == 0 && whole.out.isEmpty, "\(whole.err)")
        #expect(rig.finish(rig.start(words + ["--shard", "1/3"])).code == 6)
        #expect(try stamps(rig, "out") == made)
        let hidden = try FileManager.default.contentsOfDirectory(atPath: rig.path("out/.trimd-batch"))
        #expect(hidden.allSatisfy { $0.hasSuffix(".jsonl") }, "\(hidden)")
    }

    @Test func aWrongLineFailsAllShardsBeforeAnyWork() throws {
        let rig = try Rig()
        _ = try rig.film()
        let list = try list(rig, "film.mp4", ["0,1,a", "1,2,b", "9000,,c"])
        for shard in 1...4 {
            let ended = rig.finish(
                rig.start(["batch", list, "--output-dir", rig.path("out"), "--shard", "\(shard)/4", "--json"])
            )
            #expect(ended.code == 2 && ended.err.contains("cuts.csv:4: the start"), "\(ended.err)")
            #expect(ended.err.contains("1 line is wrong") && !rig.exists("out"))
        }
        #expect(rig.trimctl("list", "--json").out == "[]\n")
        let numbered = rig.trimctl("batch", list, "--shard", "1/2", "--clash", "number")
        #expect(numbered.code == 2 && numbered.err.contains("{index}"))
    }

    @Test func oneShardTwiceAtOnce() throws {
        let rig = try Rig(booted: false)
        _ = try rig.longFilm(seconds: 12)
        let list = try list(rig, "long.mp4", ["0,5,a", "5,10,b"])
        let words =
            [
                "batch", list, "--output-dir", rig.path("out"), "--render", "encode", "--preset", "m4v720",
                "--shard", "1/1",
                "--jobs", "1",
            ]
        let first = rig.start(words + ["--standalone"], daemon: false)
        try rig.wait("the lock of the shard") { lock(rig) != nil }
        // As another host would: with a trimd that knows nothing of the first.
        let refused = rig.finish(rig.start(words + ["--standalone"], daemon: false, state: "other"))
        #expect(
            refused.code == 1 && refused.err.contains("is being run by")
                && refused.err.contains("process \(first.processIdentifier)"), "\(refused.err)")
        let divided = rig.finish(
            rig.start(
                words.map { $0 == "1/1" ? "1/2" : $0 } + ["--standalone"], daemon: false, state: "other"))
        #expect(
            divided.code == 1 && divided.err.contains("another number of shards: 1-of-1"), "\(divided.err)")
        let waiting = rig.start(words + ["--standalone", "--resume"], daemon: false, state: "third")
        let (one, two) = (rig.finish(first), rig.finish(waiting))
        #expect(one.code == 0 && one.out.split(separator: "\n").count == 2, "\(one.err)")
        #expect(two.code == 0 && two.out.isEmpty && two.err.contains("2 of them before"), "\(two.err)")
        #expect(try names(rig, "out") == ["long-001-a.m4v", "long-002-b.m4v"] && lock(rig) == nil)
    }

    private func lock(_ rig: Rig) -> String? {
        (try? FileManager.default.contentsOfDirectory(atPath: rig.path("out/.trimd-batch")))?
            .first { $0.hasSuffix(".lock") }
    }

    @Test func killedAndRunAgainElsewhere() throws {
        let rig = try Rig(booted: false)
        _ = try rig.longFilm(seconds: 20)
        let list = try list(rig, "long.mp4", ["0,0.2,first", "0,5,b", "5,10,c"])
        let words =
            [
                "batch", list, "--output-dir", rig.path("out"), "--render", "encode", "--preset", "m4v720",
                "--shard", "1/1",
                "--jobs", "1", "--resume", "--standalone",
            ]
        let process = rig.start(words, daemon: false)
        try rig.wait("the second export") {
            rig.exists("out/long-001-first.m4v")
                && (try? names(rig, "out"))?.contains { $0.hasPrefix(".long-002") } == true
        }
        let before = try stamps(rig, "out")["long-001-first.m4v"]
        kill(process.processIdentifier, SIGKILL)
        _ = rig.finish(process)
        // Its trimd ends without it.
        try rig.wait("the end of the private trimd") { !isLocked(rig.path("states")) }
        // A file that a host that is gone cannot remove.
        try Data([0]).write(to: URL(filePath: rig.path("out/.long-002-b.m4v.trimd-1-1.part")))
        let resumed = rig.finish(rig.start(words, daemon: false, state: "other"))
        #expect(resumed.code == 0 && resumed.out.split(separator: "\n").count == 2, "\(resumed.err)")
        #expect(try names(rig, "out") == ["long-001-first.m4v", "long-002-b.m4v", "long-003-c.m4v"])
        #expect(try stamps(rig, "out")["long-001-first.m4v"] == before)
    }

    /// Whether a private trimd has its queue in this folder.
    private func isLocked(_ states: String) -> Bool {
        let parent = states + "/trimd/batches"
        return ((try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []).contains { name in
            let folder = unsafe open(parent + "/" + name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard folder >= 0 else { return false }
            defer { close(folder) }
            return flock(folder, LOCK_EX | LOCK_NB) != 0
        }
    }
}
