// Playlists through the real programs: the worker parses, the daemon opens.
import Foundation
import Glibc
import Testing

@Suite(.timeLimit(.minutes(10))) struct PlaylistTests {
    let rig: Rig

    init() throws { rig = try Rig() }

    /// A film of eight segments, and the same bytes as one file.
    private func hls() throws -> (list: String, whole: String) {
        let folder = rig.path("hls")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try rig.ffmpeg(
            "-f", "lavfi", "-i", "testsrc2=size=320x180:rate=25:duration=8", "-f", "lavfi", "-i",
            "sine=r=48000:d=8", "-c:v", "libx264", "-preset", "veryfast", "-g", "25", "-pix_fmt", "yuv420p",
            "-c:a", "aac", rig.path("film.ts"))
        try rig.ffmpeg(
            "-i", rig.path("film.ts"), "-c", "copy", "-f", "hls", "-hls_time", "1", "-hls_list_size", "0",
            "-hls_playlist_type", "vod", folder + "/list.m3u8")
        var all = Data()
        for number in 0..<8 { all.append(try Data(contentsOf: URL(filePath: folder + "/list\(number).ts"))) }
        try all.write(to: URL(filePath: rig.path("whole.ts")))
        return (folder + "/list.m3u8", rig.path("whole.ts"))
    }

    private func same(_ a: String, _ b: String) -> Bool {
        let (one, other) = (FileManager.default.contents(atPath: a), FileManager.default.contents(atPath: b))
        return one != nil && one == other
    }

    @Test func anExportIsThatOfTheFilmAsOneFile() throws {
        let (list, whole) = try hls()
        for (index, words) in [
            ["--render", "copy"], ["--render", "smart"], ["--preset", "640x480", "--reproducible"],
        ]
        .enumerated() {
            for (input, name) in [(list, "a"), (whole, "b")] {
                let ended = rig.finish(
                    rig.start(
                        [
                            "export", input, "-o", rig.path("\(name)\(index).mp4"), "--start", "1.5", "--end",
                            "6.2",
                        ] + words))
                #expect(ended.code == 0, "\(ended.err)")
            }
            #expect(same(rig.path("a\(index).mp4"), rig.path("b\(index).mp4")), "\(words)")
        }
        let (a, b) = (rig.trimctl("probe", list, "--json"), rig.trimctl("probe", whole, "--json"))
        #expect(a.code == 0, "\(a.err)")
        #expect(try a.json()["duration"] as? [String: Double] == b.json()["duration"] as? [String: Double])
        #expect(rig.trimctl("check", list, "--preset", "m4v720").code == 0)
        #expect(rig.trimctl("frame", list, "--at", "5.5", "-o", rig.path("a.png")).code == 0)
        #expect(rig.trimctl("frame", whole, "--at", "5.5", "-o", rig.path("b.png")).code == 0)
        #expect(same(rig.path("a.png"), rig.path("b.png")))
        #expect(rig.trimctl("sheet", list, "-o", rig.path("sheet.png")).code == 0)
        #expect(rig.trimctl("export", list, "--dry-run").code == 0)
        #expect(rig.trimctl("verify", list, rig.path("a1.mp4"), "--start", "1.5", "--end", "6.2").code == 0)
    }

    /// Encoded in chunks, each by a worker of its own.
    @Test func chunksReadSegments() throws {
        rig.end(SIGTERM)
        try rig.boot(settings: #"{"limits": {"retrySeconds": 0, "chunkSeconds": 1}}"#)
        let (list, whole) = try hls()
        for (input, name) in [(list, "a.mp4"), (whole, "b.mp4")] {
            let ended = rig.trimctl(
                "export", input, "-o", rig.path(name), "--preset", "640x480", "--reproducible")
            #expect(ended.code == 0, "\(ended.err)")
        }
        #expect(same(rig.path("a.mp4"), rig.path("b.mp4")))
    }

    private func refused(_ code: Int32, _ words: [String], _ path: String, _ more: String...) throws {
        let ended = rig.finish(rig.start(["export", path, "-o", rig.path("no.mp4")] + more))
        #expect(ended.code == code, "\(ended.err)")
        for word in words { #expect(ended.err.contains(word), "\(word): \(ended.err)") }
        #expect(!rig.exists("no.mp4"))
        #expect(try rig.leftovers().isEmpty)
    }

    @Test func aMissingSegment() throws {
        let (list, _) = try hls()
        try FileManager.default.removeItem(atPath: rig.path("hls/list3.ts"))
        try refused(1, ["list3.ts", "00:00:03.000", "00:00:04.000", "No such file"], list)
        try refused(1, ["list3.ts"], list, "--end", "1")
        #expect(rig.trimctl("probe", list).code == 1)
    }

    @Test func linksLeadNowhere() throws {
        let (list, _) = try hls()
        for target in ["/etc/passwd", "list2.ts", "../film.ts", "/dev/zero"] {
            try FileManager.default.removeItem(atPath: rig.path("hls/list3.ts"))
            try FileManager.default.createSymbolicLink(
                atPath: rig.path("hls/list3.ts"), withDestinationPath: target)
            try refused(7, ["list3.ts", "link"], list)
        }
        try FileManager.default.removeItem(atPath: rig.path("hls/list3.ts"))
        unsafe mkfifo(rig.path("hls/list3.ts"), 0o600)
        try refused(1, ["list3.ts", "pipe"], list)
    }

    private func list(_ text: String, _ name: String = "p.m3u8") throws -> String {
        try Data("#EXTM3U\n#EXT-X-TARGETDURATION:4\n\(text)".utf8).write(to: rig.folder.appending(path: name))
        return rig.path(name)
    }

    @Test func refusedByPolicy() throws {
        let end = "#EXT-X-ENDLIST\n"
        try refused(7, ["live"], try list("#EXTINF:4,\na.ts\n"))
        try refused(
            7, ["encrypted", "line 3"],
            try list("#EXT-X-KEY:METHOD=AES-128,URI=\"k\"\n#EXTINF:4,\na.ts\n" + end))
        try refused(7, ["elsewhere", "line 4"], try list("#EXTINF:4,\nhttps://host/a.ts\n" + end))
        try refused(7, ["absolute"], try list("#EXTINF:4,\n/dev/zero\n" + end))
        try refused(7, ["leads out"], try list("#EXTINF:4,\n../a.ts\n" + end))
        try refused(7, ["itself"], try list("#EXTINF:4,\np.m3u8\n" + end))
        try refused(7, ["is a playlist"], try list("#EXTINF:4,\np.m3u8\n" + end, "r.m3u8"))
    }

    /// Ten thousand names: each is asked for, and the first that is missing is named.
    @Test func tenThousandNames() throws {
        try FileManager.default.createDirectory(atPath: rig.path("many"), withIntermediateDirectories: true)
        let names = (0..<10_000).map { "#EXTINF:1,\n\($0).ts\n" }.joined()
        let path = try list(names + "#EXT-X-ENDLIST\n", "many/list.m3u8")
        try refused(1, ["0.ts", "No such file"], path)
        for number in 0..<9_999 { unsafe symlink("x", rig.path("many/\(number).ts")) }
        try refused(7, ["0.ts", "link"], path)
        for number in 0..<9_999 {
            unsafe unlink(rig.path("many/\(number).ts"))
            try Data([0x47]).write(to: rig.folder.appending(path: "many/\(number).ts"))
        }
        let began = ContinuousClock.now
        try refused(1, ["9999.ts", "02:46:39.000"], path)
        #expect(ContinuousClock.now - began < .seconds(30))
        #expect(rig.isRunning)
    }

    @Test func aSegmentThatChangesBeforeTheJobBegins() throws {
        let (list, _) = try hls()
        let made = rig.trimctl("export", list, "-o", rig.path("no.mp4"), "--not-before", "+1h", "--detach")
        let id = made.out.trimmingCharacters(in: .whitespacesAndNewlines)
        usleep(20_000)
        let handle = try FileHandle(forWritingTo: rig.folder.appending(path: "hls/list5.ts"))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data([0x47]))
        try handle.close()
        #expect(rig.trimctl("release", id).code == 0)
        #expect(rig.trimctl("wait", id).code == 1)
        let error = try rig.trimctl("show", id, "--json").json()["error"] as? [String: Any]
        #expect(error?["code"] as? String == "sourceChanged", "\(error ?? [:])")
        #expect(!rig.exists("no.mp4"))
        // Submitted again, or tried again by its user, it is the film that it is now.
        #expect(rig.trimctl("retry", id).code == 0)
        #expect(rig.trimctl("wait", id).code == 0)
    }
}
