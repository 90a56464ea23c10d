// A codec's library that is replaced while a film is encoded, as an upgrade does: the film starts again with the new one.
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct ReplacedLibraryTests {
    /// The library as the worker finds it beside itself, with another build ID.
    private func another(_ bytes: Data) throws -> Data {
        // The note's head: the sizes of name and ID, the type, the name.
        let head = Data([4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0]) + Data("GNU\0".utf8)
        let place = try #require(bytes.range(of: head)).upperBound
        var bytes = bytes
        bytes[place] ^= 0xff
        return bytes
    }

    @Test func aFilmStartsAgainWithTheNewLibrary() throws {
        let rig = try Rig(booted: false)
        try rig.ffmpeg(
            "-f", "lavfi", "-i", "testsrc2=size=640x360:rate=25:duration=16", "-c:v", "mpeg4", "-q:v", "3",
            "-g", "25", rig.path("film.mp4"))
        // The worker looks for its libraries beside itself, too.
        let worker = rig.path("trim-worker")
        try FileManager.default.copyItem(
            atPath: Rig.programs.appending(path: "trim-worker").path, toPath: worker)
        let maps = try Rig.capture("ldd", [worker])
        let line = try #require(maps.split(separator: "\n").first { $0.contains("libavcodec.so.") })
        let words = line.split { $0.isWhitespace }.map(String.init)
        try #require(words.count > 2)
        let (library, original) = (rig.path(words[0]), words[2])
        let bytes = try Data(contentsOf: URL(filePath: original))
        try bytes.write(to: URL(filePath: library))
        try rig.boot(
            settings: #"{"limits": {"retrySeconds": 0, "chunkSeconds": 2}}"#,
            options: ["--worker-program", worker])
        #expect(
            rig.trimctl(
                "export", rig.path("film.mp4"), "-o", rig.path("out.m4v"), "--preset", "m4v720", "--detach"
            ).code == 0)
        func log() -> String { rig.trimctl("log", "1").out }
        try rig.wait("a chunk") { log().contains("chunk 0 made: ") }
        let workers = try rig.freeze()
        defer { rig.thaw(workers) }
        // Under the same name at once, as dpkg does.
        try another(bytes).write(to: URL(filePath: library), options: .atomic)
        rig.thaw(workers)
        let end = rig.trimctl("wait", "1")
        let text = log()
        #expect(end.code == 0, "\(end.err)\n\(text)")
        #expect(text.contains("libraries were replaced"), "\(text)")
        #expect(text.contains("starts again: another version"), "\(text)")
        #expect(try Rig.frameTimes(rig.path("out.m4v")).count == 400)
        #expect(try rig.leftovers().isEmpty)
    }
}
