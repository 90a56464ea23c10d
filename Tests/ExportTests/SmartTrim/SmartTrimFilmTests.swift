// Films whose middle is copied: every frame at its exact time, the copied ones bit by bit, and the encoded ones equal to their
// source frame in content.
import Media
import MediaTime
import Testing

@Suite(.timeLimit(.minutes(10))) struct SmartTrimFilmTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    struct Case: CustomTestStringConvertible, Sendable {
        var film: Film
        var output: String
        var scheme: JoinScheme?
        /// Frames encoded at most, of a range with a whole group in it.
        var encoded: Int64
        var testDescription: String { "\(film.name) to \(output)" }
    }

    private static let audio = Film.noise(48_000, seconds: "4")
    private static let video = Film.video(size: "96x72", seconds: "4")
    private static func h264(
        _ name: String, _ type: String, _ output: String, _ more: String = "", scheme: JoinScheme?
    )
        -> Case
    {
        Case(
            film: Film(
                name: name, type: type,
                words: video + audio + Film.h264(more) + ["-c:a", "aac"]),
            output: output, scheme: scheme, encoded: 34)
    }

    private static func webm(
        _ name: String, _ type: String, _ output: String, _ words: [String], size: String = "96x72"
    ) -> Case {
        Case(
            film: Film(
                name: name, type: type,
                words: Film.video(size: size, seconds: "4") + audio + words + ["-g", "30", "-c:a", "libopus"]),
            output: output, scheme: nil, encoded: 34)
    }

    static let cases: [Case] = [
        h264("H.264", "mp4", "mp4", scheme: .match),
        h264("H.264 without B-frames", "mp4", "mov", "bframes=0", scheme: .match),
        h264("H.264 in a transport stream", "ts", "mp4", scheme: nil),
        h264("H.264 in mkv", "mkv", "mkv", scheme: nil),
        h264("H.264 to a transport stream", "mp4", "ts", scheme: nil),
        Case(
            film: Film(
                name: "HEVC", type: "mp4",
                words: video + audio + [
                    "-c:v", "libx265", "-preset", "ultrafast", "-x265-params",
                    "keyint=30:min-keyint=30:scenecut=0:open-gop=1:bframes=3:log-level=1", "-tag:v", "hvc1",
                    "-c:a",
                    "aac",
                ]), output: "mp4", scheme: .ids, encoded: 40),
        Case(
            film: Film(
                name: "MPEG-2", type: "ts",
                words: video + audio + [
                    "-c:v", "mpeg2video", "-b:v", "4M", "-bf", "2", "-g", "15", "-c:a", "mp2",
                ]), output: "ts", scheme: nil, encoded: 20),
        webm(
            "VP8", "webm", "mkv", ["-c:v", "libvpx", "-b:v", "1M", "-deadline", "realtime", "-cpu-used", "8"]),
        webm(
            "VP9", "webm", "webm",
            ["-c:v", "libvpx-vp9", "-crf", "30", "-b:v", "0", "-deadline", "realtime", "-cpu-used", "8"]),
        webm(
            "VP9 with non-shown frames", "webm", "mp4",
            ["-c:v", "libvpx-vp9", "-crf", "30", "-b:v", "0", "-cpu-used", "5"]),
        webm(
            "VP9 of 10 bits", "mkv", "mkv",
            [
                "-c:v", "libvpx-vp9", "-pix_fmt", "yuv420p10le", "-crf", "30", "-b:v", "0", "-deadline",
                "realtime", "-cpu-used", "8",
            ]),
        // In a smaller picture an encoded frame at this quality is too far from the source's.
        webm(
            "AV1", "mp4", "mp4", ["-c:v", "libsvtav1", "-preset", "10", "-crf", "35"], size: "160x120"),
        webm(
            "AV1 of 10 bits", "mkv", "webm",
            ["-c:v", "libsvtav1", "-preset", "10", "-crf", "35", "-pix_fmt", "yuv420p10le"],
            size: "160x120"),
        Case(
            film: Film(
                name: "intra frames", type: "mov",
                words: video + audio + [
                    "-c:v", "mjpeg", "-q:v", "3", "-c:a", "pcm_s16le",
                ]),
            output: "mov", scheme: nil, encoded: 0),
    ]

    /// Non-shown frames in packets of their own, with times of their own, do not count as frames of the film.
    @Test func nonShownFramesInPacketsOfTheirOwnAreNotCounted() throws {
        let (whole, parted, log) = (scratch.name("webm"), scratch.name("nut"), scratch.name("log"))
        for pass in ["1", "2"] {
            try Tool.ffmpeg(
                Film.video(seconds: "4") + [
                    "-c:v", "libvpx-vp9", "-crf", "30", "-b:v", "0", "-cpu-used", "4", "-auto-alt-ref", "1",
                    "-lag-in-frames", "16", "-g", "30", "-pass", pass, "-passlogfile", log, "-y", whole,
                ])
        }
        try Tool.ffmpeg(["-i", whole, "-c", "copy", "-bsf:v", "vp9_superframe_split", parted])
        let shown = try Truth(parted).frames().map(\.time)
        try #require(shown.count == 100)
        for (from, to) in [(17, 83), (1, 100), (30, 60)] {
            let made = try export(
                parted, "passthrough", start: shown[from], end: to < 100 ? shown[to] : nil, in: scratch,
                type: "mkv"
            ) { ($0.render, $0.output.name) = (.smart, "out.mkv") }
            #expect(made.result.tracks.first.map { $0.framesCopied + $0.framesEncoded } == Int64(to - from))
            #expect(made.result.tracks.first.map { $0.framesCopied > 0 } == true)
            #expect(try Truth(made.file).frames().count == to - from)
            try verify(made, in: scratch)
        }
    }

    /// FFmpeg's demuxer does not report the frame size of MPEG-4 in a movie.
    @Test func aMovieInMPEG4IsCopied() throws {
        let input = try Film(
            name: "", type: "mov",
            words: Film.video(seconds: "4") + ["-c:v", "mpeg4", "-q:v", "3", "-g", "15", "-bf", "0"]
        ).make(in: scratch)
        let shown = try Truth(input).frames().map(\.time)
        let made = try export(
            input, "passthrough", start: shown[30], end: shown[75], in: scratch, type: "mov"
        ) { $0.render = .auto }
        let video = try #require(made.result.tracks.first { $0.kind == .video })
        #expect((video.framesCopied, video.framesEncoded) == (45, 0))
        #expect(try Truth(made.file).frames().count == 45)
        try verify(made, in: scratch)
    }

    @Test(arguments: cases) func theRangeIsExact(_ film: Case) throws {
        let input = try film.film.make(in: scratch)
        let source = try Truth(input)
        // On frames of the film, whatever its container's first time is.
        let shown = try source.frames().map(\.time)
        let sums = try FrameSums.of(input)
        for (from, to) in [(17, 83), (30, 60), (41, 97)] {
            let (start, end) = (shown[from], shown[to])
            let made = try export(
                input, "passthrough", start: start, end: end, in: scratch, type: film.output
            ) {
                $0.render = .auto
                $0.output.name = "out.\(film.output)"
            }
            let video = try #require(made.result.tracks.first { $0.kind == .video })
            #expect(video.framesEncoded <= film.encoded)
            #expect(video.framesCopied + video.framesEncoded == Int64(to - from))
            #expect(video.framesCopied > 0)
            if video.framesEncoded > 0, let scheme = film.scheme { #expect(video.scheme == scheme) }
            let times = try Truth(made.file).frames().map(\.time)
            let tick = ["mkv", "webm"].contains(film.output) ? Time(1, 1000) : Time(1, 90_000)
            try #require(times.count == to - from)
            for (index, time) in times.enumerated() {
                let off = (time - times[0] - (shown[from + index] - start)).absoluteValue
                #expect(off <= tick, "frame \(index) is \(off) off")
            }
            #expect(try identical(sums, made.file, from: from, count: to - from) >= video.framesCopied)
            try verify(made, in: scratch)
        }
    }

    /// Key pictures of open groups carry a container's sync flag and a recovery point, and need what lies before them.
    @Test func openGroupsAreNotJoinedAtTheirRecoveryPoints() throws {
        let input = try Film(
            name: "", type: "mp4", words: Film.video(seconds: "4") + Film.h264("open-gop=1:bframes=3")
        ).make(in: scratch)
        let shown = try Truth(input).frames().map(\.time)
        let made = try export(
            input, "passthrough", start: shown[17], end: shown[83], in: scratch, type: "mp4"
        ) { $0.render = .auto }
        let video = try #require(made.result.tracks.first { $0.kind == .video })
        #expect((video.framesCopied, video.framesEncoded) == (0, 66))
        #expect(!made.result.warnings.contains { $0.code == .encodedInstead })
        #expect(try Truth(made.file).frames().count == 66)
        try verify(made, in: scratch)
    }

    /// How many frames decode to the very same pixels as their source frames.
    private func identical(_ source: [Substring], _ output: String, from: Int, count: Int) throws -> Int64 {
        Int64(zip(source.dropFirst(from).prefix(count), try FrameSums.of(output)).count { $0 == $1 })
    }

    @Test func aConformingFilmIsNotEncodedAgain() throws {
        let input = try Film(
            name: "", type: "mp4", words: Film.video(seconds: "4") + Film.h264()
        ).make(in: scratch)
        let made = try export(input, "m4v720", start: Time(3, 4), end: Time(3, 1), in: scratch) {
            $0.render = .auto
        }
        #expect(made.result.render == .smart)
        try verify(made, in: scratch)
        let encoded = try export(input, "m4v720", start: Time(3, 4), end: Time(3, 1), in: scratch)
        #expect(encoded.result.render == .encode)
    }

    /// Neither Matroska nor a transport stream stores the rotation.
    @Test(arguments: ["mkv", "ts"]) func rotatedVideoIsCopiedWhereTheTypeStoresRotation(_ type: String) throws
    {
        let lying = try Film(
            name: "", type: "mp4", words: Film.video(seconds: "4") + Film.h264()
        ).make(in: scratch)
        let input = try Film.turned(lying, by: 90, in: scratch)
        let error = try refusal(input, "passthrough", end: Time(3, 1), in: scratch) {
            ($0.render, $0.output.name) = (.smart, "out.\(type)")
        }
        #expect(error.code == .presetNotValid)
        #expect(error.description.contains("rotated for display"))
        let made = try export(input, "m4v720", end: Time(3, 1), in: scratch, type: type) {
            ($0.render, $0.output.name) = (.auto, "out.\(type)")
            $0.preset.fileTypes.append(type)
        }
        #expect(made.result.render == .encode)
        let video = try #require(try Truth(made.file).video)
        #expect((video.width, video.height) == (120, 160))
        let movie = try export(input, "passthrough", end: Time(3, 1), in: scratch, type: "mov") {
            ($0.render, $0.output.name) = (.smart, "out.mov")
        }
        #expect(movie.result.render == .smart)
    }

    /// The only audio is not left out of an export that asks for a render mode by name.
    @Test func audioThatATransportStreamCannotHoldIsNamed() throws {
        let input = try Film(
            name: "", type: "mkv",
            words: Film.video(seconds: "4") + Self.audio + Film.h264() + ["-c:a", "flac"]
        ).make(in: scratch)
        let error = try refusal(input, "passthrough", start: Time(1, 2), end: Time(3, 1), in: scratch) {
            ($0.render, $0.output.name) = (.smart, "out.ts")
        }
        #expect(error.code == .presetNotValid && error.description.contains("cannot hold flac"), "\(error)")
    }

    @Test func copyAloneWantsSyncSamples() throws {
        let input = try Film(
            name: "", type: "mp4", words: Film.video(seconds: "4") + Film.h264()
        ).make(in: scratch)
        let error = try refusal(input, "passthrough", start: Time(1, 1), end: Time(3, 1), in: scratch) {
            $0.render = .copy
            $0.noHidden = true
            $0.output.name = "out.mp4"
        }
        #expect(error.code == .operationNotSupported)
        let made = try export(
            input, "passthrough", start: Time(6, 5), end: Time(12, 5), in: scratch, type: "mp4"
        ) { $0.render = .copy }
        #expect(made.result.render == .copy)
    }
}
