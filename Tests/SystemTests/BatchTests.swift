// `trimctl batch` as people run it: a list with wrong lines, a list that is done, and one that is interrupted in each way and
// resumed. A completed export is not touched again.
import Foundation
import Glibc
import Testing

@Suite(.timeLimit(.minutes(10))) struct BatchTests {
    private func write(_ rig: Rig, _ name: String, _ lines: [String]) throws -> String {
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: rig.path(name)))
        return rig.path(name)
    }

    /// A file's inode and time of change: another one was made in between.
    private func stamp(_ path: String) throws -> String {
        let found = try FileManager.default.attributesOfItem(atPath: path)
        return
            "\(found[.systemFileNumber] ?? 0) \((found[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0)"
    }

    private func lengths(_ paths: [String]) throws -> [Double] {
        try paths.map {
            try Double(
                Rig.capture(
                    "ffprobe", ["-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", $0]
                )
                .trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
        }
    }

    @Test func wrongLinesAreAllSaidAndNothingIsDone() throws {
        let rig = try Rig()
        _ = try rig.film()
        let list = try write(
            rig, "cuts.csv",
            [
                "input,start,end,preset,output,label", "film.mp4,0,1,,,", "filn.mp4,0,1,,,",
                "film.mp4,4,5,,,",
                "film.mp4,2,1,,,", "film.mp4,0,1,m4v721,,", "film.mp4,0,1,,a.webm,", "film.mp4,101f,,,,",
                "film.mp4,1:60,2,,,", "film.mp4,0,1,,same.m4v,", "film.mp4,1,2,,same.m4v,", "cuts.csv,0,1,,,",
                "film.mp4,1,2,,film.mp4,", "film.mp4,1,2,,,fine",
            ])
        let ended = rig.trimctl(
            "batch", list, "--report", rig.path("r.xml"), "--report", rig.path("r.json"), "--json")
        // The worst of all: an output that is a source.
        #expect(ended.code == 6)
        for line in [3, 4, 5, 6, 7, 8, 9, 11, 12, 13] {
            #expect(ended.err.contains("cuts.csv:\(line): "), "\(line)")
        }
        for line in [2, 10, 14] { #expect(!ended.err.contains("cuts.csv:\(line): "), "\(line)") }
        #expect(ended.err.contains("10 lines are wrong"))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: rig.folder.path).allSatisfy {
                !$0.hasSuffix(".m4v")
            })
        #expect(rig.trimctl("list", "--json").out == "[]\n")
        let counts = try JUnitRules.check(rig.path("r.xml"))
        #expect(counts.errors == 10 && counts.tests == 13 && counts.failures == 0)
    }

    @Test func doneReportedAndNotDoneTwice() throws {
        let rig = try Rig()
        _ = try rig.film()
        let list = try write(
            rig, "cuts.csv",
            [
                "input,start,end,preset,label", "film.mp4,0,1,m4v720,one", "film.mp4,25f,2.5,passthrough,a/b",
                "film.mp4,-1,,m4a,",
            ])
        let words = [
            "batch", list, "--output-dir", rig.path("out"), "--report", rig.path("r.json"), "--report",
            rig.path("r.xml"),
            "--report", rig.path("r.md"),
        ]
        let first = rig.finish(rig.start(words))
        #expect(first.code == 0, "\(first.err)")
        let names = ["film-001-one.m4v", "film-002-a_b.mp4", "film-003.m4a"].map { rig.path("out/\($0)") }
        #expect(Set(first.out.split(separator: "\n").map(String.init)) == Set(names))
        for (length, wanted) in zip(try lengths(names), [1, 1.5, 1]) { #expect(abs(length - wanted) < 0.05) }
        let counts = try JUnitRules.check(rig.path("r.xml"))
        #expect(counts.tests == 3 && counts.errors + counts.failures + counts.skipped == 0)
        let report = try JSONSerialization.jsonObject(
            with: Data(contentsOf: URL(filePath: rig.path("r.json"))))
        let exports = try #require((report as? [String: Any])?["exports"] as? [[String: Any]])
        #expect(exports.compactMap { $0["outcome"] as? String } == ["completed", "completed", "completed"])
        #expect(exports.allSatisfy { ($0["bytes"] as? Int ?? 0) > 1000 && $0["render"] is String })
        let table = try String(contentsOfFile: rig.path("r.md"), encoding: .utf8)
        #expect(table.contains("| 3 | film.mp4 | film-002-a\\_b.mp4 | completed |"))

        let stamps = try names.map(stamp)
        #expect(rig.finish(rig.start(words)).code == 6)
        #expect(rig.finish(rig.start(words + ["--resume"])).code == 0)
        #expect(rig.finish(rig.start(words + ["--clash", "skip"])).code == 0)
        #expect(try names.map(stamp) == stamps)
        // The file that is gone is made again, and nothing else.
        try FileManager.default.removeItem(atPath: names[1])
        let again = rig.finish(rig.start(words + ["--resume"]))
        #expect(
            again.code == 0 && again.out.split(separator: "\n").map(String.init) == [names[1]], "\(again.err)"
        )
        #expect(
            try stamp(names[0]) == stamps[0] && stamp(names[2]) == stamps[2] && stamp(names[1]) != stamps[1])
        // Numbered, they are made beside what is there.
        #expect(rig.finish(rig.start(words + ["--clash", "number"])).code == 0)
        #expect(rig.exists("out/film-001-one-2.m4v") && rig.exists("out/film-003-2.m4a"))
        #expect(try names.map(stamp)[0] == stamps[0])
    }

    @Test func dryRunMakesNothing() throws {
        let rig = try Rig()
        _ = try rig.film()
        let list = try write(rig, "cuts.csv", ["1,2,one", "0.5,,"])
        let ended = rig.trimctl(
            "batch", list, "--input", rig.path("film.mp4"), "--output-dir", rig.path("out"), "--dry-run",
            "--json")
        #expect(ended.code == 0 && !rig.exists("out") && rig.trimctl("list", "--json").out == "[]\n")
        let report = try #require(
            JSONSerialization.jsonObject(with: Data(ended.out.utf8)) as? [String: Any])
        let exports = try #require(report["exports"] as? [[String: Any]])
        #expect(exports.compactMap { $0["length"] as? Double } == [1, 3.5])
        #expect(exports.allSatisfy { $0["estimatedBytes"] is [String: Any] && $0["render"] is String })
    }

    /// How a batch is ended in the middle.
    enum End: CaseIterable { case control, killed, killedAlone }

    @Test(arguments: End.allCases) func interruptedAndResumed(end: End) throws {
        let isAlone = end == .killedAlone
        let rig = try Rig(workers: 1, booted: !isAlone)
        _ = try rig.longFilm(seconds: 8)
        var lines = ["input,start,end,label", "long.mp4,0,0.2,first"]
        for part in 0..<3 { lines.append("long.mp4,\(part * 2),\(part * 2 + 2),part") }
        let list = try write(rig, "cuts.csv", lines)
        let words =
            ["batch", list, "--output-dir", rig.path("out"), "--render", "encode", "--preset", "m4v720"]
            + (isAlone ? ["--standalone", "--jobs", "1"] : [])
        let process = rig.start(words, daemon: !isAlone)
        let first = rig.path("out/long-001-first.m4v")
        try rig.wait("the first output") { FileManager.default.fileExists(atPath: first) }
        let stamp = try stamp(first)
        if end == .control {
            // However fast they are, the exports do not end before the signal comes.
            try rig.wait("the next export") { !rig.busyWorkers().isEmpty }
            for pid in rig.busyWorkers() { kill(pid, SIGSTOP) }
        }
        kill(process.processIdentifier, end == .control ? SIGINT : SIGKILL)
        let ended = rig.finish(process)
        if end == .control {
            #expect(ended.code == 4)
            #expect(ended.err.contains("cancelling what is left"))
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: rig.path("out")).allSatisfy {
                    !$0.contains(".part")
                })
        }
        let resumed = rig.finish(rig.start(words + ["--resume"], daemon: !isAlone))
        #expect(resumed.code == 0, "\(resumed.err)")
        let made = try FileManager.default.contentsOfDirectory(atPath: rig.path("out")).sorted()
        #expect(
            made == ["long-001-first.m4v", "long-002-part.m4v", "long-003-part.m4v", "long-004-part.m4v"],
            "\(made)")
        #expect(try self.stamp(first) == stamp)
        for length in try lengths(made.dropFirst().map { rig.path("out/\($0)") }) {
            #expect(abs(length - 2) < 0.05)
        }
        // A list that is done is done in no time, and says so.
        let again = rig.finish(rig.start(words + ["--resume"], daemon: !isAlone))
        #expect(
            again.code == 0 && again.out.isEmpty && again.err.contains("4 of them before"), "\(again.err)")
    }
}
