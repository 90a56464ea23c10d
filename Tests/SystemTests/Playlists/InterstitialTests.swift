// Interstitials, variants and subtitles of playlists through the real programs.
import Foundation
import Glibc
import Testing

@Suite(.timeLimit(.minutes(10))) struct InterstitialTests {
    let rig: Rig

    init() throws { rig = try Rig() }

    /// A playlist of eight segments of a second in a folder: a break of two seconds, and marks of what players insert.
    private func hls(_ name: String = "hls", size: String = "320x180") throws -> String {
        let folder = rig.path(name)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let film = rig.path("\(size).ts")
        try rig.ffmpeg(
            "-f", "lavfi", "-i", "testsrc2=size=\(size):rate=25:duration=8", "-f", "lavfi", "-i",
            "sine=r=48000:d=8", "-c:v", "libx264", "-preset", "veryfast", "-g", "25", "-bf", "0", "-pix_fmt",
            "yuv420p", "-c:a", "aac", film)
        try rig.ffmpeg(
            "-i", film, "-c", "copy", "-f", "hls", "-hls_time", "1", "-hls_list_size", "0",
            "-hls_playlist_type", "vod", folder + "/list.m3u8")
        var number = -1
        let text = try String(contentsOfFile: folder + "/list.m3u8", encoding: .utf8)
        let marks = [
            0:
                "#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00Z\n#EXT-X-DATERANGE:CLASS=\"com.apple.hls.interstitial\","
                + "ID=\"spot\",START-DATE=\"2026-01-01T00:00:06Z\",DURATION=15,X-RESUME-OFFSET=0,"
                + "X-RESTRICT=\"SKIP,JUMP\",X-ASSET-URI=\"https://host/spot.m3u8\"",
            2: "#EXT-X-CUE-OUT:DURATION=2,ID=\"9\"", 4: "#EXT-X-CUE-IN",
        ]
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
            guard line.hasPrefix("#EXTINF") else { return [String(line)] }
            number += 1
            return [marks[number], String(line)].compactMap(\.self)
        }
        try Data(lines.joined(separator: "\n").utf8).write(to: URL(filePath: folder + "/list.m3u8"))
        return folder + "/list.m3u8"
    }

    private func seconds(_ value: Any?) -> Double? { (value as? [String: Any])?["seconds"] as? Double }

    private func duration(_ path: String) throws -> Double {
        try #require(seconds(rig.trimctl("probe", path, "--json").json()["duration"]))
    }

    @Test func breaksAreListedAndLeftOut() throws {
        let list = try hls()
        let probed = rig.trimctl("probe", list, "--json")
        let found = try #require(try probed.json()["interstitials"] as? [[String: Any]], "\(probed.err)")
        #expect(found.map { $0["id"] as? String } == ["9", "spot"])
        #expect(found.map { $0["kind"] as? String } == ["cue", "interstitial"])
        #expect(found.map { $0["stitched"] as? Bool } == [true, false])
        #expect(found.map { seconds($0["start"]) } == [2, 6])
        #expect(found.map { seconds($0["duration"]) } == [2, 15])
        #expect(found.last?["restrict"] as? [String] == ["skip", "jump"])
        #expect(found.last?["asset"] as? String == "https://host/spot.m3u8")
        let text = rig.trimctl("probe", list).out
        #expect(text.contains("00:00:02.000 to 00:00:04.000, 9, cue"), "\(text)")
        #expect(text.contains("at 00:00:06.000, inserted by players, 15 s, spot"), "\(text)")

        let planned = rig.trimctl("export", list, "--remove", "interstitials", "--dry-run", "--json")
        let ranges = try #require(try planned.json()["ranges"] as? [[String: Any]], "\(planned.err)")
        #expect(ranges.count == 2)
        for (index, words) in [["--remove", "interstitials"], ["--keep-only", "program"]].enumerated() {
            let ended = rig.finish(
                rig.start(["export", list, "-o", rig.path("\(index).mp4"), "--render", "copy"] + words))
            #expect(ended.code == 0, "\(ended.err)")
            #expect(abs(try duration(rig.path("\(index).mp4")) - 6) < 0.05)
        }
        let (a, b) = (
            FileManager.default.contents(atPath: rig.path("0.mp4")),
            FileManager.default.contents(atPath: rig.path("1.mp4"))
        )
        #expect(a == b)
        // Every frame is that of the source, and no frame of the break is there.
        let ended = rig.trimctl("verify", list, rig.path("0.mp4"), "--keep-only", "program")
        #expect(ended.code == 0, "\(ended.out)\(ended.err)")
        // Within a range, in a list, and on a sheet.
        let part = rig.trimctl(
            "export", list, "-o", rig.path("part.mp4"), "--start", "1", "--end", "5", "--remove",
            "interstitials")
        #expect(part.code == 0, "\(part.err)")
        #expect(abs(try duration(rig.path("part.mp4")) - 2) < 0.05)
        try Data(
            "{\"input\": \"hls/list.m3u8\", \"output\": \"l.mp4\", \"remove\": [\"interstitials\", \"0..1\"]}\n"
                .utf8
        )
        .write(to: rig.folder.appending(path: "list.jsonl"))
        let batch = rig.trimctl("batch", rig.path("list.jsonl"), "--output-dir", rig.folder.path)
        #expect(batch.code == 0, "\(batch.err)")
        #expect(abs(try duration(rig.path("l.mp4")) - 5) < 0.05)
        #expect(
            rig.trimctl("sheet", list, "-o", rig.path("s.png"), "--remove", "interstitials").code == 0)
        #expect(rig.trimctl("check", list, "--preset", "m4v720", "--keep-only", "program").code == 0)
    }

    @Test func whereThereAreNone() throws {
        let list = try hls()
        try rig.ffmpeg("-i", list, "-c", "copy", rig.path("film.mp4"))
        let text = try String(contentsOfFile: list, encoding: .utf8)
        try Data(text.replacing("#EXT-X-CUE", with: "#EXT-X-NO").utf8).write(to: URL(filePath: list))
        for (input, words) in [(list, "names no interstitials"), (rig.path("film.mp4"), "is no playlist")] {
            let ended = rig.trimctl("export", input, "-o", rig.path("no.mp4"), "--remove", "interstitials")
            #expect(ended.code == 2 && ended.err.contains(words), "\(ended.err)")
            #expect(!rig.exists("no.mp4"))
            // Without advertisements all of it is the program.
            let whole = rig.trimctl(
                "export", input, "-o", rig.path("whole.mp4"), "--keep-only", "program", "--overwrite")
            #expect(whole.code == 0, "\(whole.err)")
        }
        let whole = text.replacing("#EXT-X-PROGRAM", with: "#EXT-X-CUE-OUT\n#EXT-X-PROGRAM")
            .replacing("#EXT-X-CUE-OUT:DURATION=2,ID=\"9\"\n", with: "").replacing(
                "#EXT-X-CUE-IN\n", with: "")
        try Data(whole.utf8).write(to: URL(filePath: list))
        let all = rig.trimctl("export", list, "-o", rig.path("no.mp4"), "--remove", "interstitials")
        #expect(all.code == 2 && all.err.contains("nothing is left"), "\(all.err)")
        let both = rig.trimctl("export", list, "--keep", "0..1", "--keep-only", "program")
        #expect(both.code == 2 && both.err.contains("exclude"), "\(both.err)")
        try FileManager.default.removeItem(atPath: rig.path("film.mp4"))
    }

    /// Two qualities, and subtitles in two languages.
    @Test func variantsAndSubtitles() throws {
        _ = try hls("hls/high")
        _ = try hls("hls/low", size: "160x90")
        for name in ["de", "en"] {
            try Data("WEBVTT\n\n00:00:02.000 --> 00:00:04.000\n\(name)\n".utf8).write(
                to: rig.folder.appending(path: "hls/\(name).vtt"))
            try Data("#EXTM3U\n#EXT-X-TARGETDURATION:8\n#EXTINF:8,\n\(name).vtt\n#EXT-X-ENDLIST\n".utf8)
                .write(
                    to: rig.folder.appending(path: "hls/\(name).m3u8"))
        }
        let media = ["de", "en"].map {
            "#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID=\"s\",NAME=\"\($0)\",LANGUAGE=\"\($0)\",URI=\"\($0).m3u8\"\n"
        }
        let master = rig.path("hls/master.m3u8")
        try Data(
            ("#EXTM3U\n" + media.joined()
                + "#EXT-X-STREAM-INF:BANDWIDTH=90000,RESOLUTION=160x90,SUBTITLES=\"s\"\nlow/list.m3u8\n"
                + "#EXT-X-STREAM-INF:BANDWIDTH=300000,RESOLUTION=320x180,SUBTITLES=\"s\"\nhigh/list.m3u8\n")
                .utf8
        ).write(to: URL(filePath: master))
        let probed = rig.trimctl("probe", master, "--variant", "lowest", "--json")
        let asset = try probed.json()
        let variants = try #require(asset["variants"] as? [[String: Any]], "\(probed.err)")
        #expect(variants.map { $0["chosen"] as? Bool } == [true, false])
        #expect((asset["renditions"] as? [[String: Any]])?.count == 2)
        #expect((asset["interstitials"] as? [[String: Any]])?.count == 2)
        #expect((asset["tracks"] as? [[String: Any]])?.count == 4)
        let text = rig.trimctl("probe", master).out
        #expect(text.contains("2: 320x180, 300 kbit/s, read here"), "\(text)")
        #expect(text.contains("subtitles de, de, group s"), "\(text)")
        for (choice, width) in [("lowest", 160), ("2", 320)] {
            for verb in [["frame", "--at", "1"], ["sheet", "--columns", "2"]] {
                let ended = rig.finish(
                    rig.start(
                        [
                            verb[0], master, "-o", rig.path("\(verb[0])\(choice).png"), "--variant", choice,
                            "--json",
                        ]
                            + verb.dropFirst()))
                #expect(ended.code == 0, "\(ended.err)")
                if verb[0] == "frame" { #expect(try ended.json()["width"] as? Int == width) }
            }
        }
        let wrong = rig.trimctl("frame", master, "--at", "1", "--variant", "9")
        #expect(wrong.code == 2 && wrong.err.contains("no such variant"), "\(wrong.err)")
        let nonsense = rig.trimctl("probe", master, "--variant", "best")
        #expect(nonsense.code == 2, "\(nonsense.err)")

        let made = rig.trimctl(
            "export", master, "-o", rig.path("a.mp4"), "--variant", "lowest", "--start", "1", "--subtitles",
            "en",
            "--keep-only", "program")
        #expect(made.code == 0, "\(made.err)")
        #expect(
            rig.trimctl(
                "verify", master, rig.path("a.mp4"), "--start", "1", "--keep-only", "program", "--variant",
                "lowest"
            ).code == 0)
        let cut = rig.trimctl(
            "export", master, "-o", rig.path("b.mp4"), "--start", "1", "--end", "3", "--subtitles", "en")
        #expect(cut.code == 0, "\(cut.err)")
        try rig.ffmpeg("-i", rig.path("b.mp4"), "-map", "0:s", rig.path("b.srt"))
        let cues = try String(contentsOfFile: rig.path("b.srt"), encoding: .utf8)
        #expect(cues.contains("00:00:01,000 --> 00:00:02,000\nen") && !cues.contains("de"), "\(cues)")
    }
}
