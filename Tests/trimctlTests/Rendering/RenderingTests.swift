// Numbers, bars and tables as people see them.
import Media
import MediaTime
import Testing
import Wire

@testable import trimctl

@Suite struct RenderingTests {
    private func state(_ fraction: Double, remaining: Double? = 12.4, speed: Double? = 2.1) -> ProgressState {
        ProgressState(JobProgressSample.make(fraction, speed: speed, remaining: remaining))
    }

    @Test(arguments: 1...200) func theBarNeverExceedsTheWidth(width: Int) {
        for fraction in [0, 0.004, 0.42, 0.999, 1] {
            for (remaining, speed) in [(12.4, 2.1), (nil, nil), (360_000.0, 1234.5)] as [(Double?, Double?)] {
                let line = ProgressLine(isUnicode: true, isColored: false)
                let text = line.bar(state(fraction, remaining: remaining, speed: speed), width: width)
                #expect(text.count <= width, "\(text)")
                if width >= 20 { #expect(text.contains("%")) }
            }
        }
        for status in [JobStatus.waiting, .held] {
            let text = ProgressLine(isUnicode: false, isColored: false).bar(
                ProgressState(.sample(1, status)), width: width)
            #expect(text.count <= width)
        }
    }

    @Test func theBarOnAnOrdinaryTerminal() {
        let line = ProgressLine(isUnicode: false, isColored: false)
        #expect(
            line.bar(state(0.42), width: 79)
                == "[##############---------------------]  42 %  exporting   2.1x  13 s left")
        let colored = ProgressLine(isUnicode: true, isColored: true).bar(state(0.5), width: 20)
        #expect(colored == "[\u{1B}[32m██████\u{1B}[0m░░░░░░]  50 %")
        #expect(line.bar(state(0.5), width: 37) == "[#####------]  50 %  13 s left")
    }

    /// Whatever is known of the speed and the time left, also a time that grows from seconds to hours.
    @Test(arguments: 1...120) func theBarKeepsItsWidth(width: Int) {
        let line = ProgressLine(isUnicode: false, isColored: false)
        var widths: Set<Int> = []
        for remaining in [nil, 0, 3, 59, 61, 3599, 7200, 86_399, 360_000] as [Double?] {
            for speed in [nil, 0.01, 2.1, 99, 1234] as [Double?] {
                let text = line.bar(state(0.5, remaining: remaining, speed: speed), width: width)
                widths.insert(
                    text.firstIndex(of: "]").map { text.distance(from: text.startIndex, to: $0) } ?? 0)
            }
        }
        #expect(widths.count == 1, "\(widths)")
    }

    @Test func percentIsMonotoneAndSays100OfOneAlone() {
        var last = 0
        for step in 0...10_000 {
            let percent = Units.percent(Double(step) / 10_000)
            #expect(percent >= last)
            last = percent
        }
        #expect(Units.percent(0.99999) == 99)
        #expect(Units.percent(1) == 100)
        #expect(Units.percent(.nan) == 0)
        #expect(Units.percent(-1) == 0)
        #expect(Units.percent(7) == 100)
    }

    @Test(
        arguments: [
            (0, "0.00 s"), (0.421, "0.42 s"), (1, "1.0 s"), (9.94, "9.9 s"), (9.96, "10 s"), (59.4, "59 s"),
            (59.6, "1 min 00 s"),
            (65, "1 min 05 s"), (3599.9, "1 h 00 min"), (7500, "2 h 05 min"), (273_600, "3 d 04 h"),
            (-1, "?"),
            (.nan, "?"), (.infinity, "?"), (1e300, "?"),
        ] as [(Double, String)]) func durations(seconds: Double, text: String)
    {
        #expect(Units.duration(seconds) == text)
    }

    @Test(
        arguments: [(0, "0 s"), (0.2, "1 s"), (11.2, "12 s"), (64.1, "1 min 05 s"), (-3, "0 s"), (.nan, "?")]
            as [(Double, String)])
    func remaining(seconds: Double, text: String) {
        #expect(Units.remaining(seconds) == text)
    }

    @Test(
        arguments: [
            (0, "0 bytes"), (999, "999 bytes"), (12_345, "12.3 kB"), (100_000, "0.10 MB"),
            (1_234_567, "1.23 MB"),
            (45_678_901, "45.7 MB"), (1_234_567_890, "1235 MB"), (84_568_000_000, "84.6 GB"),
        ] as [(Int64, String)]) func sizes(bytes: Int64, text: String)
    {
        #expect(Units.size(bytes) == text)
    }

    @Test func fixedNumbers() {
        #expect(Units.fixed(0.005, 2) == "0.01")
        #expect(Units.fixed(-1.25, 1) == "-1.3")
        #expect(Units.fixed(2, 0) == "2")
        #expect(Units.fixed(.nan, 1) == "?")
        #expect(Units.fixed(1e200, 1).contains("e"))
        #expect(Units.speed(0.853) == "0.85x")
        #expect(Units.speed(21.4) == "21x")
        #expect(Units.bitRate(160_000) == "160 kbit/s")
        #expect(Units.bitRate(4_500_000) == "4.5 Mbit/s")
        #expect(Units.rate(Ratio(30000, 1001) ?? Ratio(1)) == "29.97 (30000/1001)")
    }

