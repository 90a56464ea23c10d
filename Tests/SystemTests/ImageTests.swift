// Stills, contact sheets and comparisons through all programs: names, exit codes, refusals, and no files left behind.
import Foundation
import Glibc
import Testing

@Suite(.timeLimit(.minutes(10))) struct ImageTests {
    private func size(_ path: String) throws -> String {
        try Rig.capture(
            "ffprobe",
            ["-v", "error", "-show_entries", "stream=codec_name,width,height", "-of", "csv=p=0", path]
        ).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test func aStillAndASheet() throws {
        let rig = try Rig()
        let film = try rig.film()
        let first = rig.trimctl("frame", film, "--at", "1.03", "--json")
        #expect(first.code == 0, "\(first.err)")
        let report = try first.json()
        #expect(report["output"] as? String == rig.path("film-frame.png"))
        #expect((report["actual"] as? [String: Any])?["seconds"] as? Double == 1)
        #expect((report["requested"] as? [String: Any])?["seconds"] as? Double == 1.03)
        #expect(try size(rig.path("film-frame.png")) == "png,320,180")
        // Never overwritten: the next one gets a number.
        #expect(rig.trimctl("frame", film, "--at", "2").out.contains("film-frame-2.png"))
        let last = rig.trimctl("frame", film, "--at", "end", "-o", "last.png", "--json")
        let same = rig.trimctl("frame", film, "--at", "-1f", "-o", "same.png", "--json")
        #expect(last.code == 0 && same.code == 0, "\(last.err)\(same.err)")
        let images = try ["last.png", "same.png"].map { try Data(contentsOf: URL(filePath: rig.path($0))) }
        #expect(images[0] == images[1], "nothing is shown at the end; the last frame is")
        let small = rig.trimctl("frame", film, "--at", "50f", "-o", "still.jpg", "--width", "100")
        #expect(small.code == 0 && small.out.contains("00:00:02.000"), "\(small.err)")
        #expect(try size(rig.path("still.jpg")) == "mjpeg,100,56")
        let sheet = rig.trimctl("sheet", film, "--start", "1", "--end", "3", "--rows", "2")
        #expect(sheet.code == 0, "\(sheet.err)")
        #expect(sheet.out.contains("film-sheet.png") && sheet.out.contains("00:00:02.960"))
        #expect(try size(rig.path("film-sheet.png")).hasPrefix("png,1248,"))
        let every = rig.trimctl(
            "sheet", film, "--every", "1s", "--size", "800x600", "-o", "every.png", "--json")
        #expect(every.code == 0, "\(every.err)")
        #expect(try (every.json()["tiles"] as? [Any])?.count == 5)
        #expect(try every.json()["width"] as? Int ?? 801 <= 800)
        try rig.ffmpeg("-f", "lavfi", "-i", "sine=d=1", rig.path("sound.wav"))
        let sound = rig.trimctl("sheet", rig.path("sound.wav"))
        #expect(sound.code == 0 && sound.out.contains("dBFS"), "\(sound.err)")
        #expect(try rig.leftovers().isEmpty)
    }

    @Test func anExportIsVerified() throws {
        let rig = try Rig()
        let film = try rig.film()
        #expect(
            rig.trimctl(
                "export", film, "--preset", "m4v720", "--start", "1.03", "--end", "3", "-o", "part.m4v"
            ).code == 0)
        let right = rig.trimctl(
            "verify", film, "part.m4v", "--start", "1.03", "--end", "3", "--picture", "seams.png")
        #expect(right.code == 0, "\(right.err)")
        #expect(right.out.contains("exactly this part"))
        #expect(try size(rig.path("seams.png")).hasPrefix("png,664,"))
        let wrong = rig.trimctl("verify", film, "part.m4v", "--start", "1.07", "--end", "3.04", "--json")
        #expect(wrong.code == 1)
        let report = try wrong.json()
        #expect(report["exact"] as? Bool == false)
        #expect((report["findings"] as? [Any])?.isEmpty == false)
        #expect(try rig.leftovers().isEmpty)
    }

    @Test func refusals() throws {
        let rig = try Rig()
        let film = try rig.film()
        try Data("mine".utf8).write(to: rig.folder.appending(path: "there.png"))
        try rig.ffmpeg("-f", "lavfi", "-i", "sine=d=1", rig.path("sound.wav"))
        try rig.ffmpeg(
            "-i", film, "-c", "copy", "-encryption_scheme", "cenc-aes-ctr", "-encryption_key",
            "00112233445566778899aabbccddeeff", "-encryption_kid", "00112233445566778899aabbccddeeff",
            rig.path("secret.mp4"))
        let before = try Set(
            FileManager.default.contentsOfDirectory(atPath: rig.folder.path).filter(isPicture))
        let four = ["0..1", "1.5..2", "2.5..3", "3.2..4"].flatMap { ["--keep", $0] }
        let cases: [(Int32, String, [String])] = [
            (2, "the end (00:00:0", ["frame", film, "--at", "4"]),
            (2, "--at is missing", ["frame", film]),
            (2, "is not a time", ["frame", film, "--at", "soon"]),
            (2, "images are .png", ["frame", film, "--at", "1", "-o", "still.gif"]),
            (2, "from 16 to 16384", ["frame", film, "--at", "1", "--width", "4"]),
            (1, "has no video", ["frame", rig.path("sound.wav"), "--at", "0"]),
            (1, "No such file", ["frame", rig.path("nothing.mp4"), "--at", "0"]),
            (1, "No such file", ["frame", film, "--at", "0", "-o", rig.path("no/still.png")]),
            (7, "encrypted", ["frame", rig.path("secret.mp4"), "--at", "0"]),
            (6, "exists", ["frame", film, "--at", "1", "-o", "there.png"]),
            (6, "exists", ["sheet", film, "-o", "there.png"]),
            (2, "is after the end", ["sheet", film, "--start", "3", "--end", "1"]),
            (2, "8 thumbnails", ["sheet", film, "--columns", "1", "--rows", "1"] + four),
            (7, "encrypted", ["verify", rig.path("secret.mp4"), film]),
            (6, "exists", ["verify", film, film, "--picture", "there.png"]),
            (2, "images are .png", ["verify", film, film, "--picture", film, "--overwrite"]),
            (1, "No such file", ["verify", film, rig.path("nothing.mp4")]),
        ]
        for (code, words, arguments) in cases {
            let done = rig.finish(rig.start(arguments))
            #expect(done.code == code, "\(arguments): \(done.err)")
            #expect(done.err.contains(words), "\(arguments): \(done.err)")
        }
        let after = try Set(
            FileManager.default.contentsOfDirectory(atPath: rig.folder.path).filter(isPicture))
        #expect(before == after)
        #expect(FileManager.default.contents(atPath: rig.path("there.png")) == Data("mine".utf8))
        #expect(rig.trimctl("frame", film, "--at", "1", "-o", "there.png", "--overwrite").code == 0)
        #expect(try size(rig.path("there.png")) == "png,320,180")
        // An image path that names the film itself never replaces it.
        try FileManager.default.copyItem(atPath: film, toPath: rig.path("odd.png"))
        let own = rig.trimctl("frame", rig.path("odd.png"), "--at", "1", "-o", "odd.png", "--overwrite")
        #expect(own.code == 6 && own.err.contains("is the input"), "\(own.err)")
    }

    private func isPicture(_ name: String) -> Bool {
        [".png", ".jpg", ".part"].contains { name.hasSuffix($0) }
    }

    /// Whoever goes leaves no worker behind that works for nobody, and no file.
    @Test func theWorkEndsWithItsClient() throws {
        let rig = try Rig()
        let film = try rig.longFilm(seconds: 20)
        let process = rig.start(["verify", film, film, "--picture", "seams.png"])
        try rig.wait("the comparison to begin") { !rig.busyWorkers().isEmpty }
        // However fast it is, it does not end before the signal comes.
        for pid in rig.busyWorkers() { kill(pid, SIGSTOP) }
        kill(process.processIdentifier, SIGINT)
        let done = rig.finish(process)
        #expect(done.code == 4, "\(done.err)")
        try rig.wait("the worker's end") { rig.busyWorkers().isEmpty }
        try rig.wait("the file's end") { try rig.leftovers().isEmpty }
        #expect(!rig.exists("seams.png"))
        #expect(rig.trimctl("status").code == 0)
    }

    /// A worker that works for a daemon that is gone ends, and the next daemon takes its file away.
    @Test func aDaemonThatDiesLeavesNoImageBehind() throws {
        let rig = try Rig()
        let film = try rig.longFilm(seconds: 20)
        let process = rig.start(["verify", film, film, "--picture", "seams.png"])
        try rig.wait("the comparison to begin") { !rig.busyWorkers().isEmpty }
        rig.end(SIGKILL)
        #expect(rig.finish(process).code == 5)
        #expect(try !rig.leftovers().isEmpty)
        try rig.boot()
        try rig.wait("the file's end") { try rig.leftovers().isEmpty }
        #expect(!rig.exists("seams.png"))
    }
}
