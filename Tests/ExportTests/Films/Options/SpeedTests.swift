// Another playback speed: every time is divided by it exactly, audio has as many samples as that says and keeps its pitch and its
// place, and chapters and subtitles move with it.
import Check
import Foundation
import Media
import MediaTime
import Testing

struct SpeedTests {
    private struct Answer: Decodable {
        struct Packet: Decodable { var codec_type: String, pts: Int }
        struct Stream: Decodable {
            var codec_type: String, time_base: String, duration_ts: Int?, sample_rate: String?
            var isVideo: Bool { codec_type == "video" }
            var perSecond: Int { Int(time_base.split(separator: "/").last ?? "") ?? 1 }
        }
        struct Chapter: Decodable { var start_time: String, end_time: String }
        var packets: [Packet]?, streams: [Stream]?, chapters: [Chapter]?
    }
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func film(_ audio: [String] = Film.noise(48_000, seconds: "5"), _ type: String = "mp4") throws
        -> String
    {
        try Film(
            name: "", type: type,
            words: Film.video(seconds: "5") + audio + Film.h264() + ["-c:a", "aac", "-b:a", "192k"]
        ).make(in: scratch)
    }

    private func options(_ speed: Ratio, rate: Int? = 256_000) -> ExportOptions {
        var options = ExportOptions()
        (options.speed, options.audioBitRate) = (speed, rate)
        return options
    }

    private func made(
        _ input: String, _ speed: Ratio, _ range: RangeRequest, id: String = "passthrough",
        type: String = "mp4", rate: Int? = 256_000
    ) throws -> Made {
        let made = try export(input, id, in: scratch, type: type) {
            ($0.options, $0.range, $0.render) = (options(speed, rate: rate), range, .auto)
            $0.output.name = "o.\(type)"
        }
        try verify(made, in: scratch)
        return made
    }

    private func findings(
        _ input: String, _ made: Made, _ options: ExportOptions, _ range: RangeRequest
    ) throws -> [String] {
        try Comparison(
            try scratch.source(input), try scratch.source(made.file), range, options: options
        ).run(picture: nil).findings.map { "\($0.code): \($0.message)" }
    }

    private let range = RangeRequest(start: .time(Time(1, 2)), end: .time(Time(9, 2)))

