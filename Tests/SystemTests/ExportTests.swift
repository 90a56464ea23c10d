// The main path through all programs: what a user types, and what lies on the disk afterwards.
import Foundation
import Testing

@Suite struct ExportTests {
    @Test func exportsARangeAndNamesIt() throws {
        let rig = try Rig()
        let film = try rig.film()
        let done = rig.trimctl(
            "export", film, "--preset", "m4v720", "--start", "1", "--end", "3", "--json", "--progress", "none"
        )
        #expect(done.code == 0, "\(done.err)")
        let report = try done.json()
        #expect(report["status"] as? String == "completed")
        #expect(report["progress"] as? Double == 1)
        for key in [
            "id", "preset", "render", "input", "output", "requested", "actual", "tracks", "bytes", "created",
        ] {
            #expect(report[key] != nil, "\(key) is missing")
        }
        #expect(report["output"] as? String == rig.path("film-trim.m4v"))
        let times = try Rig.frameTimes(rig.path("film-trim.m4v"))
        #expect(times.count == 50)
        #expect(times.first == "0.000000")
        #expect(times.last == "1.960000")
        // Never overwritten: the next one gets a number.
        #expect(rig.trimctl("export", film, "--preset", "m4v720", "--start", "1", "--end", "2").code == 0)
        #expect(rig.exists("film-trim-2.m4v"))
        #expect(try rig.leftovers().isEmpty)
    }

    /// A worker can open no file: what the first pass learns lies in its memory.
    @Test func twoPassesAreMadeInASealedWorker() throws {
        let rig = try Rig()
        let film = try rig.film()
        for (preset, type) in [("m4v480", "m4v"), ("hevc1080", "mp4")] {
            let done = rig.trimctl(
                "export", film, "-o", rig.path("o.\(type)"), "--preset", preset, "--limit-size", "40k",
                "--json",
                "--progress", "none", "--render", "encode")
            #expect(done.code == 0, "\(done.err)")
            let tracks = try #require(try done.json()["tracks"] as? [[String: Any]])
            #expect(tracks.first?["passes"] as? Int == 2)
            let size = try #require(try done.json()["bytes"] as? Int)
            #expect(34_000...40_000 ~= size, "\(size)")
        }
    }

    @Test func firstFrameIsTheOneOnScreen() throws {
        let rig = try Rig()
        let film = try rig.film()
        // 1.03 s lies in frame 25 (1.00 to 1.04): it is shown for 10 ms; 2.05 s in frame 51.
        let done = rig.trimctl(
            "export", film, "--preset", "m4v720", "-o", rig.path("o.m4v"), "--start", "1.03", "--end", "2.05")
        #expect(done.code == 0, "\(done.err)")
        #expect(done.out.contains("--snap frame"))
        let times = try Rig.frameTimes(rig.path("o.m4v"))
        #expect(times.count == 27)
        #expect(times.prefix(3) == ["0.000000", "0.010000", "0.050000"])
        #expect(times.last == "1.010000")
    }

    @Test func detachWaitShowListLog() throws {
        let rig = try Rig()
        let film = try rig.film()
        let detached = rig.trimctl(
            "export", film, "--preset", "m4v720", "--start", "1", "--end", "2", "--detach", "--key", "one")
        let id = detached.out.trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(Int(id) != nil)
        #expect(rig.trimctl("wait", id).code == 0)
        #expect(rig.trimctl("show", id).out.contains("completed"))
        #expect(rig.trimctl("list").out.contains("film-trim.m4v"))
        #expect(rig.trimctl("log", id).out.contains("completed"))
        // The same key is the same job, though its output exists by now.
        let again = rig.trimctl(
            "export", film, "--preset", "m4v720", "--start", "1", "--end", "2", "--detach", "--key", "one")
        #expect(again.out.trimmingCharacters(in: .whitespacesAndNewlines) == id)
    }

    @Test func probeCheckPresets() throws {
        let rig = try Rig()
        let film = try rig.film()
        let probe = try rig.trimctl("probe", film, "--json").json()
        #expect((probe["tracks"] as? [Any])?.count == 2)
        let check = rig.trimctl("check", film, "--json")
        #expect(check.code == 0)
        #expect(try check.json()["canTrim"] as? Bool == true)
        #expect(rig.trimctl("check", film, "--preset", "m4a").code == 0)
        #expect(rig.trimctl("presets").out.contains("AVAssetExportPresetAppleM4V720pHD"))
        #expect(rig.trimctl("presets", "m4v720").code == 0)
    }

    @Test func standaloneNeedsNoDaemonAndLeavesNothing() throws {
        let rig = try Rig(booted: false)
        let film = try rig.film()
        let done = rig.trimctl(
            "export", film, "--preset", "m4v720", "--start", "1", "--end", "2", "--standalone", daemon: false)
        // Built outside the checkout, the private daemon finds no presets; then there is nothing to be seen here.
        if done.err.contains("there is no preset") { return }
        #expect(done.code == 0, "\(done.err)")
        #expect(rig.exists("film-trim.m4v"))
    }

    /// The files that a private daemon left behind when it was killed, or that another one writes at this moment, are not in the way.
    @Test func standaloneExportsToOneNameDoNotCollide() throws {
        let rig = try Rig(booted: false)
        let film = try rig.film()
        // The names that a first job has.
        for name in [".film-trim.m4v.trimd-1-1.part", ".film-trim.m4v.trimd-1-u000000-000000001.part"] {
            #expect(FileManager.default.createFile(atPath: rig.path(name), contents: nil))
        }
        for name in ["film-trim.m4v", "film-trim-2.m4v"] {
            let done = rig.trimctl(
                "export", film, "--preset", "m4v720", "--start", "1", "--end", "2", "--standalone", "--json",
                daemon: false)
            if done.err.contains("there is no preset") { return }
            #expect(done.code == 0, "\(done.err)")
            #expect(rig.exists(name))
        }
    }

    @Test func audioAloneUnderAVideoPresetGivesM4A() throws {
        let rig = try Rig()
        try rig.ffmpeg("-f", "lavfi", "-i", "sine=r=44100:d=3", "-c:a", "flac", rig.path("sound.flac"))
        let done = rig.trimctl(
            "export", rig.path("sound.flac"), "--preset", "m4v720", "--start", "1", "--end", "2")
        #expect(done.code == 0, "\(done.err)")
        #expect(rig.exists("sound-trim.m4a"))
    }
}
