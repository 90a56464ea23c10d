// Every kind of bad input: its exit code, what the error says, and that nothing is written.
import Foundation
import Glibc
import Testing

@Suite struct BadInputTests {
    private func expect(
        _ rig: Rig, _ code: Int32, _ words: String, _ arguments: String...,
        location: SourceLocation = #_sourceLocation
    ) throws {
        let before = try Set(FileManager.default.contentsOfDirectory(atPath: rig.folder.path).filter(isMedia))
        let process = rig.start(["export"] + arguments + ["--progress", "none"])
        let done = rig.finish(process)
        #expect(done.code == code, "\(arguments): \(done.err)", sourceLocation: location)
        #expect(done.err.contains(words), "\(arguments): \(done.err)", sourceLocation: location)
        let after = try Set(FileManager.default.contentsOfDirectory(atPath: rig.folder.path).filter(isMedia))
        #expect(before == after, "\(arguments) wrote something", sourceLocation: location)
    }

    private func isMedia(_ name: String) -> Bool {
        name.hasSuffix(".m4v") || name.hasSuffix(".m4a") || name.hasSuffix(".part")
    }

    @Test func inputs() throws {
        let rig = try Rig()
        try expect(rig, 1, "No such file", rig.path("nothing.mp4"))
        try expect(rig, 1, "is a folder", rig.folder.path)
        unsafe mkfifo(rig.path("pipe"), 0o600)
        try expect(rig, 1, "pipe", rig.path("pipe"))
        try expect(rig, 1, "device", "/dev/null")
        try Data("hello".utf8).write(to: rig.folder.appending(path: "text.mp4"))
        try expect(rig, 1, "text.mp4", rig.path("text.mp4"))
        try Data().write(to: rig.folder.appending(path: "empty.mp4"))
        try expect(rig, 1, "it is empty", rig.path("empty.mp4"))
        try Data("#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\nseg.ts\n".utf8)
            .write(to: rig.folder.appending(path: "list.mp4"))
        try expect(rig, 7, "playlist", rig.path("list.mp4"))
    }

    @Test func timesAndPresets() throws {
        let rig = try Rig()
        let film = try rig.film()
        try expect(rig, 2, "'m4v720'", film, "--preset", "m4v7200")
        try expect(rig, 2, "is after the end", film, "--start", "3", "--end", "1")
        try expect(rig, 2, "is past the end", film, "--start", "5")
        try expect(rig, 2, "is not a time", film, "--start", "soon")
        try expect(rig, 2, "--duration", film, "--end", "2", "--duration", "1")
        try expect(rig, 2, "--start", film, "--strat", "1")
        try rig.ffmpeg("-i", film, "-an", "-c", "copy", rig.path("silent.mp4"))
        try expect(rig, 3, "no audio", rig.path("silent.mp4"), "--preset", "m4a")
    }

    /// No silent film comes of a choice that matches nothing; the tracks that are there are listed.
    @Test func tracksThatAreNotThere() throws {
        let rig = try Rig()
        let film = try rig.film()
        try rig.ffmpeg(
            "-i", film, "-vn", "-c", "copy", "-metadata:s:a", "language=ger", rig.path("sound.m4a"))
        for words in ["fra", "7", "commentary"] {
            try expect(rig, 2, "there are 1 (aac", film, "--audio", words)
            try expect(rig, 2, "there are 1 (aac", film, "--audio", words, "--dry-run")
            try expect(
                rig, 2, "there are 0 (aac, ger", rig.path("sound.m4a"), "--audio", words, "--preset", "m4a")
        }
        try expect(rig, 2, "there are 0 (h264", film, "--video", "1")
        try expect(rig, 2, "the file has none", film, "--subtitles", "forced")
        #expect(rig.trimctl("check", film, "--audio", "fra").code == 2)
    }

    @Test func outputs() throws {
        let rig = try Rig()
        let film = try rig.film("film.m4v")
        try Data("mine".utf8).write(to: rig.folder.appending(path: "there.m4v"))
        try expect(rig, 6, "exists", film, "-o", rig.path("there.m4v"))
        #expect(FileManager.default.contents(atPath: rig.path("there.m4v")) == Data("mine".utf8))
        try expect(rig, 6, "is the input", film, "-o", film, "--overwrite")
        unsafe link(film, rig.path("link.m4v"))
        try expect(rig, 6, "is the input", film, "-o", rig.path("link.m4v"), "--overwrite")
        try expect(rig, 2, ".m4v", film, "-o", rig.path("o.mkv"), "--preset", "m4v720")
        try expect(rig, 1, "No such file", film, "-o", rig.path("nowhere/o.m4v"))
        let overwritten = rig.trimctl(
            "export", film, "--preset", "m4v720", "-o", rig.path("there.m4v"), "--end", "1", "--overwrite")
        #expect(overwritten.code == 0, "\(overwritten.err)")
        #expect(try Rig.frameTimes(rig.path("there.m4v")).count == 25)
    }

    @Test func noDaemon() throws {
        let rig = try Rig(booted: false)
        let done = rig.trimctl("list", daemon: false)
        #expect(done.code == 5)
        #expect(done.err.contains("no trimd"))
    }
}
