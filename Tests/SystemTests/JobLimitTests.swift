// The limits of one job, and its end, and nobody else's, when it takes more: memory, the size of its output, and
// a folder that cannot be written to.
import Foundation
import Glibc
import Testing

@Suite(.timeLimit(.minutes(10))) struct JobLimitTests {
    private func error(_ ended: Ended) throws -> String? {
        (try ended.json()["error"] as? [String: Any])?["code"] as? String
    }

    /// A film of small frames, each of which claims to have 800 MB.
    private func memoryBomb(_ rig: Rig) throws -> String {
        try rig.ffmpeg(
            "-f", "lavfi", "-i", "testsrc2=size=64x64:rate=25:duration=1", "-c:v", "png", "-pix_fmt",
            "rgba64be", rig.path("bomb.mov"))
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: rig.path("bomb.mov"))))
        var found = 0
        let header = Array("IHDR".utf8)
        for offset in bytes.indices.dropLast(32) where bytes[offset] == header[0] {
            guard Array(bytes[offset..<offset + 4]) == header else { continue }
            for side in [4, 8] {
                bytes.replaceSubrange(offset + side..<offset + side + 4, with: [0, 0, 0x27, 0x10])
            }
            found += 1
        }
        try #require(found == 25)
        try Data(bytes).write(to: URL(filePath: rig.path("bomb.mov")))
        return rig.path("bomb.mov")
    }

    @Test func aMemoryBombEndsItsJobAlone() throws {
        let rig = try Rig(booted: false)
        try rig.boot(workers: 2, settings: #"{"limits": {"memoryMiB": 1024, "retrySeconds": 0}}"#)
        let bomb = try memoryBomb(rig)
        let film = try rig.film()
        let daemon = rig.pid
        let other = rig.start([
            "export", film, "--preset", "m4v720", "-o", rig.path("b.m4v"), "--progress", "none",
        ])
        let ended = rig.trimctl(
            "export", bomb, "--preset", "m4v720", "-o", rig.path("a.m4v"), "--json", "--progress", "none")
        #expect(ended.code == 1)
        #expect(try error(ended) == "outOfMemory", "\(ended.out)")
        #expect(try ended.json()["attempts"] as? Int == 2)
        #expect(rig.finish(other).code == 0)
        #expect(!rig.exists("a.m4v") && rig.exists("b.m4v"))
        #expect(try rig.leftovers().isEmpty)
        #expect(rig.pid == daemon && kill(daemon, 0) == 0)
    }

    @Test func anOutputThatIsTooLargeEndsItsJobAtOnce() throws {
        let rig = try Rig(booted: false)
        try rig.boot(workers: 1, settings: #"{"limits": {"outputMiB": 1, "retrySeconds": 0}}"#)
        // Noise, stored: some 15 MB.
        try rig.ffmpeg(
            "-f", "lavfi", "-i", "testsrc2=size=640x360:rate=25:duration=4,noise=alls=100:allf=t", "-c:v",
            "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", rig.path("noise.mp4"))
        let ended = rig.trimctl(
            "export", rig.path("noise.mp4"), "-o", rig.path("a.m4v"), "--preset", "passthrough", "--json",
            "--progress", "none")
        #expect(ended.code == 1)
        #expect(try error(ended) == "maximumFileSizeReached", "\(ended.out)")
        #expect(try ended.json()["attempts"] as? Int == 1)
        #expect(!rig.exists("a.m4v"))
        #expect(try rig.leftovers().isEmpty)
        let film = try rig.film()
        #expect(
            rig.trimctl("export", film, "--preset", "m4v720", "-o", rig.path("b.m4v"), "--end", "1").code == 0
        )
    }

    @Test(.enabled("only root can mount a file system") { geteuid() == 0 })
    func aFolderThatCannotBeWrittenToIsRefused() throws {
        let rig = try Rig(workers: 1)
        let film = try rig.film()
        let folder = rig.path("out")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        _ = try Rig.capture("mount", ["-t", "tmpfs", "-o", "size=8m", "tmpfs", folder])
        defer { _ = try? Rig.capture("umount", ["-l", folder]) }
        #expect(rig.trimctl("drain").code == 0)
        let id = rig.trimctl("export", film, "--preset", "m4v720", "-o", rig.path("out/a.m4v"), "--detach")
            .out
            .trimmingCharacters(in: .whitespacesAndNewlines)
        _ = try Rig.capture("mount", ["-o", "remount,ro", folder])
        // When it is submitted, and when it begins.
        let refused = rig.trimctl("export", film, "--preset", "m4v720", "-o", rig.path("out/b.m4v"), "--json")
        #expect(refused.code == 1)
        #expect(try error(refused) == "notWritable", "\(refused.out)")
        #expect(rig.trimctl("drain", "--off").code == 0)
        let ended = rig.trimctl("wait", id, "--json")
        #expect(ended.code == 1)
        #expect(ended.out.contains("notWritable"), "\(ended.out)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    }
}
