// Exports in chunks by the real programs: all that ends one in the middle keeps what is made, and leaves nothing behind.
import Foundation
import Glibc
import Testing

@Suite(.serialized, .timeLimit(.minutes(10))) struct ChunkTests {
    static let settings = #"{"limits": {"retrySeconds": 0, "chunkSeconds": 2}}"#

    /// A film of twenty seconds with a keyframe each second, made once for all tests. Its codec is none of the presets', so that it
    /// is encoded. A chunk of it takes half a second: long enough that a test sees it being made.
    private static let film: Result<Data, any Error> = Result {
        let rig = try Rig(booted: false)
        try rig.ffmpeg(
            "-f", "lavfi", "-i", "testsrc2=size=640x360:rate=25:duration=20", "-f", "lavfi", "-i",
            "sine=duration=20", "-c:v", "mpeg4", "-q:v", "3", "-g", "25", "-c:a", "aac", rig.path("film.mp4"))
        return try Data(contentsOf: URL(filePath: rig.path("film.mp4")))
    }

    /// A daemon that makes chunks of two seconds, and the film.
    func rig() throws -> Rig {
        let rig = try Rig(booted: false)
        try ChunkTests.film.get().write(to: URL(filePath: rig.path("film.mp4")))
        try boot(rig)
        return rig
    }

    func boot(_ rig: Rig) throws { try rig.boot(settings: ChunkTests.settings) }

    func begin(_ rig: Rig) {
        let done = rig.trimctl(
            "export", rig.path("film.mp4"), "-o", rig.path("out.m4v"), "--preset", "m4v720", "--detach")
        #expect(done.code == 0, "\(done.err)")
    }

    func log(_ rig: Rig) -> String { rig.trimctl("log", "1").out }

    func count(_ text: String, _ word: String) -> Int { text.components(separatedBy: word).count - 1 }

    func made(_ rig: Rig) -> Int { log(rig).matches(of: #/chunk \d+ made: /#).count }

    func units(_ rig: Rig) throws -> [String: Int] {
        let all = try #require(try rig.trimctl("show", "1", "--json").json()["units"] as? [String: Any])
        // While some are made, it has their names too.
        return all.compactMapValues { $0 as? Int }
    }

    /// It is completed, with every frame, and nothing else is there.
    func checkCompleted(_ rig: Rig) throws {
        let end = rig.trimctl("wait", "1")
        #expect(end.code == 0, "\(end.err)\n\(log(rig))")
        #expect(try Rig.frameTimes(rig.path("out.m4v")).count == 500)
        try checkClean(rig)
    }

    func checkClean(_ rig: Rig) throws {
        #expect(try rig.leftovers().isEmpty)
        #expect(try Data(contentsOf: URL(filePath: rig.path("state/unfinished/list"))).isEmpty)
    }

    @Test func aFilmIsMadeInChunks() throws {
        let rig = try rig()
        begin(rig)
        try checkCompleted(rig)
        let counts = try units(rig)
        #expect(counts["total"] ?? 0 >= 9 && counts["done"] == counts["total"] && counts["kept"] == 0)
        #expect(count(log(rig), " started: video") == counts["total"])
        // FFmpeg finds no fault with a sound film, however it is planned.
        #expect(!log(rig).contains("ffmpeg: "), "\(log(rig))")
        // The join begins when the last chunk has given its share back.
        let joining = try #require(log(rig).split(separator: "\n").first { $0.contains(" joining ") })
        let processors = try #require(try rig.trimctl("status", "--json").json()["processors"] as? Int)
        #expect(joining.hasSuffix("threads \(processors)"), "\(joining)")
    }

    /// The chunks that are made are not made again, whatever ended trimd; and its progress never falls.
    @Test(arguments: [SIGKILL, SIGTERM]) func aRestartKeepsWhatIsMade(_ signal: Int32) throws {
        let rig = try rig()
        begin(rig)
        var kept = 0
        var progress = 0.0
        for round in 1...2 {
            try rig.wait("three more chunks") { made(rig) >= 3 * round }
            _ = try rig.freeze()
            let before = try rig.trimctl("show", "1", "--json").json()["progress"] as? Double ?? 0
            #expect(before >= progress)
            rig.end(signal)
            try boot(rig)
            progress = try rig.trimctl("show", "1", "--json").json()["progress"] as? Double ?? 0
            #expect(progress >= before && progress < 1, "\(before), then \(progress)")
            try rig.wait("the plan") { log(rig).components(separatedBy: "resumed: ").count > round }
            let now = try units(rig)["kept"] ?? 0
            #expect(now >= 3 * round && now > kept)
            kept = now
        }
        try checkCompleted(rig)
        let text = log(rig)
        let counts = try units(rig)
        let total = try #require(counts["total"])
        #expect(counts["kept"] == kept && counts["done"] == total)
        #expect(text.contains("resumed: \(kept) of \(total) chunks kept"))
        #expect(rig.trimctl("show", "1").out.contains("resumed: \(kept) of \(total) chunks kept"))
        // At most what ran at once was begun twice, each time.
        #expect(count(text, " started: video") <= total + 2 * 2)
        #expect(made(rig) <= total + 2)
    }

    /// First passes are kept as chunks are, and the output does not depend on what ended trimd, or on how many processors there are.
    @Test func aSizeLimitGoesOnWhereItWas() throws {
        let rig = try rig()
        func begin(_ name: String) {
            let done = rig.trimctl(
                "export", rig.path("film.mp4"), "-o", rig.path(name), "--preset", "m4v480", "--limit-size",
                "1000000", "--reproducible", "--detach")
            #expect(done.code == 0, "\(done.err)")
        }
        func count(_ kind: String) -> Int { self.count(log(rig), " started: " + kind) }
        begin("out.m4v")
        var progress = 0.0
        for kind in ["statistics", "video"] {
            try rig.wait("two units of \(kind)") { count(kind) >= 3 }
            _ = try rig.freeze()
            rig.end(SIGKILL)
            try boot(rig)
            let now = try rig.trimctl("show", "1", "--json").json()["progress"] as? Double ?? 0
            #expect(now >= progress)
            progress = now
        }
        try checkCompleted(rig)
        let text = log(rig)
        #expect(text.contains("resumed: ") && text.contains(" bit/s for "))
        #expect(!text.contains("made as one"), "\(text)")
        let total = try #require(try units(rig)["total"])
        #expect(count("statistics") <= total / 2 + 2)
        // Chunks that exceed their shares are encoded once more.
        #expect(count("video") <= total)
        rig.end(SIGTERM)
        try rig.boot(settings: #"{"processors": 1, "limits": {"chunkSeconds": 2}}"#)
        begin("again.m4v")
        #expect(rig.trimctl("wait", "2").code == 0)
        let bytes = try ["out.m4v", "again.m4v"].map { try Data(contentsOf: URL(filePath: rig.path($0))) }
        #expect(bytes[0] == bytes[1] && bytes[0].count <= 1_000_000 && bytes[0].count > 850_000)
    }

    /// A chunk whose file is not the one on record is made again, and no other.
    @Test func aChunkThatWasChangedIsMadeAgain() throws {
        let rig = try rig()
        begin(rig)
        try rig.wait("three chunks") { made(rig) >= 3 }
        _ = try rig.freeze()
        rig.end(SIGKILL)
        let names = try FileManager.default.contentsOfDirectory(atPath: rig.path("."))
        let file = rig.path(try #require(names.first { $0.hasPrefix(".out.m4v.trimd-1-u000001-") }))
        try Data("no chunk".utf8).write(to: URL(filePath: file))
        try boot(rig)
        try checkCompleted(rig)
        #expect(log(rig).contains("chunk 1 is made again"))
        #expect(try units(rig)["kept"] ?? 0 >= 2)
    }

    /// A worker that dies costs its chunk an attempt, and no other chunk anything.
    @Test func aWorkersDeathCostsItsChunkAlone() throws {
        let rig = try rig()
        begin(rig)
        try rig.wait("a chunk") { made(rig) >= 1 }
        // The one that began last has most of its work before it.
        try rig.wait("a worker") {
            let last = log(rig).split(separator: "\n").last { $0.contains(" started: video") }
            let pid = last?.components(separatedBy: "worker ").last?.prefix { $0.isNumber }
            return pid.flatMap { Int32($0) }.map { kill($0, SIGKILL) == 0 } ?? false
        }
        try checkCompleted(rig)
        let text = log(rig)
        #expect(count(text, " failed: workerCrashed") == 1)
        #expect(count(text, " started: video") == (try units(rig)["total"] ?? 0) + 1)
        #expect(try rig.trimctl("show", "1", "--json").json()["attempts"] as? Int == 1)
    }

    /// Three deaths over one chunk end the job.
    @Test func aChunkThatKillsItsWorkersEndsItsJob() throws {
        let rig = try rig()
        // Its chunks take a second and more: one that is made before its worker was found would be no case of this.
        let done = rig.trimctl(
            "export", rig.path("film.mp4"), "-o", rig.path("out.mp4"), "--preset", "hevc1080", "--end", "10",
            "--detach")
        #expect(done.code == 0, "\(done.err)")
        var killed: Set<Int32> = []
        try rig.wait("the end") {
            // Looked for more often than once in a chunk's time.
            for _ in 0..<10 {
                if let pid = worker(rig, of: ".out.mp4.trimd-1-u000003"), killed.insert(pid).inserted {
                    kill(pid, SIGKILL)
                }
                usleep(10_000)
            }
            return log(rig).contains("failed after")
        }
        let end = rig.trimctl("wait", "1")
        #expect(end.code == 1 && end.err.contains("given up"), "\(end.err)")
        #expect(end.err.contains("make chunk 3: "), "\(end.err)")
        #expect(killed.count == 3)
        try checkClean(rig)
    }

    @Test func aJobThatIsCancelledLeavesNothing() throws {
        let rig = try rig()
        begin(rig)
        try rig.wait("two chunks") { made(rig) >= 2 }
        _ = try rig.freeze()
        #expect(rig.trimctl("cancel", "1").code == 0)
        try checkClean(rig)
        #expect(rig.busyWorkers().isEmpty)
        // Also where it waits after a restart.
        let before = made(rig)
        #expect(rig.trimctl("retry", "1").code == 0)
        try rig.wait("a chunk") { made(rig) > before }
        _ = try rig.freeze()
        #expect(rig.trimctl("hold", "1").code == 0)
        rig.end(SIGKILL)
        try boot(rig)
        #expect(try rig.trimctl("show", "1", "--json").json()["status"] as? String == "held")
        #expect(try !rig.leftovers().isEmpty)
        #expect(rig.trimctl("cancel", "1").code == 0)
        try checkClean(rig)
    }

    /// All workers of a job stop when it is held, and go on from there.
    @Test func aJobThatIsHeldStandsStill() throws {
        let rig = try rig()
        begin(rig)
        try rig.wait("a chunk") { made(rig) >= 1 }
        rig.thaw(try rig.freeze())
        #expect(rig.trimctl("hold", "1").code == 0)
        // A signal takes effect when its process gets a processor, and a file that is made is synced before it counts.
        try rig.wait("all workers to stand still") {
            let workers = rig.busyWorkers()
            return !workers.isEmpty && workers.allSatisfy { rig.state($0) == "T" }
        }
        var before = made(rig)
        try rig.wait("all that is made to count") {
            defer { before = made(rig) }
            return made(rig) == before
        }
        #expect(try rig.trimctl("status", "--json").json()["busyProcessors"] as? Int == 0)
        #expect(made(rig) == before)
        #expect(rig.trimctl("release", "1").code == 0)
        try checkCompleted(rig)
    }

    @Test func drainingLetsAJobEnd() throws {
        let rig = try rig()
        begin(rig)
        try rig.wait("a chunk") { made(rig) >= 1 }
        #expect(rig.trimctl("drain").code == 0)
        #expect(rig.trimctl("drain", "--off").code == 0)
        try checkCompleted(rig)
    }

    /// The first job's chunks come before the second's, so it ends first; a probe waits for neither.
    @Test func jobsEndOneAfterAnother() throws {
        let rig = try rig()
        for name in ["one", "two"] {
            let done = rig.trimctl(
                "export", rig.path("film.mp4"), "-o", rig.path(name + ".m4v"), "--preset", "m4v720", "--end",
                "10", "--detach")
            #expect(done.code == 0)
        }
        #expect(rig.trimctl("probe", rig.path("film.mp4")).code == 0)
        #expect(rig.trimctl("wait", "1", "2").code == 0)
        func ended(_ id: String) throws -> String {
            try #require(try rig.trimctl("show", id, "--json").json()["ended"] as? String)
        }
        #expect(try ended("1") < ended("2"))
        try checkClean(rig)
    }

    func chunkWorker(_ rig: Rig) -> Int32? { worker(rig, of: ".out.m4v.trimd-1-u") }

    /// The worker that makes the chunk of a file.
    func worker(_ rig: Rig, of name: String) -> Int32? {
        rig.busyWorkers().first { pid in
            let links = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd")) ?? []
            return links.contains {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/fd/\($0)"))?
                    .contains(name) == true
            }
        }
    }
}
