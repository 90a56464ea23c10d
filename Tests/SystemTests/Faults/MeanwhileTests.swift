// Changes to the files of a job while it runs: the source is written to, the folder goes, the name is taken, the disk
// is full and then is not. Nobody's file is harmed, and the error says what was done.
import Foundation
import Glibc
import Testing

@Suite struct MeanwhileTests {
    /// Exports two seconds, and does something while the worker stands still in the middle of it.
    private func export(_ rig: Rig, _ output: String, _ meanwhile: () throws -> Void) throws -> Ended {
        let film = try rig.longFilm(seconds: 4)
        let process = rig.start([
            "export", film, "--preset", "m4v720", "-o", rig.path(output), "--end", "2", "--json",
            "--progress", "none",
        ])
        let workers = try rig.freeze()
        try meanwhile()
        rig.thaw(workers)
        let ended = rig.finish(process)
        #expect(try rig.leftovers().isEmpty)
        return ended
    }

    @Test(arguments: ["written", "cut"]) func theSourceIsChanged(_ how: String) throws {
        let rig = try Rig(workers: 1)
        let ended = try export(rig, "a.m4v") {
            let file = try #require(FileHandle(forWritingAtPath: rig.path("long.mp4")))
            if how == "cut" { try file.truncate(atOffset: 100_000) } else { _ = try file.seekToEnd() }
            if how == "written" { try file.write(contentsOf: Data("more".utf8)) }
        }
        #expect(ended.code == 1)
        #expect(how == "cut" || ended.out.contains("sourceChanged"), "\(ended.out)")
        #expect(!rig.exists("a.m4v"))
    }

    @Test func theNameIsTaken() throws {
        let rig = try Rig(workers: 1)
        let ended = try export(rig, "a.m4v") {
            try Data("another's".utf8).write(to: URL(filePath: rig.path("a.m4v")))
        }
        #expect(ended.code == 6)
        #expect(FileManager.default.contents(atPath: rig.path("a.m4v")) == Data("another's".utf8))
    }

    @Test func theFolderGoes() throws {
        let rig = try Rig(workers: 1)
        try FileManager.default.createDirectory(atPath: rig.path("out"), withIntermediateDirectories: true)
        let ended = try export(rig, "out/a.m4v") {
            try FileManager.default.removeItem(atPath: rig.path("out"))
        }
        #expect(ended.code == 1)
        #expect(ended.out.contains("fileNotFound"), "\(ended.out)")
        #expect(!rig.exists("out"))
    }

    @Test(.enabled("only root can mount a small file system") { geteuid() == 0 })
    func aFullDiskIsWaitedFor() throws {
        let rig = try Rig(booted: false)
        try rig.boot(workers: 1, settings: #"{"limits": {"retrySeconds": 1, "retries": 5}}"#)
        let film = try rig.film()
        try FileManager.default.createDirectory(atPath: rig.path("small"), withIntermediateDirectories: true)
        let mount = try? Rig.capture(
            "mount", ["-t", "tmpfs", "-o", "size=1100k", "tmpfs", rig.path("small")])
        try #require(mount != nil)
        defer { _ = try? Rig.capture("umount", ["-l", rig.path("small")]) }
        _ = FileManager.default.createFile(atPath: rig.path("small/fill"), contents: Data(count: 900_000))
        let id = rig.trimctl("export", film, "--preset", "m4v720", "-o", rig.path("small/a.m4v"), "--detach")
            .out
            .trimmingCharacters(in: .whitespacesAndNewlines)
        var job: [String: Any] = [:]
        try rig.wait("the first failure") {
            job = try rig.trimctl("show", id, "--json").json()
            return job["retry"] != nil
        }
        #expect(job["status"] as? String == "waiting")
        #expect((job["error"] as? [String: Any])?["code"] as? String == "diskFull")
        try FileManager.default.removeItem(atPath: rig.path("small/fill"))
        #expect(rig.trimctl("wait", id).code == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: rig.path("small")) == ["a.m4v"])
    }

    /// A cut of a large film is small: as much space is asked for as its plan says.
    @Test(.enabled("only root can mount a small file system") { geteuid() == 0 })
    func aSmallCutFitsASmallDisk() throws {
        let rig = try Rig(booted: false)
        try rig.boot(workers: 1, settings: #"{"limits": {"retrySeconds": 60}}"#)
        let film = rig.path("large.mp4")
        try rig.ffmpeg(
            "-f", "lavfi", "-i", "testsrc2=size=640x360:rate=25:duration=12", "-c:v", "libx264", "-preset",
            "ultrafast",
            "-g", "25", "-b:v", "8M", "-minrate", "8M", "-maxrate", "8M", "-bufsize", "1M", "-x264-params",
            "nal-hrd=cbr", "-pix_fmt", "yuv420p", film)
        #expect(try FileManager.default.attributesOfItem(atPath: film)[.size] as? Int ?? 0 > 9_000_000)
        try FileManager.default.createDirectory(atPath: rig.path("small"), withIntermediateDirectories: true)
        let mount = try? Rig.capture("mount", ["-t", "tmpfs", "-o", "size=5m", "tmpfs", rig.path("small")])
        try #require(mount != nil)
        defer { _ = try? Rig.capture("umount", ["-l", rig.path("small")]) }
        let cut = rig.trimctl(
            "export", film, "--start", "1.5", "--end", "2.7", "--preset", "passthrough", "-o",
            rig.path("small/a.mp4"),
            "--json", "--progress", "none")
        #expect(cut.code == 0, "\(cut.err)")
        #expect(try cut.json()["attempts"] as? Int == 1)
        // A job that does not fit is put off, and clients that wait get the reason.
        let waiting = rig.start(["export", film, "--preset", "passthrough", "-o", rig.path("small/b.mp4")])
        try rig.wait("the reason") {
            rig.said(waiting, "err").contains("waiting for space: the output may need ")
        }
        #expect(rig.trimctl("list").out.contains("waiting for space"))
        kill(waiting.processIdentifier, SIGTERM)
        #expect(rig.finish(waiting).code == 4)
        #expect(try FileManager.default.contentsOfDirectory(atPath: rig.path("small")) == ["a.mp4"])
    }
}
