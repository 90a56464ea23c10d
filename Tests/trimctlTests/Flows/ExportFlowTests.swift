// `trimctl export` against a scripted daemon on a real socket: progress, results, Ctrl-C, a daemon that restarts.
import FoundationEssentials
import Media
import MediaTime
import Synchronization
import Testing
import Text
import Wire

@testable import TrimClient
@testable import trimctl

@Suite(.timeLimit(.minutes(10))) struct ExportFlowTests {
    /// A daemon that exports in three steps; a cancelled job ends a moment later.
    private func daemon(_ path: String, ending: JobReport = .sample(1, .completed, progress: 1)) throws
        -> FakeDaemon
    {
        try FakeDaemon(path) { daemon, method, _ in
            switch method {
            case .jobSubmit: return try json(JobReport.sample())
            case .jobWatch:
                daemon.later {
                    daemon.notify(.jobChanged, JobReport.sample(1, .exporting))
                    for fraction in [0.25, 0.5, 0.75] {
                        daemon.notify(.jobProgress, JobProgress.sample(fraction))
                    }
                    daemon.notify(.jobChanged, ending)
                }
                return try json([JobReport.sample()])
            default: throw RemoteError.notScripted(method.rawValue)
            }
        }
    }

    @Test func anExportIsSubmittedAsAsked() throws {
        let rig = try Rig()
        let daemon = try daemon(rig.socket)
        defer { daemon.stop() }
        #expect(
            rig.ask(
                "export", "a/in.mov", "-o", "out.m4v", "--start", "-30", "--end=end", "--snap", "frame",
                "--key", "k",
                "--strict", "--overwrite", "--render", "encode") == 0)
        let params: SubmitParams = try #require(daemon.calls(.jobSubmit).first).decode()
        #expect(params.input == rig.folder + "/a/in.mov")
        #expect(params.output == rig.folder + "/out.m4v")
        #expect(params.start == .decimalFromEnd(Time(30, 1)))
        #expect(params.end == .end)
        // The daemon decides.
        #expect(params.preset == nil)
        #expect(params.render == .encode && params.snap == .frame && params.key == "k")
        #expect(params.strict == true && params.overwrite == true)
        #expect(rig.err.contains("exporting 50 %, 2.1x, 13 s left\n"))
        #expect(rig.out.hasPrefix("/in-trim.m4v\n"))
    }

    @Test func whoWaitsReadsThatTheDaemonDrains() throws {
        let rig = try Rig()
        let daemon = try FakeDaemon(rig.socket) { daemon, method, _ in
            switch method {
            case .jobSubmit: return try json(JobReport.sample())
            case .jobWatch:
                daemon.later {
                    daemon.notify(.serverDraining, ServerDraining(draining: true))
                    // A notification about the job meanwhile comes by itself.
                    daemon.notify(.jobChanged, JobReport.sample().draining(true))
                    daemon.notify(.serverDraining, ServerDraining(draining: false))
                    daemon.notify(.jobChanged, JobReport.sample(1, .completed, progress: 1))
                }
                return try json([JobReport.sample()])
            default: throw RemoteError.notScripted(method.rawValue)
            }
        }
        defer { daemon.stop() }
        #expect(rig.ask("export", "in.mov") == 0)
        let words = "waiting: \(JobReport.drainingWords)\n"
        #expect(rig.err == "waiting\n\(words)waiting\n", "\(rig.err)")
        #expect(JobReport.sample(1, .completed).draining(true).draining == nil)
    }

    @Test func aDryRunQueuesNothingAndPrintsThePlan() throws {
        let rig = try Rig()
        let daemon = try FakeDaemon(rig.socket) { _, method, _ in
            guard method == .jobPlan else { throw RemoteError.notScripted(method.rawValue) }
            var track = PlannedTrack(source: 0, kind: .video, codec: "h264", way: .smart)
            let span = TimeSpan(start: Time(1, 1), end: Time(2, 1))
            track.spans = [PlannedSpan(way: .encode, range: span, frames: 25)]
            return try json(
                PlanReport(
                    input: "/in.mov", output: "/in-trim.m4v", fileType: "m4v",
                    preset: Preset(
                        id: "m4v720", name: "720p", appleName: nil, fileTypes: ["m4v"], video: nil,
                        audio: nil,
                        isPassthrough: true
                    ), render: .smart,
                    requested: span, ranges: [span], length: Time(1, 1), tracks: [track],
                    estimatedBytes: SizeBand(low: 1_000_000, likely: 2_000_000, high: 4_000_000),
                    warnings: [],
                    dropped: [DroppedItem(what: "track 2", reason: "no place for it")]))
        }
        defer { daemon.stop() }
        #expect(rig.ask("export", "in.mov", "--start", "1", "--end", "2", "--dry-run") == 0, "\(rig.err)")
        let params: SubmitParams = try #require(daemon.calls(.jobPlan).first).decode()
        #expect(params.start == .decimal(Time(1, 1)) && params.end == .decimal(Time(2, 1)))
        #expect(rig.out.hasPrefix("would write /in-trim.m4v\n"))
        for words in ["copied but for its ends", "25 frames", "2.00 MB", "track 2: no place for it"] {
            #expect(rig.out.contains(words), "\(words) in \(rig.out)")
        }
        #expect(rig.ask("export", "in.mov", "--dry-run", "--json") == 0)
        #expect(try rig.lastJSON()["estimatedBytes"]?["likely"] == 2_000_000)
        #expect(rig.run(["export", "in.mov", "--dry-run", "--detach"]) == 2)
    }

    @Test func metadataAndChaptersAreSubmittedAsAsked() throws {
        let rig = try Rig()
        let daemon = try daemon(rig.socket)
        defer { daemon.stop() }
        #expect(
            rig.ask(
                "export", "in.mov", "--metadata", "title=A = B", "--metadata=genre=", "--artwork",
                "a/cover.jpg",
                "--for-sharing", "--keep-dates", "--advance-date", "--chapter-range", "2..4", "--chapter",
                "1:10=Opening",
                "--chapter", "250f=The end") == 0)
        let params: SubmitParams = try #require(daemon.calls(.jobSubmit).first).decode()
        #expect(
            params.metadata
                == MetadataRequest(
                    items: ["title": "A = B", "genre": ""], artwork: rig.folder + "/a/cover.jpg",
                    policy: .sharing, advancesDate: true, keepsDates: true))
        #expect(
            params.chapters
                == ChapterRequest(
                    marks: [
                        ChapterMark(time: .decimal(Time(70, 1)), title: "Opening"),
                        ChapterMark(time: .frame(250), title: "The end"),
                    ], first: 2, last: 4))
        for words in [
            ["--metadata", "title"], ["--metadata", "titel=x"], ["--metadata", "date=soon"],
            ["--metadata", "creation_time=2026"], ["--metadata", "date=2026-02-30"],
            ["--chapter", "x"],
            ["--chapter-range", "4..2"], ["--chapter-range", "2", "--start", "1"],
            ["--for-sharing", "--strip-metadata"], ["--keep-dates", "--strip-metadata"],
        ] {
            #expect(rig.run(["export", "in.mov", "--socket", rig.socket] + words) == 2, "\(words)")
        }
    }

    /// Neither a file nor a daemon is needed for it.
    @Test func theKeysOfMetadataAreListed() throws {
        let rig = try Rig()
        for words in [["--metadata", "help"], ["in.mov", "--metadata=help"]] {
            #expect(rig.run(["export"] + words) == 0)
            for key in MetadataKey.all { #expect(rig.out.contains("\n\(key.name) "), "\(key.name)") }
            #expect(rig.out.contains("2026-01-31T12:00:00"))
            #expect(rig.err.isEmpty)
        }
        #expect(rig.run(["export", "--help"]) == 0)
        #expect(rig.out.contains("help lists the keys"))
    }

    @Test func underJSONTheLastLineIsTheJob() throws {
        let rig = try Rig()
        let daemon = try daemon(rig.socket)
        defer { daemon.stop() }
        #expect(rig.ask("export", "in.mov", "--progress", "json") == 0)
        #expect(rig.lines.count == 4)
        #expect(try rig.lastJSON()["status"] == "completed")
        #expect(rig.err.isEmpty)
    }

    @Test func theBarIsGoneAtTheEnd() throws {
        let rig = try Rig()
        rig.isTerminal = true
        let daemon = try daemon(rig.socket)
        defer { daemon.stop() }
        #expect(rig.ask("export", "in.mov") == 0)
        #expect(rig.err.contains(" 75 %"))
        #expect(rig.err.hasSuffix("\r\u{1B}[K"))
    }

    @Test(arguments: [
        ErrorCode.decodeFailed, .presetNotValid, .fileAlreadyExists, .contentIsProtected, .invalidTime,
    ])
    func aFailedJob(code: ErrorCode) throws {
        let rig = try Rig()
        var job = JobReport.sample(1, .failed)
        job.error = MediaError(code, "it went wrong", track: 3)
        let daemon = try daemon(rig.socket, ending: job)
        defer { daemon.stop() }
        #expect(rig.ask("export", "in.mov", "--json") == code.exitCode)
        #expect(try rig.lastJSON()["error"]?["code"] == .string(code.rawValue))
        #expect(rig.err.hasSuffix("trimctl: it went wrong (track 3)\n"))
    }

    @Test func aRefusedRequest() throws {
        let rig = try Rig()
        let daemon = try FakeDaemon(rig.socket) { _, _, _ in
            throw RemoteError(
                code: "fileNotFound", "/in.mov does not exist", details: ["remedy": "look again"])
        }
        defer { daemon.stop() }
        #expect(rig.ask("export", "in.mov", "--json") == 1)
        #expect(rig.err == "trimctl: /in.mov does not exist; look again\n")
        #expect(try rig.lastJSON()["error"]?["code"] == "fileNotFound")
    }

    @Test func detached() throws {
        let rig = try Rig()
        let daemon = try daemon(rig.socket)
        defer { daemon.stop() }
        #expect(rig.ask("export", "in.mov", "--detach") == 0)
        #expect(rig.out == "1\n")
        #expect(daemon.calls(.jobWatch).isEmpty)
    }

    @Test func ownPresetsAreSentWhole() throws {
        let rig = try Rig()
        let folder = rig.folder + "/.config/trimd/presets"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let text =
            #"{"version":1,"id":"mine","name":"Mine","fileTypes":["m4a"],"audio":{"codec":"aac","encoder":"aac","maxChannels":1,"maxSampleRate":48000}}"#
        try text.write(toFile: folder + "/mine.json", atomically: true, encoding: .utf8)
        try "{".write(toFile: folder + "/broken.json", atomically: true, encoding: .utf8)
        try text.write(toFile: rig.folder + "/other.json", atomically: true, encoding: .utf8)
        let daemon = try daemon(rig.socket)
        defer { daemon.stop() }
        #expect(rig.ask("export", "in.mov", "--preset", "mine") == 0)
        #expect(rig.ask("export", "in.mov", "--preset-file", "other.json") == 0)
        for call in daemon.calls(.jobSubmit) { #expect(call["preset"]?["id"] == "mine") }
        #expect(rig.ask("export", "in.mov", "--preset", "broken") == 2)
        #expect(rig.err.contains("broken.json"))
        #expect(rig.ask("export", "in.mov", "--preset-file", "none.json") == 2)
        #expect(daemon.calls(.jobSubmit).count == 2)
    }

    @Test func ownPresetsExtendTheDaemons() throws {
        let rig = try Rig()
        let folder = rig.folder + "/.config/trimd/presets"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try #"{"extends":"base","audio":{"bitRate":64000}}"#.write(
            toFile: folder + "/mine.json", atomically: true, encoding: .utf8)
        let base = try PresetCatalogue.preset(
            json: Data(
                #"{"version":1,"id":"base","name":"B","fileTypes":["m4a"],"audio":{"codec":"aac","encoder":"aac","maxChannels":1,"maxSampleRate":44100}}"#
                    .utf8))
        let daemon = try FakeDaemon(rig.socket) { _, method, _ in
            switch method {
            case .jobSubmit: return try json(JobReport.sample())
            case .presetList: return try json(PresetListResult(presets: [base], problems: []))
            default: throw RemoteError.notScripted(method.rawValue)
            }
        }
        defer { daemon.stop() }
        #expect(rig.ask("export", "in.mov", "--preset", "mine", "--detach") == 0)
        let sent = try #require(daemon.calls(.jobSubmit).first?["preset"])
        #expect(sent["id"] == "mine")
        #expect(sent["audio"]?["bitRate"] == 64_000)
        #expect(sent["audio"]?["maxSampleRate"] == 44_100)
    }

    @Test func choicesBeyondThePresetAreSent() throws {
        let rig = try Rig()
        let daemon = try daemon(rig.socket)
        defer { daemon.stop() }
        #expect(
            rig.ask(
                "export", "in.mov", "--detach", "--background", "#102030", "--fps", "30000/1001", "--hdr",
                "refuse",
                "--video", "0", "--audio", "eng", "--subtitles", "forced,10", "--loudness=-16",
                "--limit-size",
                "25M", "--one-pass", "--only-if-smaller", "--optimize", "--reproducible")
                == 0)
        let options = try #require(daemon.calls(.jobSubmit).first?["options"])
        #expect(options["limitSize"] == 25_000_000)
        #expect(options["video"] == "0")
        #expect(options["audio"] == "eng")
        #expect(options["subtitles"] == "forced,10")
        #expect(options["twoPass"] == false)
        #expect(rig.ask("export", "in.mov", "--detach", "--two-pass") == 0)
        #expect(daemon.calls(.jobSubmit).last?["options"]?["twoPass"] == true)
        #expect(rig.run(["export", "in.mov", "--two-pass", "--one-pass"]) == 2)
        #expect(options["frameRate"] == "30000/1001")
        #expect(options["loudness"] == -16)
        #expect(options["optimize"] == true)
        #expect(options["reproducible"] == true)
        for wrong in [
            ["--fps", "fast"], ["--background", "blue"], ["--loudness", "loud"], ["--limit-size", "9"],
        ] {
            #expect(rig.run(["export", "in.mov"] + wrong) == 2)
            #expect(rig.err.contains(wrong[0]))
        }
    }
}
