// Chapters of real files, cut, set and converted; checked with ffprobe.
import FoundationEssentials
import Media
import MediaTime
import Testing
import Text

@testable import Export

struct ChapterFilmTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// A film of ten seconds with three chapters; the middle one has no title where the container needs none.
    private func film(_ type: String) throws -> String {
        let list = try Carried.ffmetadata(
            chapters: [(0, 2000, "A"), (2000, 6000, type == "mkv" ? nil : "B"), (6000, 10_000, "C")],
            in: scratch)
        return try Film(
            name: "", type: type,
            words: Film.video(seconds: "10") + Film.noise(48_000, seconds: "10") + ["-i", list]
                + Film.h264() + ["-map", "0:v", "-map", "1:a", "-map_chapters", "2"]
                // With audio that has priming, a Matroska file of later versions of ffmpeg begins before 0.
                + ["-c:a", type == "mkv" ? "pcm_s16le" : "aac"]
        ).make(in: scratch)
    }

    private func spans(_ file: String) throws -> [[String?]] {
        try Carried.of(file).chapters.map {
            [$0.start_time, $0.end_time, $0.title.flatMap { $0.isEmpty ? nil : $0 }]
        }
    }

    @Test(arguments: [("mkv", "mov"), ("mp4", "mkv"), ("mov", "m4v"), ("m4v", "mp4")])
    func chaptersAreCutToTheRangeInEveryContainer(from: String, to: String) throws {
        let made = try export(
            film(from), "passthrough", start: Time(3, 1), end: Time(8, 1), in: scratch, type: to
        ) {
            $0.render = .auto
            $0.output.name = "out.\(to)"
        }
        #expect(
            try spans(made.file) == [
                ["0.000000", "3.000000", from == "mkv" ? nil : "B (part)"],
                ["3.000000", "5.000000", "C (part)"],
            ])
        let output = try Carried.of(made.file)
        // A list of chapters is a track in movies; it makes them no longer.
        #expect(
            try #require(Double(output.format.duration ?? ""))
                <= (from == "mkv" || to == "mkv" ? 5.022 : 5.000001))
        #expect(!made.result.dropped.contains { $0.what.contains("data") })
        try verify(made, in: scratch)
    }

    /// A film, or an audiobook, with four chapters of three seconds, each of which has a picture of a colour of its own.
    private func pictured(_ type: String) throws -> String {
        let list = try Carried.ffmetadata(
            chapters: (0..<4).map { ($0 * 3000, $0 * 3000 + 3000, "\($0)") }, in: scratch)
        let video = type == "mov" ? Film.video(seconds: "12") : []
        let (sound, picture) = (video.isEmpty ? 0 : 1, video.isEmpty ? 1 : 2)
        let plain = try Film(
            name: "", type: "mov",
            words: video + Film.noise(44_100, seconds: "12") + [
                "-f", "lavfi", "-i", "color=c=black:s=64x64:r=1/3:d=12,geq=lum='40+50*N':cb=128:cr=128",
                "-i", list, "-map_chapters", "\(picture + 1)", "-map_metadata", "-1",
            ] + (video.isEmpty ? [] : ["-map", "0:v"] + Film.h264())
                + [
                    "-map", "\(sound):a", "-map", "\(picture):v", "-c:a", "aac", "-c:v:\(sound)", "mjpeg",
                    "-pix_fmt:v:\(sound)", "yuvj420p", "-bf:v:\(sound)", "0",
                ]
        ).make(in: scratch)
        var movie = try EditedMovie(plain)
        try movie.nameChapters(inTrack: picture)
        let file = scratch.name(type)
        try movie.write(file)
        return file
    }

    /// Time and brightness of each picture of the chapters, as ffmpeg finds them in the track that chapters are shown from.
    private func pictures(_ file: String) throws -> [[Int]] {
        struct Answer: Decodable {
            struct Stream: Decodable {
                var index: Int
                var disposition: [String: Int]
            }
            struct Packet: Decodable { var pts_time: String? }
            var streams: [Stream]
            var packets: [Packet]
        }
        let all =
            try Tool.ffprobe(["-show_streams", file], as: [String: [Answer.Stream]].self)["streams"] ?? []
        guard let track = all.first(where: { $0.disposition["timed_thumbnails"] == 1 }) else { return [] }
        let found = try Tool.ffprobe(
            ["-show_streams", "-show_packets", "-select_streams", "\(track.index)", file], as: Answer.self)
        let times = Set(found.packets.compactMap { $0.pts_time.flatMap(Double.init) }).sorted()
        // The first comes as a cover, too.
        let bytes = try Tool.ffmpeg([
            "-i", file, "-map", "0:\(track.index)", "-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt",
            "gray", "-",
        ])
        let frames = stride(from: 0, to: bytes.count - 4095, by: 4096).map { Int(bytes[$0 + 2080]) }
        return zip(times, frames.suffix(times.count)).map {
            [Int(($0 * 1000).rounded()), ($1 + 5) / 10 * 10]
        }
    }

    @Test(arguments: ["m4a", "mov"]) func picturesOfChaptersStayWithThem(_ type: String) throws {
        let source = try pictured(type)
        let whole = try pictures(source)
        #expect(whole.map { $0[0] } == [0, 3000, 6000, 9000] && Set(whole.map { $0[1] }).count == 4)
        let made = try export(
            source, "passthrough", start: Time(4, 1), end: Time(10, 1), in: scratch, type: type
        ) {
            $0.render = .auto
        }
        let wanted = [[0, whole[1][1]], [2000, whole[2][1]], [5000, whole[3][1]]]
        #expect(try pictures(made.file) == wanted)
        #expect(made.result.dropped.isEmpty, "\(made.result.dropped)")
        try verify(made, in: scratch)
        // Of two parts, each keeps its own.
        let keep = [try RangeSpelling.parse("1..2"), try RangeSpelling.parse("8..10")]
        let joined = try export(source, "passthrough", in: scratch, type: type) {
            $0.render = .auto
            $0.range.keep = keep
        }
        #expect(try pictures(joined.file) == [[0, whole[0][1]], [1000, whole[2][1]], [2000, whole[3][1]]])
        // At twice the speed, in half the time; with the index in front, too.
        let fast = try export(
            source, type == "mov" ? "m4v480" : "m4a", start: Time(4, 1), end: Time(10, 1), in: scratch
        ) {
            var options = $0.options ?? ExportOptions()
            options.speed = Ratio(2)
            options.optimize = true
            $0.options = options
        }
        #expect(try pictures(fast.file) == wanted.map { [$0[0] / 2, $0[1]] })
        // Other containers have none, also those that are movies: it is said, and none becomes the cover.
        for name in type == "mov" ? ["out.mkv", "out.3gp"] : ["out.mka"] {
            let other = try export(
                source, "passthrough", start: Time(4, 1), end: Time(10, 1), in: scratch,
                type: String(name.suffix(3))
            ) { ($0.output.name, $0.render) = (name, .auto) }
            #expect(other.result.dropped.contains { $0.reason.contains("pictures of chapters") }, "\(name)")
            #expect(try pictures(other.file).isEmpty)
        }
    }

    @Test func chaptersCanBeTheRange() throws {
        let made = try export(film("mp4"), "m4v720", in: scratch) {
            $0.chapters = ChapterRequest(first: 2, last: 2)
        }
        #expect(made.result.requested == TimeSpan(start: Time(2, 1), end: Time(6, 1)))
        #expect(try spans(made.file) == [["0.000000", "4.000000", "B"]])
    }

    @Test func chaptersCanBeSet() throws {
        let made = try export(film("mp4"), "m4v720", start: Time(1, 1), end: Time(4, 1), in: scratch) {
            $0.chapters = ChapterRequest(marks: [
                ChapterMark(time: .frame(75), title: "Späte"),
                ChapterMark(time: .time(Time(1, 1)), title: "One"),
            ])
        }
        #expect(
            try spans(made.file) == [["0.000000", "2.000000", "One"], ["2.000000", "3.000000", "Späte"]])
    }

    @Test func chaptersThatCannotBeAreErrors() throws {
        let input = try film("mp4")
        func mark(_ seconds: Int64, _ title: String) -> ChapterMark {
            ChapterMark(time: .time(Time(seconds, 1)), title: title)
        }
        for (request, words) in [
            (ChapterRequest(first: 2, last: 4), ["chapter 4", "has 3"]),
            (ChapterRequest(marks: [mark(20, "X")]), ["'X'", "outside the range"]),
            (ChapterRequest(marks: [mark(2, "X"), mark(2, "Y")]), ["two chapters", "'X'", "'Y'"]),
        ] {
            let error = try refusal(input, in: scratch) { $0.chapters = request }
            #expect(error.code == .invalidTime)
            for word in words { #expect(error.message.contains(word), "\(error)") }
        }
        let bare = try Film(name: "", type: "mp4", words: Film.video(seconds: "1") + Film.h264()).make(
            in: scratch)
        let error = try refusal(bare, in: scratch) { $0.chapters = ChapterRequest(first: 1, last: 1) }
        #expect(error.message.contains("no chapters"))
    }

    @Test func listsThatFitNoAssetAreNotRead() throws {
        for json in [
            #"{"first":0}"#, #"{"last":2}"#, #"{"first":3,"last":2}"#,
            #"{"marks":[{"time":"1","title":""}]}"#,
            #"{"chapters":1}"#,
        ] {
            #expect(throws: (any Error).self, "\(json)") {
                try JSONValue(parsing: Array(json.utf8), as: .message).value(of: ChapterRequest.self)
            }
        }
        #expect(ChapterRequest.parse(range: "2..4") == ChapterRequest(first: 2, last: 4))
        #expect(ChapterRequest.parse(range: "2..") == ChapterRequest(first: 2))
        #expect(ChapterRequest.parse(range: "3") == ChapterRequest(first: 3, last: 3))
        for text in ["", "0", "4..2", "a..b", "..3", "-1"] {
            #expect(ChapterRequest.parse(range: text) == nil)
        }
    }

    /// Chapters are kept in each file type of audio that can hold them, and named where it cannot.
    @Test(arguments: ["flac", "wav", "caf", "mp3", "opus", "ogg", "m4a", "mka", "aiff", "aac"])
    func chaptersOfAudioAreKeptOrNamed(_ type: String) throws {
        let list = try Carried.ffmetadata(chapters: [(0, 2000, "A"), (2000, 4000, "B")], in: scratch)
        let codecs = [
            "flac": "flac", "wav": "pcm_s16le", "caf": "pcm_s16le", "aiff": "pcm_s16be", "mp3": "libmp3lame",
            "opus": "libopus", "ogg": "libvorbis",
        ]
        let input = try Film(
            name: "", type: "mka",
            words: Film.noise(48_000, seconds: "4") + ["-i", list, "-map", "0:a", "-map_chapters", "1"]
                + ["-c:a", codecs[type] ?? "aac"]
        ).make(in: scratch)
        let made = try export(input, "passthrough", start: Time(1, 1), in: scratch, type: type) {
            ($0.render, $0.output.name) = (.auto, "out.\(type)")
        }
        let kept = try Carried.of(made.file).chapters.map(\.title)
        let isNamed = made.result.dropped.contains { $0.what == "2 chapters" }
        #expect(
            isNamed == kept.isEmpty && isNamed == ["wav", "caf"].contains(type),
            "\(kept) \(made.result.dropped)")
        if !isNamed { #expect(kept == ["A (part)", "B"]) }
        try verify(made, in: scratch)
    }
}
