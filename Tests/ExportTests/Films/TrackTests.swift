// Tracks that begin late, end early or are missing: offsets stay, nothing is invented.
import FoundationEssentials
import Media
import MediaTime
import Testing

@Suite(.timeLimit(.minutes(10))) struct TrackTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Video that begins at one time and noise that begins at another.
    private func film(
        video: String, noise: String, seconds: String = "3", type: String = "mkv", more: [String] = []
    ) throws -> String {
        try Film(
            name: "", type: type,
            words: ["-itsoffset", video] + Film.video(seconds: seconds) + ["-itsoffset", noise]
                + Film.noise(48_000, seconds: "3") + Film.h264() + [
                    "-map", "0:v", "-map", "1:a", "-c:a", "pcm_s16le",
                ] + more
        ).make(in: scratch)
    }

    private func check(_ input: String, _ start: Time, _ end: Time) throws -> Truth {
        let made = try export(input, "m4v720", start: start, end: end, in: scratch)
        let output = try Truth(made.file)
        let wanted = try expected(Truth(input).frames(), start: start, end: end)
        // ffprobe's times are the file's own here: asset time 0 of the output is the export's in point.
        #expect(try output.frames().map { $0.time + output.origin } == wanted.times)
        try verify(made, in: scratch)
        return output
    }

    /// Sound that begins after the picture, exported alone: the track that gives the film its 0 is not in the output.
    @Test(arguments: [
        ("mkv", "mka"), ("mkv", "mp4"), ("mkv", "mov"), ("ts", "mka"), ("ts", "ts"), ("ts", "mp4"),
        ("ts", "mov"),
    ])
    func aLateTrackAloneStaysLate(_ type: String, _ output: String) throws {
        let input = try film(video: "0", noise: "1", type: type, more: ["-c:a", "ac3"])
        for start in [Time.zero, Time(1, 2), Time(3, 2)] {
            let made = try export(
                input, "passthrough", start: start, end: Time(3, 1), in: scratch, type: output
            ) {
                ($0.render, $0.output.name) = (.auto, "o.\(output)")
                $0.options = ExportOptions()
                $0.options?.video = "none"
            }
            #expect(made.result.tracks.map(\.kind) == [.audio])
            let truth = try Truth(made.file)
            let zero = FileType(rawValue: output)?.zero ?? .zero
            let first = try truth.firstSample(of: try #require(truth.audio), rate: 48_000) / 48_000
            let late = max(0, 1 - start.seconds)
            #expect(abs(first + truth.origin.seconds - zero.seconds - late) < 0.033, "\(first)")
            try verify(made, in: scratch)
        }
    }

    /// Only movies say how long each track is.
    @Test(arguments: ["mkv", "ts"]) func videoThatEndsLongBeforeTheAudioIsComplete(_ type: String) throws {
        let input = try film(video: "0", noise: "0", seconds: "1", more: ["-c:a", "aac"])
        for start in [Time.zero, Time(1, 4)] {
            let made = try export(
                input, "passthrough", start: start, end: Time(5, 2), in: scratch, type: type
            ) {
                ($0.render, $0.output.name) = (.smart, "out.\(type)")
            }
            try verify(made, in: scratch)
            let video = try #require(made.result.tracks.first { $0.kind == .video })
            #expect(video.actual.end < Time(3, 2))
        }
    }

    @Test(arguments: ["mp4", "mkv"]) func videoThatEndsBeforeTheRangeIsLeftOut(_ type: String) throws {
        let input = try film(video: "0", noise: "0", seconds: "1", more: ["-c:a", "aac"])
        let made = try export(
            input, "passthrough", start: Time(2, 1), end: Time(5, 2), in: scratch, type: type
        ) { ($0.render, $0.output.name) = (.smart, "out.\(type)") }
        #expect(made.result.tracks.map(\.kind) == [.audio])
        #expect(made.result.dropped.contains { $0.track == 0 && $0.reason.contains("nothing in the range") })
        try verify(made, in: scratch)
    }

    /// No packet is as short, and decoders take all of it for priming.
    @Test func aMomentOfAudioIsExported() throws {
        let input = try film(video: "0", noise: "0")
        let made = try export(input, "m4v720", start: Time(1, 1), end: Time(1001, 1000), in: scratch)
        #expect(made.result.tracks.map(\.kind) == [.video, .audio])
        try verify(made, in: scratch)
    }

    /// A frame that is cut is shorter than any that a reader would guess.
    @Test(arguments: ["mkv", "ts", "mp4"]) func partOfALongFrameIsExported(_ type: String) throws {
        let input = try Film(
            name: "", type: "mp4", words: Film.video("1", seconds: "8") + Film.h264()
        ).make(in: scratch)
        let made = try export(
            input, "passthrough", start: Time(5, 1), end: Time(28, 5), in: scratch, type: type
        ) { ($0.render, $0.output.name) = (.smart, "out.\(type)") }
        try verify(made, in: scratch)
        #expect(try Truth(made.file).frames().count == 1)
    }

    /// For so few frames, x265 returns meaningless decoding times.
    @Test(arguments: [1, 2, 3, 4, 5]) func aFewFramesOfHEVC(_ count: Int64) throws {
        let input = try film(video: "0", noise: "0")
        for id in ["hevc1080", "m4v720"] {
            let made = try export(
                input, id, start: Time(1, 1), end: Time(25 + count, 25), in: scratch, type: "mp4"
            ) { $0.output.name = id == "m4v720" ? "out.m4v" : "out.mp4" }
            try verify(made, in: scratch)
            #expect(try Truth(made.file).frames().map(\.time) == (0..<count).map { Time($0, 25) })
        }
    }

    /// MPEG-2.5's sample rates are none of an MPEG-4 file's.
    @Test func slowMP3IsNotPutIntoMP4() throws {
        let input = try Film(
            name: "", type: "mp3", words: Film.noise(8000) + ["-ar", "8000", "-c:a", "libmp3lame"]
        ).make(in: scratch)
        let error = try refusal(input, "passthrough", in: scratch) {
            ($0.render, $0.output.name) = (.auto, "out.mp4")
        }
        #expect(error.code == .presetNotValid)
        let made = try export(input, "passthrough", in: scratch, type: "mov") {
            ($0.render, $0.output.name) = (.auto, "out.mov")
        }
        #expect(made.result.render == .copy)
    }

    @Test func lateAudioIsPrecededBySilence() throws {
        let input = try film(video: "0", noise: "0.8")
        let output = try check(input, Time(1, 4), Time(2, 1))
        let audio = try #require(output.audio)
        #expect(audio.start == .zero)
        #expect(audio.duration == Time(7, 4))
        let decoded = try output.samples(rate: 48_000)
        let begin = 48_000 * 55 / 100
        #expect(decoded.prefix(begin - 1500).allSatisfy { abs(Int($0)) < 200 })
        let off = try lag(of: Array(decoded[begin...]), in: Truth(input).samples(rate: 48_000), at: 0)
        #expect(abs(off) <= 1)
    }

    @Test func lateVideoStaysLate() throws {
        let input = try film(video: "0.8", noise: "0")
        let output = try check(input, Time(1, 4), Time(2, 1))
        #expect(output.audio?.start == .zero)
        #expect(output.audio?.duration == Time(7, 4))
        #expect(output.video?.start == Time(55, 100))
    }

    @Test func anAssetWhoseTracksAllBeginLateBeginsAtTheFirst() throws {
        let input = try film(video: "1.2", noise: "1.0")
        let output = try check(input, Time(1, 2), Time(3, 2))
        #expect(output.audio?.duration == Time(1, 1))
        #expect(output.video?.start == .zero)
    }

    @Test func aStartBetweenTwoVideoTicksLosesNothing() throws {
        // Asset time 0 is a time of the audio, in 1/44100 s.
        let input = try film(
            video: "0.5", noise: "0.123", type: "nut", more: ["-ar", "44100"])
        let truth = try Truth(input)
        try #require(truth.origin.reduced.timescale > 1000, "\(truth.origin)")
        _ = try check(input, Time(1, 1), Time(2, 1))
    }

    @Test func aTrackWithNothingInTheRangeIsLeftOutAndNamed() throws {
        let input = try film(video: "0", noise: "2.0")
        let made = try export(input, "m4v720", start: Time(1, 2), end: Time(3, 2), in: scratch)
        let output = try Truth(made.file)
        #expect(output.streams.map(\.codec_type) == ["video"])
        #expect(made.result.dropped.contains { $0.track == 1 && $0.reason.contains("nothing in the range") })
        try verify(made, in: scratch)
    }

    @Test func lateVideoAloneIsVerifiedToo() throws {
        // The audio ends at 3 s and the video begins at 4 s: from 3.5 s on there is only late video.
        let input = try film(video: "4", noise: "0")
        let output = try check(input, Time(7, 2), Time(6, 1))
        #expect(output.streams.map(\.codec_type) == ["video"])
        #expect(output.video?.start == Time(1, 2))
    }

    @Test func videoThatEndsEarlyEndsThere() throws {
        let input = try film(video: "0", noise: "0", seconds: "1")
        let output = try check(input, Time(1, 2), Time(2, 1))
        #expect(output.video?.duration == Time(1, 2))
        #expect(output.audio?.duration == Time(3, 2))
    }

    @Test func progressGoesOnAfterOneTrackHasEnded() throws {
        // The audio lasts half a hundredth of a film that takes several reports, of which there is one each 0.1 s.
        let input = try Film(
            name: "", type: "mkv",
            words: Film.video(size: "320x180", seconds: "40") + Film.noise(48_000, seconds: "0.2")
                + Film.h264()
                + ["-c:a", "pcm_s16le"]
        ).make(in: scratch)
        let made = try export(input, "m4v720", in: scratch)
        let before = made.progress.filter { $0.phase == .exporting }.map(\.fraction)
        try #require(before.count > 1)
        #expect(try #require(before.last) > 0.5, "\(before)")
        for (one, next) in zip(made.progress, made.progress.dropFirst()) {
            #expect(one.fraction <= next.fraction)
        }
        #expect(made.progress.allSatisfy { $0.fraction < 1 })
    }

    @Test func silentFilmsAndAudioAlone() throws {
        let silent = try Film(name: "", type: "mp4", words: Film.video(seconds: "1") + Film.h264()).make(
            in: scratch)
        let film = try export(silent, "m4v720", in: scratch)
        #expect(try Truth(film.file).streams.map(\.codec_type) == ["video"])
        let wav = try Film(name: "", type: "wav", words: Film.noise(seconds: "1")).make(in: scratch)
        let song = try export(wav, "m4v720", in: scratch, type: "m4a")
        #expect(song.result.fileType == "m4a")
        #expect(try Truth(song.file).streams.map(\.codec_type) == ["audio"])
        #expect(try Truth(song.file).audio?.duration == Time(1, 1))
        try verify(film, in: scratch)
        try verify(song, in: scratch)
    }

    @Test func chaptersOfTheRangeComeAlong() throws {
        let list = scratch.name("txt")
        let text =
            [";FFMETADATA1", "title=A film"]
            + [(0, 1), (1, 3), (3, 4)].flatMap { from, to in
                ["[CHAPTER]", "TIMEBASE=1/1", "START=\(from)", "END=\(to)", "title=\(from) to \(to)"]
            }
        try text.joined(separator: "\n").write(toFile: list, atomically: false, encoding: .utf8)
        let input = try Film(
            name: "", type: "mp4",
            words: Film.video(seconds: "4") + ["-i", list] + Film.h264() + [
                "-map", "0:v", "-map_metadata", "1",
            ]
        ).make(in: scratch)
        let made = try export(input, "m4v720", start: Time(3, 2), end: Time(7, 2), in: scratch)
        struct Chapter: Decodable, Equatable {
            var start_time: String, end_time: String
            var tags: [String: String]
        }
        struct Answer: Decodable { var chapters: [Chapter] }
        let chapters = try Tool.ffprobe(["-show_chapters", made.file], as: Answer.self).chapters
        #expect(
            chapters == [
                Chapter(start_time: "0.000000", end_time: "1.500000", tags: ["title": "1 to 3 (part)"]),
                Chapter(start_time: "1.500000", end_time: "2.000000", tags: ["title": "3 to 4 (part)"]),
            ])
        try verify(made, in: scratch)
    }
}
