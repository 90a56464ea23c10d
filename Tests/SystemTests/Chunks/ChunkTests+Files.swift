// Changes to the files and folders of an export in chunks while it runs.
import Foundation
import Glibc
import Testing

extension ChunkTests {
    /// A disk that is full for a while costs the job one attempt, however many chunks do not fit, and nothing that is made.
    @Test(.enabled(if: geteuid() == 0, "needs root, to mount a file system"))
    func aFullDiskIsOvercome() throws {
        let rig = try rig()
        let disk = rig.path("disk")
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
        let mounted = try rig.run("/usr/bin/mount", ["-t", "tmpfs", "-o", "size=64m", "tmpfs", disk])
        try #require(mounted.code == 0, "\(mounted.err)")
        defer { _ = try? rig.run("/usr/bin/umount", ["-l", disk]) }
        rig.end(SIGTERM)
        try rig.boot(settings: #"{"limits": {"retrySeconds": 12, "chunkSeconds": 2, "stallSeconds": 60}}"#)
        let done = rig.trimctl(
            "export", rig.path("film.mp4"), "-o", disk + "/out.m4v", "--preset", "m4v720", "--detach")
        #expect(done.code == 0, "\(done.err)")
        try rig.wait("two chunks") { made(rig) >= 2 }
        let workers = try rig.freeze()
        _ = try rig.run("/usr/bin/dd", ["if=/dev/zero", "of=\(disk)/much", "bs=64k"])
        rig.thaw(workers)
        try rig.wait("a failure") { log(rig).contains(" failed: diskFull") }
        try FileManager.default.removeItem(atPath: disk + "/much")
        let end = rig.trimctl("wait", "1")
        let text = log(rig)
        #expect(end.code == 0, "\(end.err)\n\(text)")
        #expect(count(text, "Z failed after ") == 1 && count(text, " to be tried again at ") == 1, "\(text)")
        #expect(try rig.trimctl("show", "1", "--json").json()["attempts"] as? Int == 2)
        #expect(try units(rig)["kept"] ?? 0 >= 2)
        #expect(try Rig.frameTimes(disk + "/out.m4v").count == 500)
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk) == ["out.m4v"])
    }

    /// Files of chunks go with their job, also where their folder has another name by then.
    @Test(arguments: ["moved", "removed"]) func whateverBecomesOfTheFolder(_ fate: String) throws {
        let rig = try rig()
        let folder = rig.path("folder")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let done = rig.trimctl(
            "export", rig.path("film.mp4"), "-o", folder + "/out.m4v", "--preset", "m4v-cellular", "--render",
            "encode", "--detach")
        #expect(done.code == 0, "\(done.err)")
        try rig.wait("a chunk") { made(rig) >= 1 }
        let workers = try rig.freeze()
        defer { rig.thaw(workers) }
        if fate == "moved" {
            try FileManager.default.moveItem(atPath: folder, toPath: folder + "2")
            rig.thaw(workers)
            _ = rig.trimctl("wait", "1")
            let names = try FileManager.default.contentsOfDirectory(atPath: folder + "2")
            #expect(names.allSatisfy { $0 == "out.m4v" }, "\(names)")
        } else {
            // Again while files are created in it.
            try rig.wait("the folder to go") {
                try? FileManager.default.removeItem(atPath: folder)
                return !FileManager.default.fileExists(atPath: folder)
            }
            rig.thaw(workers)
            let end = rig.trimctl("wait", "1")
            #expect(
                end.code == 1 && end.err.contains("the output's folder was removed: \(folder)"), "\(end.err)")
        }
        #expect(try Data(contentsOf: URL(filePath: rig.path("state/unfinished/list"))).isEmpty)
    }

    /// A source that is changed meanwhile is named, whatever its decoder says of it, and no more chunks of it are begun.
    @Test(arguments: [true, false]) func aSourceThatIsChangedIsNamed(_ isShorter: Bool) throws {
        let rig = try rig()
        begin(rig)
        try rig.wait("a chunk") { made(rig) >= 1 }
        let workers = try rig.freeze()
        let file = try FileHandle(forWritingTo: URL(filePath: rig.path("film.mp4")))
        if isShorter {
            try file.truncate(atOffset: 100_000)
        } else {
            try file.write(contentsOf: Data(count: 1))
        }
        try file.close()
        rig.thaw(workers)
        let end = rig.trimctl("wait", "1")
        #expect(
            end.code == 1 && end.err.contains("film.mp4 was written to since the job was accepted"),
            "\(end.err)")
        #expect(made(rig) < 6)
        try checkClean(rig)
    }
}