    /// Fractions are for the JSON.
    @Test func clocksHaveDecimalsOnly() {
        #expect(Units.clock(Time(21, 2)) == "00:00:10.500")
        #expect(Units.clock(Time(1001, 30000)) == "00:00:00.033367")
        #expect(
            Units.span(TimeSpan(start: Time(10, 1), end: Time(70, 1)))
                == "00:00:10.000 to 00:01:10.000 (60 s)")
    }

    @Test func ages() {
        let now = Moment(milliseconds: 10_000_000_000)
        for (seconds, text) in [
            (-5, "just now"), (2, "just now"), (30, "30 s ago"), (90, "1 min ago"), (7200, "2 h ago"),
            (200_000, "2 d ago"),
        ] {
            #expect(
                Units.age(Moment(milliseconds: now.milliseconds - Int64(seconds) * 1000), now: now) == text)
        }
    }

    @Test func columnsAreAligned() {
        var table = Columns([("ID", .right), ("NAME", .left), ("MB", .right), ("PATH", .left)])
        table.add(["1", "a", "12.3", "/a\nb"])
        table.add(["100", "longer", "1.0", "/c"])
        #expect(
            table.text(within: nil)
                == " ID  NAME      MB  PATH\n  1  a       12.3  /a / b\n100  longer   1.0  /c\n")
    }

    @Test func strangersDoNotSteerTheTerminal() {
        #expect("a\u{1B}[2Jb\u{9B}c\u{202E}d\te\n".printable == "a\u{FFFD}[2Jb\u{FFFD}c\u{FFFD}d\te\n")
        #expect("träume 映画 🎬".printable == "träume 映画 🎬")
    }

    @Test func aFinishedJob() {
        var job = JobReport.sample(7, .completed, progress: 1)
        let span = TimeSpan(start: Time(10, 1), end: Time(70, 1))
        job.requested = TimeSpan(start: Time(10, 1), end: Time(80, 1))
        job.actual = span
        var video = TrackResult(index: 0, source: 0, kind: .video, codec: "h264", way: .encode, actual: span)
        video.width = 1280
        video.height = 720
        var audio = TrackResult(index: 1, source: 1, kind: .audio, codec: "aac", way: .encode, actual: span)
        audio.sampleRate = 48000
        audio.channels = 2
        job.tracks = [video, audio]
        job.bytes = 12_345_678
        job.started = job.created
        job.ended = Moment(milliseconds: job.created.milliseconds + 20_000)
        job.warnings = [Warning(.endClamped, "the end was clamped")]
        job.dropped = [DroppedItem(what: "track 2 (subtitle)", reason: "m4v720 takes none", track: 2)]
        #expect(
            JobText(now: .now).result(job) == """
                /in-trim.m4v
                  range     00:00:10.000 to 00:01:10.000 (60 s)
                  asked     00:00:10.000 to 00:01:20.000 (70 s)
                  tracks    video h264, 1280x720, encoded
                            audio aac, 48000 Hz, stereo, encoded
                  size      12.3 MB
                  took      20 s (3.0x)
                  warning   the end was clamped
                  dropped   track 2 (subtitle): m4v720 takes none

                """)
        let table = JobText(now: job.created).table([job, .sample(12, .exporting, progress: 0.425)])
        #expect(
            table.contains(" 7  completed  100 %  m4v720  1 min 00 s  12.3   20 s  just now  /in-trim.m4v\n"),
            "\(table)")
    }

    /// A remark about several tracks is one line, though another stands in between.
    @Test func warningsThatAreTheSameAreOneLine() {
        let uncut = "data is copied in whole samples"
        let warnings = [
            Warning(.dataUncut, uncut, track: 2), Warning(.snapped, "the start moved", track: 0),
            Warning(.dataUncut, uncut, track: 3), Warning(.dataUncut, uncut, track: 3),
            Warning(.snapped, "the start moved", time: Time(1, 1), track: 0),
        ]
        #expect(
            WarningText.lines(warnings) == [
                uncut + " (tracks 2, 3)", "the start moved", "at 00:00:01.000: the start moved",
            ])
    }

    @Test func results() {
        let good = PresetCompatibility(
            id: "m4v720", valid: true, fileTypes: ["m4v"], render: .encode, reasons: [],
            warnings: [Reason(.toneMapped, "HDR is tone-mapped")])
        let bad = PresetCompatibility(
            id: "m4a", valid: false, fileTypes: [], render: nil,
            reasons: [Reason(.noAudioTrack, "the file has no audio", remedy: "choose m4v720")], warnings: []
        )
        let report = CompatibilityReport(canTrim: true, reason: nil, presets: [good, bad])
        #expect(
            CheckText(isUnicode: true).page(report, of: "/a.mov") == """
                /a.mov: can be trimmed
                  ✓  m4v720  .m4v (encode)
                             note: HDR is tone-mapped
                  ✗  m4a     the file has no audio; choose m4v720

                """)
        #expect(CheckText(isUnicode: false).page(report, of: "/a.mov").contains("  no   m4a     the file"))
        #expect(CheckCommand.exitCode(report, isOne: false) == 0)
        #expect(
            CheckCommand.exitCode(
                CompatibilityReport(canTrim: true, reason: nil, presets: [bad]), isOne: true) == 3)
        #expect(
            CheckCommand.exitCode(
                CompatibilityReport(canTrim: true, reason: nil, presets: [good]), isOne: true) == 0)
        for isOne in [true, false] {
            let locked = CompatibilityReport(
                canTrim: false, reason: Reason(.contentIsProtected, "encrypted"), presets: [bad])
            #expect(CheckCommand.exitCode(locked, isOne: isOne) == 7)
        }
        let empty = CompatibilityReport(
            canTrim: false, reason: Reason(.noSourceTrack, "nothing"), presets: [bad])
        #expect(CheckCommand.exitCode(empty, isOne: true) == 3)
        #expect(CheckCommand.exitCode(empty, isOne: false) == 1)
    }

    @Test func anAsset() throws {
        let timebase = try #require(Timebase(numerator: 1, denominator: 30000))
        var track = Track(index: 0, kind: .video, codec: "h264", timebase: timebase)
        track.profile = "High"
        track.level = "3.1"
        track.codecTag = "avc1"
        track.language = "eng"
        track.dispositions = ["default"]
        track.isDecodable = true
        var video = VideoFormat(width: 1440, height: 1080, sampleAspect: Ratio(4, 3) ?? Ratio(1))
        video.rotation = 90
        video.frameRate = Ratio(30000, 1001)
        video.isVariable = true
        video.pixelFormat = "yuv420p10le"
        video.bitDepth = 10
        video.color.primaries = "bt2020"
        video.color.transfer = "smpte2084"
        video.color.matrix = "bt2020nc"
        video.color.contentLight = [1000, 400]
        track.video = video
        track.edits = [Edit(duration: Time(5, 1), mediaTime: Time(1001, 30000), rate: Ratio(1))]
        let asset = Asset(
            container: Container(format: "mov,mp4", name: "QuickTime / MOV"), start: .zero,
            duration: Time(61, 2),
            bytes: 5_000_000, tracks: [track],
            chapters: [Chapter(start: .zero, end: Time(10, 1), title: "One")],
            metadata: ["comment": "two\nlines"],
            faults: [Fault(.openGOP, "open GOP", track: 0)])
        #expect(
            AssetText.page(asset, of: "/a.mov") == """
                /a.mov
                  container  QuickTime / MOV (mov,mp4)
                  duration   00:00:30.500
                  start      0
                  size       5.00 MB
                  track 0    video h264 High 3.1 (avc1), 1440x1080, pixels 4:3, rotation 90 degrees, \
                29.97 (30000/1001) frames/s, variable, yuv420p10le 10 bit, bt2020/smpte2084/bt2020nc, HDR10, \
                light level 1000/400 cd/m2
                             eng, default, time base 1/30000
                             edit list: from 0.033367 s for 5 s
                  chapters   00:00:00.000 to 00:00:10.000  One
                  metadata   comment: two / lines
                  faults     track 0: open GOP [openGOP]

                """)
    }

    @Test func aDoctorsFindings() {
        let result = DoctorResult([
            DoctorResult.Check("daemon", ok: true, "it answers"),
            DoctorResult.Check("sandbox", ok: false, "no Landlock", remedy: "allow it"),
        ])
        #expect(
            DoctorCommand.page(result, isUnicode: true) == """
                  ✓ daemon   it answers
                  ✗ sandbox  no Landlock
                               → allow it
                1 of 2 checks failed

                """)
        let own = HelloResult(version: trimdVersion, pid: 1, user: 2)
        #expect(DoctorCommand.way(own, "/s").ok)
        #expect(!DoctorCommand.way(HelloResult(version: "0", pid: 1, user: 2), "/s").ok)
    }

    @Test(
        arguments: [
            (nil, "sandbox   required\n"),
            (
                WorkerSeal(landlock: 7, seccomp: true, missing: []),
                "sandbox   required: Landlock 7, seccomp\n"
            ),
            (
                WorkerSeal(landlock: nil, seccomp: true, missing: ["it is off"]),
                "sandbox   required: NO JOB CAN RUN (no Landlock, seccomp): it is off\n"
            ),
        ] as [(WorkerSeal?, String)]) func howWorkersAreSealed(_ seal: WorkerSeal?, _ line: String)
    {
        var status = StatusResult(
            version: "1", pid: 1, user: 2, since: .now, workers: 1, jobs: [:], state: "/s", freeBytes: 1,
            socket: "/t")
        status.sandbox = SandboxStatus(policy: "required", seal)
        #expect(StatusCommand.page(status, now: .now).contains(line))
    }
}