    @Test(arguments: ["1/2", "3/4", "5/4", "4/3", "3/2", "2", "3", "4"])
    func timesAreDividedExactly(_ text: String) throws {
        let speed = try #require(Ratio(text))
        let input = try film()
        let made = try made(input, speed, range)
        let answer = try Tool.ffprobe(
            ["-show_streams", "-show_packets", made.file], as: Answer.self)
        let streams = answer.streams ?? []
        let video = try #require(streams.first)
        let audio = try #require(streams.last)
        #expect(video.isVideo && !audio.isVideo)
        // 4 s of the source.
        #expect(
            Int64(video.duration_ts ?? 0) * speed.numerator == 4 * speed.denominator * Int64(video.perSecond))
        let samples = Time(4 * speed.denominator * 48_000, Int32(speed.numerator)).converted(
            to: 1, rounding: .halfAwayFromZero)
        #expect(Int64(audio.duration_ts ?? 0) == samples.value)
        let times = (answer.packets ?? []).filter { $0.codec_type == "video" }.map(\.pts).sorted()
        #expect(times.count == 101, "half a frame, 99 frames and half a frame")
        for (number, time) in times.enumerated().dropFirst() {
            // Frame 12 began at 0.48: the next one is shown 0.02 after the in point.
            let at = Int64(number) * 4 - 2
            #expect(Int64(time) * 100 * speed.numerator == at * speed.denominator * Int64(video.perSecond))
        }
        #expect(made.result.tracks.allSatisfy { $0.speed == speed })
        #expect(made.result.actual.end == Time(9, 2), "times of the source")
        #expect(try findings(input, made, options(speed), range).isEmpty)
        let decoded = try Tool.ffmpeg(["-i", made.file, "-map", "0:a", "-ac", "1", "-f", "s16le", "-"])
        #expect(abs(Int64(decoded.count / 2) - samples.value) <= 1024, "ffmpeg keeps the last packet whole")
    }

    @Test func anotherSpeedOrRangeIsNoticed() throws {
        let input = try film()
        let made = try made(input, Ratio(2), range)
        #expect(try !findings(input, made, ExportOptions(), range).isEmpty)
        let other = try #require(Ratio(3, 2))
        #expect(try !findings(input, made, options(other), range).isEmpty)
        let late = RangeRequest(start: .time(Time(7, 10)), end: .time(Time(47, 10)))
        let found = try findings(input, made, options(Ratio(2)), late)
        #expect(
            found.contains { $0.hasPrefix("audioLag") } && found.contains { !$0.hasPrefix("audio") },
            "\(found)")
    }

    /// Notes that differ by channel: the seams that the filter chooses in one channel are not those in two, nor those in six.
    @Test(
        arguments: ["1/2", "5/4", "3/2"],
        [("m4a", "m4a"), ("flac", "flac"), ("wav", "wav"), ("opus", "ogg")])
    func channelsThatDifferAreCompared(_ text: String, _ output: (id: String, type: String)) throws {
        let speed = try #require(Ratio(text))
        let note = { (pitch: Int, rhythm: Double) in
            "0.5*sin(2*PI*t*\(pitch))*exp(-mod(t*\(rhythm),1)*4)"
        }
        let sum = "\(note(220, 2))+0.2*sin(2*PI*t*331)"
        let channels = ["\(sum)|-0.5*\(sum)+\(note(151, 2.7))", "\(sum)|\(note(277, 2.7))+\(note(97, 1.3))"]
        let six = (0..<6).map { note(110 + 83 * $0, 1 + 0.7 * Double($0)) }.joined(separator: "|")
        for (number, (sounds, layout)) in [(channels[0], "stereo"), (channels[1], "stereo"), (six, "5.1")]
            .enumerated()
        {
            let input = try Film(
                name: "\(number)", type: "wav",
                words: ["-f", "lavfi", "-i", "aevalsrc='\(sounds)':c=\(layout):d=5", "-c:a", "pcm_s16le"]
            ).make(in: scratch)
            // One of two beginnings: each goes with each sound, speed and output.
            let turn = number + (text == "5/4" ? 1 : 0) + (["flac", "ogg"].contains(output.type) ? 1 : 0)
            let start = turn % 2 == 0 ? Time(0, 1) : Time(13, 10)
            let range = RangeRequest(start: .time(start), end: .time(Time(4, 1)))
            let made = try made(input, speed, range, id: output.id, type: output.type, rate: nil)
            #expect(try findings(input, made, options(speed, rate: nil), range).isEmpty)
        }
    }

    /// A tone of 1 kHz from 2.5 s to 3.5 s: it keeps its pitch, and begins and ends where the video is then.
    @Test(arguments: ["1/2", "5/4", "2", "4"]) func audioKeepsItsPitchAndItsPlace(_ text: String) throws {
        let speed = try #require(Ratio(text))
        let tone = "aevalsrc='0.5*sin(2*PI*1000*t)*between(t,2.5,3.5)':s=48000:d=5"
        let made = try made(try film(["-f", "lavfi", "-i", tone]), speed, range)
        let bytes = try Tool.ffmpeg([
            "-i", made.file, "-map", "0:a", "-ac", "1", "-ar", "48000", "-f", "s16le", "-",
        ])
        var samples: [Int] = []
        for index in stride(from: 0, to: bytes.count - 1, by: 2) {
            let word = UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8
            samples.append(Int(Int16(bitPattern: word)))
        }
        let loud = samples.indices.filter { abs(samples[$0]) > 3000 }
        let first = try #require(loud.first)
        let last = try #require(loud.last)
        // Within the window of the filter, a 24th of a second.
        #expect(abs(Double(first) / 48_000 - 2 / speed.value) < 1.0 / 24)
        #expect(abs(Double(last) / 48_000 - 3 / speed.value) < 1.0 / 24)
        let middle = samples[(first + (last - first) / 4)..<(last - (last - first) / 4)]
        let crossings = zip(middle, middle.dropFirst()).filter { $0 < 0 && $1 >= 0 }.count
        let pitch = Double(crossings) / (Double(middle.count) / 48_000)
        #expect(abs(pitch - 1000) < 20, "\(pitch) Hz")
    }

    @Test func partsChaptersAndSubtitlesMoveWithIt() throws {
        let text = scratch.name("srt")
        try "1\n00:00:02,000 --> 00:00:03,000\nhalf way\n".write(
            toFile: text, atomically: true, encoding: .utf8)
        let chapters = scratch.name("txt")
        try """
        ;FFMETADATA1
        [CHAPTER]
        TIMEBASE=1/1000
        START=0
        END=2000
        title=one
        [CHAPTER]
        TIMEBASE=1/1000
        START=2000
        END=5000
        title=two
        """.write(toFile: chapters, atomically: true, encoding: .utf8)
        let input = scratch.name("mkv")
        try Tool.ffmpeg(
            Film.video(seconds: "5") + Film.noise(48_000, seconds: "5")
                + ["-i", text, "-i", chapters, "-map_chapters", "3"] + Film.h264() + [
                    "-c:a", "flac", "-c:s", "srt", input,
                ])
        let whole = RangeRequest(start: .time(Time(1, 1)), end: .time(Time(4, 1)))
        let made = try made(input, Ratio(2), whole, type: "mkv", rate: nil)
        let answer = try Tool.ffprobe(["-show_chapters", "-show_packets", made.file], as: Answer.self)
        #expect(answer.packets?.filter { $0.codec_type == "subtitle" }.map(\.pts) == [500])
        let times = (answer.chapters ?? []).map { [Double($0.start_time) ?? -1, Double($0.end_time) ?? -1] }
        #expect(times == [[0, 0.5], [0.5, 1.5]])
        var joined = RangeRequest()
        joined.keep = [try RangeSpelling.parse("0..1"), try RangeSpelling.parse("3..4.5")]
        let faster = try #require(Ratio(5, 4))
        let parts = try self.made(input, faster, joined, id: "highest")
        #expect(parts.result.tracks.first?.length == Time(2, 1))
        #expect(try findings(input, parts, options(faster), joined).isEmpty)
    }

    @Test func aCapCountsFramesOfTheOutput() throws {
        let input = try film()
        let made = try made(input, Ratio(2), range, id: "m4v720", type: "m4v")
        let answer = try Tool.ffprobe(["-show_packets", "-select_streams", "v", made.file], as: Answer.self)
        #expect(answer.packets?.count == 51, "50 frames a second become 25 under a cap of 30")
        #expect(try findings(input, made, options(Ratio(2)), range).isEmpty)
    }
}
