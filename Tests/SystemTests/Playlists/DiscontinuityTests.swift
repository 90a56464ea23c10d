// A playlist of parts whose timestamps begin anew, through the real programs: every command shows the same film at the same times.
import Foundation
import Glibc
import Testing

@Suite(.timeLimit(.minutes(10))) struct DiscontinuityTests {
    let rig: Rig

    init() throws { rig = try Rig() }

    /// A film of six seconds as three parts, and as one file.
    private func film() throws -> (list: String, whole: String) {
        let folder = rig.path("parts")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try rig.ffmpeg(
            "-f", "lavfi", "-i", "testsrc2=size=160x120:rate=30:duration=6", "-f", "lavfi", "-i",
            "sine=r=48000:d=6", "-c:v", "libx264", "-preset", "veryfast", "-g", "30", "-x264-params",
            "scenecut=0", "-pix_fmt", "yuv420p", "-c:a", "aac", rig.path("film.mp4"))
        try rig.ffmpeg("-i", rig.path("film.mp4"), "-c", "copy", rig.path("whole.ts"))
        try rig.ffmpeg(
            "-i", rig.path("film.mp4"), "-c", "copy", "-f", "segment", "-segment_times", "1.9,3.9",
            "-reset_timestamps", "1", "-segment_format", "mpegts", folder + "/%d.ts")
        let parts = (0..<3).map { "#EXTINF:2,\n\($0).ts\n" }.joined(separator: "#EXT-X-DISCONTINUITY\n")
        try Data("#EXTM3U\n#EXT-X-TARGETDURATION:2\n\(parts)#EXT-X-ENDLIST\n".utf8)
            .write(to: URL(filePath: folder + "/list.m3u8"))
        return (folder + "/list.m3u8", rig.path("whole.ts"))
    }

    private func same(_ a: String, _ b: String) -> Bool {
        let (one, other) = (FileManager.default.contents(atPath: a), FileManager.default.contents(atPath: b))
        return one != nil && one == other
    }

    /// The times and sums of all packets.
    private func sums(_ name: String) throws -> Data {
        try rig.ffmpeg(
            "-i", rig.path(name), "-map", "0", "-c", "copy", "-f", "framemd5", rig.path(name + ".txt"))
        return try #require(FileManager.default.contents(atPath: rig.path(name + ".txt")))
    }

    @Test func everyCommandSeesOneFilm() throws {
        rig.end(SIGTERM)
        try rig.boot(settings: #"{"limits": {"retrySeconds": 0, "chunkSeconds": 1}}"#)
        let (list, whole) = try film()
        let range = ["--start", "1.5", "--end", "4.6"]
        for (index, words) in [
            ["--render", "copy"], ["--render", "smart"], ["--preset", "640x480", "--reproducible"],
        ]
        .enumerated() {
            for (input, name) in [(list, "a"), (whole, "b")] {
                let ended = rig.finish(
                    rig.start(["export", input, "-o", rig.path("\(name)\(index).mp4")] + range + words))
                #expect(ended.code == 0, "\(ended.err)")
            }
            // The bit rate in the headers is an estimate of FFmpeg's.
            #expect(try sums("a\(index).mp4") == sums("b\(index).mp4"), "\(words)")
            let verified = rig.finish(rig.start(["verify", list, rig.path("a\(index).mp4")] + range))
            #expect(verified.code == 0, "\(words): \(verified.out) \(verified.err)")
        }
        #expect(rig.trimctl("check", list, "--preset", "m4v720").code == 0)
        for time in ["1.99", "2", "4.3", "5.9"] {
            #expect(
                rig.trimctl("frame", list, "--at", time, "-o", rig.path("a.png"), "--overwrite").code == 0)
            #expect(
                rig.trimctl("frame", whole, "--at", time, "-o", rig.path("b.png"), "--overwrite").code == 0)
            #expect(same(rig.path("a.png"), rig.path("b.png")), "\(time)")
        }
        #expect(rig.trimctl("sheet", list, "-o", rig.path("sheet.png")).code == 0)
    }
}
