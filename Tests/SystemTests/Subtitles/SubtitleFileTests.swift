// A file of subtitles that is drawn, from the command line to the pictures: in one piece and in chunks, from a list, planned, and wrong in
// each way that a user may get wrong; changed, removed and tried again.
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct SubtitleFileTests {
    /// A grey film of eight seconds, and subtitles from 1 to 3 and from 5 to 7 s.
    private func rig() throws -> Rig {
        let rig = try Rig(booted: false)
        try rig.ffmpeg(
            "-f", "lavfi", "-i", "color=gray:size=320x180:rate=10:duration=8", "-c:v", "libx264", "-preset",
            "ultrafast", "-g", "10", rig.path("film.mp4"))
        try write(
            rig, "words.srt",
            "1\n00:00:01,000 --> 00:00:03,000\nOne\n\n2\n00:00:05,000 --> 00:00:07,000\nTwo\n")
        try rig.boot(settings: #"{"limits": {"retrySeconds": 0, "retries": 0, "chunkSeconds": 2}}"#)
        return rig
    }

    private func write(_ rig: Rig, _ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: rig.path(name)))
    }

    private func export(_ rig: Rig, _ output: String, _ words: String...) throws -> Ended {
        let all = ["export", rig.path("film.mp4"), "-o", rig.path(output), "--preset", "m4v480"]
        return rig.finish(rig.start(all + words))
    }

    /// Of each frame: whether something white is on it.
    private func drawn(_ path: String) throws -> [Bool] {
        let text = try Rig.capture(
            "ffmpeg",
            [
                "-v", "error", "-i", path, "-vf",
                "signalstats,metadata=print:key=lavfi.signalstats.YMAX:file=-",
                "-f", "null", "/dev/null",
            ])
        return text.split(separator: "\n").compactMap { line in
            line.hasPrefix("lavfi.signalstats.YMAX=") ? Double(line.split(separator: "=")[1]) : nil
        }.map { $0 > 200 }
    }

    private func shown(_ tenths: Range<Int>) -> [Bool] {
        tenths.map { (10..<30).contains($0) || (50..<70).contains($0) }
    }

    @Test func aFileIsDrawnInChunksAndInARange() throws {
        let rig = try rig()
        let whole = try export(rig, "whole.m4v", "--burn-subtitles", rig.path("words.srt"), "--verbose")
        #expect(whole.code == 0, "\(whole.err)")
        #expect(rig.trimctl("log", "1").out.contains("divided into"))
        #expect(try drawn(rig.path("whole.m4v")) == shown(0..<80))
        let part = try export(
            rig, "part.m4v", "--burn-subtitles", rig.path("words.srt"), "--start", "2", "--end", "5.5")
        #expect(part.code == 0, "\(part.err)")
        #expect(try drawn(rig.path("part.m4v")) == shown(20..<55))
        #expect(try rig.leftovers().isEmpty)
    }

    /// libass takes seconds for each frame of such a file.
    @Test func subtitlesThatAreDearEndByTheTimeLimitAndAreNamed() throws {
        let rig = try Rig(booted: false)
        try rig.ffmpeg(
            "-f", "lavfi", "-i", "color=gray:size=1280x720:rate=25:duration=4", "-c:v", "libx264", "-preset",
            "ultrafast", rig.path("film.mp4"))
        let lines = (0..<2000).map { number in
            let (x, y) = (number * 37 % 1280, number * 91 % 720)
            return
                "Dialogue: 0,0:00:00.00,0:00:04.00,Default,,0,0,0,,{\\pos(\(x),\(y))\\blur8\\t(\\fscx300\\fscy300\\frz360)}Words \(number)"
        }
        try write(
            rig, "words.ass",
            """
            [Script Info]
            ScriptType: v4.00+
            PlayResX: 1280
            PlayResY: 720

            [V4+ Styles]
            Format: Name, Fontname, Fontsize, PrimaryColour, Alignment
            Style: Default,DejaVu Sans,40,&H00FFFFFF,5

            [Events]
            Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
            \(lines.joined(separator: "\n"))
            """)
        try rig.boot(settings: #"{"limits": {"jobSeconds": 12, "retrySeconds": 0, "retries": 0}}"#)
        let ended = try export(rig, "a.m4v", "--burn-subtitles", rig.path("words.ass"), "--json")
        #expect(ended.code == 1)
        let error = try #require(try ended.json()["error"] as? [String: Any])
        #expect(error["code"] as? String == "timeLimitReached")
        #expect((error["message"] as? String)?.contains("the subtitles in words.ass") == true, "\(error)")
        #expect(!rig.exists("a.m4v"))
        #expect(try rig.leftovers().isEmpty)
    }

    @Test func listsAndPlansKnowIt() throws {
        let rig = try rig()
        let plan = try export(
            rig, "plan.m4v", "--burn-subtitles", rig.path("words.srt"), "--end", "4", "--dry-run")
        #expect(plan.code == 0 && plan.out.contains("words.srt (subrip, 1 subtitle in the range)"), "\(plan)")
        try write(
            rig, "cuts.csv", "input,start,end,output,burn-subtitles\nfilm.mp4,0,2,a.m4v,words.srt\n")
        let done = rig.trimctl("batch", rig.path("cuts.csv"), "--preset", "m4v480")
        #expect(done.code == 0, "\(done.err)")
        #expect(try drawn(rig.path("a.m4v")) == shown(0..<20))
        try write(
            rig, "wrong.csv", "input,start,end,output,burn-subtitles\nfilm.mp4,0,2,b.m4v,none.srt\n")
        let wrong = rig.trimctl("batch", rig.path("wrong.csv"), "--preset", "m4v480")
        #expect(wrong.code == 1 && wrong.err.contains("wrong.csv:2: ") && wrong.err.contains("none.srt"))
        #expect(!rig.exists("b.m4v"))
    }

    @Test func whatIsWrongIsSaid() throws {
        let rig = try rig()
        try write(rig, "empty.srt", "")
        try write(rig, "text.srt", "No times in here.\n")
        try Data([0x31, 0x0A] + Array("00:00:01,000 --> 00:00:02,000\nCaf".utf8) + [0xE9, 0x0A]).write(
            to: URL(filePath: rig.path("latin.srt")))
        try write(rig, "frames.sub", "{1}{25}First\n{30}{60}Second\n{70}{80}Third\n")
        let cases: [(file: String, code: Int32, says: [String], more: [String])] = [
            ("none.srt", 1, ["none.srt", "No such file"], []),
            ("./", 1, ["folder"], []),
            ("empty.srt", 2, ["empty.srt is empty"], []),
            ("text.srt", 2, ["text.srt is no file of subtitles"], []),
            ("latin.srt", 2, ["line 3", "0xE9", "iconv"], []),
            ("frames.sub", 2, ["MicroDVD", "frames"], []),
            ("film.mp4", 2, ["no file of subtitles"], []),
            ("words.srt", 2, ["--burn-subtitles", "--render"], ["--render", "copy"]),
            ("words.srt", 2, [".srt"], ["--burn-subtitles", "eng"]),
            ("words.srt", 3, ["drawn"], ["--preset", "gif"]),
        ]
        for (number, each) in cases.enumerated() {
            var words =
                each.more.contains("--burn-subtitles") ? [] : ["--burn-subtitles", rig.path(each.file)]
            if each.file == "./" { words = ["--burn-subtitles", rig.path("") + "/"] }
            let gif = each.more.contains("gif")
            let ended = rig.finish(
                rig.start(
                    [
                        "export", rig.path("film.mp4"), "-o", rig.path("no\(number).\(gif ? "gif" : "m4v")"),
                    ] + (each.more.contains("--preset") ? [] : ["--preset", "m4v480"]) + words + each.more))
            #expect(ended.code == each.code, "\(each.file) \(ended.err)")
            for word in each.says { #expect(ended.err.contains(word), "\(each.file): \(ended.err)") }
        }
        #expect(try rig.leftovers().isEmpty)
        #expect(!(0..<cases.count).contains { rig.exists("no\($0).m4v") })
    }

    @Test func aFileThatChangesOrGoesIsNoticed() throws {
        let rig = try rig()
        let words = ["--burn-subtitles", rig.path("words.srt"), "--not-before", "+1h", "--detach"]
        let all = ["export", rig.path("film.mp4"), "-o", rig.path("out.m4v"), "--preset", "m4v480"]
        #expect(rig.finish(rig.start(all + words)).code == 0)
        try write(rig, "words.srt", "1\n00:00:02,000 --> 00:00:03,000\nChanged\n")
        #expect(rig.trimctl("release", "1").code == 0)
        let changed = rig.trimctl("wait", "1", "--json")
        #expect(changed.code == 1)
        let error = try #require(try changed.json()["error"] as? [String: Any])
        #expect(error["code"] as? String == "sourceChanged")
        #expect((error["message"] as? String)?.contains("words.srt") == true)
        // It is gone.
        try FileManager.default.moveItem(atPath: rig.path("words.srt"), toPath: rig.path("away.srt"))
        let gone = rig.trimctl("retry", "1")
        #expect(gone.code == 1 && gone.err.contains("words.srt"), "\(gone.err)")
        // A retry takes the file as it is then, as it does the source.
        try FileManager.default.moveItem(atPath: rig.path("away.srt"), toPath: rig.path("words.srt"))
        #expect(rig.trimctl("retry", "1").code == 0)
        #expect(rig.trimctl("wait", "1").code == 0)
        #expect(try drawn(rig.path("out.m4v")) == (0..<80).map { (20..<30).contains($0) })
        #expect(!rig.exists("out-2.m4v"))
    }
}
