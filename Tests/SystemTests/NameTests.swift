// Names of outputs while their jobs wait, keys that are used twice, names of files that are not UTF-8, and many jobs at once:
// from the command line to the disk.
import Foundation
import Glibc
import Media
import Testing
import Text
import Wire

@Suite(.timeLimit(.minutes(10))) struct NameTests {
    private func output(_ rig: Rig, _ id: String) throws -> String? {
        try rig.trimctl("show", id, "--json").json()["output"] as? String
    }

    @Test func jobsThatWaitShowTheNamesTheyGet() throws {
        let rig = try Rig(workers: 2)
        let film = try rig.film()
        #expect(rig.trimctl("drain").code == 0)
        let ids = (0..<3).map { _ in
            rig.trimctl("export", film, "--preset", "passthrough", "--detach").out
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }
        let names = ["film-trim.mp4", "film-trim-2.mp4", "film-trim-3.mp4"].map(rig.path)
        #expect(try ids.map { try output(rig, $0) } == names)
        let plan = try rig.trimctl("export", film, "--preset", "passthrough", "--dry-run", "--json").json()
        #expect(plan["output"] as? String == rig.path("film-trim-4.mp4"))
        // The name of one that waits is nobody else's.
        let other = rig.trimctl("export", film, "--preset", "passthrough", "-o", names[1], "--detach")
        #expect(other.code == 6 && other.err.contains("job \(ids[1])"), "\(other.err)")
        // One of them goes: its name is free, and those of the others stay.
        #expect(rig.trimctl("cancel", ids[1]).code == 0)
        #expect(rig.trimctl("drain", "--off").code == 0)
        #expect(rig.trimctl("wait", ids[0], ids[2]).code == 0)
        #expect(try [output(rig, ids[0]), output(rig, ids[2])] == [names[0], names[2]])
        #expect(
            rig.exists("film-trim.mp4") && !rig.exists("film-trim-2.mp4") && rig.exists("film-trim-3.mp4"))
        #expect(rig.trimctl("export", film, "--preset", "passthrough").out.hasPrefix(names[1] + "\n"))
    }

    @Test func aKeyWithAnotherRequestIsAnErrorThatNamesTheDifference() throws {
        let rig = try Rig(workers: 1)
        let film = try rig.film()
        let words = [
            "export", film, "-o", rig.path("a.m4v"), "--preset", "m4v720", "--key", "k", "--progress", "none",
        ]
        #expect(rig.finish(rig.start(words + ["--start", "1"])).code == 0)
        // The same, spelled otherwise, and although the output exists now.
        #expect(rig.finish(rig.start(words + ["--start", "0:01.0"])).code == 0)
        for (more, name) in [(["--start", "2"], "start"), (["--start", "1", "--strict"], "strict")] {
            let other = rig.finish(rig.start(words + more))
            #expect(other.code == 2)
            #expect(other.err.contains("the key 'k' belongs to job 1, whose \(name) is"), "\(other.err)")
        }
        #expect(rig.trimctl("list", "--json").out.components(separatedBy: #""id":"#).count == 2, "one job")
    }

    /// Hundreds of ended jobs are more than one answer holds.
    @Test func waitEndsForHundredsOfEndedJobs() throws {
        let rig = try Rig(workers: 1)
        // Long paths make few jobs fill a line.
        let folder = (0..<14).reduce(rig.folder.path) { path, _ in
            path + "/" + String(repeating: "d", count: 200)
        }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let film = folder + "/film.mp4"
        try Data("film".utf8).write(to: URL(filePath: film))
        #expect(rig.trimctl("drain").code == 0)
        let client = try Client(path: rig.socket)
        var ids: [String] = []
        for _ in 0..<400 {
            let job: JobReport = try client.call(
                "job.submit", params: SubmitParams(input: film), returning: JobReport.self)
            try client.call("job.cancel", params: JobParams(id: job.id))
            ids.append("\(job.id)")
        }
        let waited = rig.finish(rig.start(["wait"] + ids + ["--json"]), within: 120)
        #expect(!waited.isEndless && waited.code == 4, "\(waited.err)")
        #expect(waited.out.split(separator: "\n").count == 400)
    }

    /// As a shell has them: the bytes of Latin-1, and what steers a terminal.
    @Test func namesThatAreNotUTF8GoThroughAll() throws {
        let rig = try Rig(workers: 1)
        _ = try rig.film()
        let script = """
            set -e
            name=$(printf 'caf\\351 \\302\\2331m\\342\\200\\256')
            mkdir "$name"
            cp film.mp4 "$name/$name.mp4"
            trimctl="\(Rig.programs.appending(path: "trimctl").path) "
            export TRIMD_SOCKET="\(rig.socket)"
            $trimctl export "$name/$name.mp4" --preset passthrough --progress none > plain
            test -s "$name/$name-trim.mp4"
            test "$(head -n 1 plain | cut -c 1-4)" = "$(printf '\(rig.folder.path)' | cut -c 1-4)"
            (cd "$name" && $trimctl export "$name.mp4" --preset passthrough --json --progress none) | tail -n 1 > json
            test -s "$name/$name-trim-2.mp4"
            # A name from a result can be given again.
            url=$(sed 's/.*"output":"\\([^"]*\\)".*/\\1/' json)
            $trimctl probe "$url" --json > probe
            printf 'input,start,end,output\\n%s,0,1,one.mp4\\n' "$url" > list.csv
            $trimctl batch list.csv --preset passthrough --output-dir "$name" --report report.json --progress none
            test -s "$name/one.mp4"
            $trimctl list > list
            $trimctl check nothing-"$name" 2> error || true
            """
        let done = try rig.run("/bin/sh", ["-c", script])
        #expect(done.code == 0, "\(done.out) \(done.err)")
        let result = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: rig.path("json"))))
        let output = (result as? [String: Any])?["output"] as? String
        #expect(output?.hasSuffix("/caf%E9%20%C2%9B1m%E2%80%AE-trim-2.mp4") == true, "\(output ?? "")")
        #expect(output?.hasPrefix("file:///") == true)
        for name in ["json", "report.json", "list", "error", "plain"] {
            let data = try Data(contentsOf: URL(filePath: rig.path(name)))
            let text = PathBytes.text(data)
            #expect(!text.unicodeScalars.contains { $0.isSteering && $0 != "\n" }, "\(name)")
            #expect(name == "plain" || name == "list" || PathBytes.isText(text), "\(name)")
        }
        #expect(try String(contentsOfFile: rig.path("error"), encoding: .utf8).contains("nothing-caf%E9"))
        #expect(rig.daemonLog.contains("caf%E9"))
    }

    /// A fault that trimd was started with is no failure of the sandbox.
    @Test(arguments: [
        ("-f 300", "RLIMIT_FSIZE", "maximumFileSizeReached"), ("-n 40", "RLIMIT_NOFILE", "limitReached"),
    ])
    func aLimitOfTheProcessIsReportedAsWhatItIs(_ limit: String, _ name: String, _ code: String) throws {
        let rig = try Rig(booted: false)
        try rig.ffmpeg(
            "-f", "lavfi", "-i", "testsrc2=size=640x360:rate=25:duration=4", "-c:v", "libx264", "-preset",
            "ultrafast",
            "-b:v", "8M", "-pix_fmt", "yuv420p", rig.path("film.mp4"))
        let trimctl = Rig.programs.appending(path: "trimctl").path
        let done = try rig.run(
            "/bin/bash",
            [
                "-c",
                "ulimit \(limit); '\(trimctl)' export film.mp4 --preset passthrough --standalone --json --progress none",
            ])
        #expect(done.code == 1, "\(done.out) \(done.err)")
        let error = try done.json()["error"] as? [String: Any]
        #expect(error?["code"] as? String == code, "\(done.out)")
        #expect((error?["message"] as? String)?.contains(name) == true)
        #expect((error?["remedy"] as? String)?.contains("ulimit") == true)
        #expect(!rig.exists("film-trim.mp4"))
        #expect(try rig.leftovers().isEmpty)
    }
}
