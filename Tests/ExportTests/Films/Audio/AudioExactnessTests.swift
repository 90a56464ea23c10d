// Audio of real files: as long as the range to the sample, and beginning with the sample at the in point.
import Media
import MediaTime
import Testing

@Suite(.timeLimit(.minutes(10))) struct AudioExactnessTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// An audio file and the rate of its output.
    struct AudioFilm: CustomTestStringConvertible, Sendable {
        var film: Film
        var rate: Int
        var channels = 1
        var testDescription: String { film.name }

        init(
            _ name: String, _ type: String, _ source: Int, _ codec: [String], to rate: Int? = nil,
            channels: Int = 1
        ) {
            film = Film(name: name, type: type, words: Film.noise(source) + codec)
            self.rate = rate ?? source
            self.channels = channels
        }
    }

    static let audioFilms = [
        AudioFilm("WAV of 44.1 kHz", "wav", 44_100, ["-c:a", "pcm_s16le"]),
        AudioFilm("WAV of 48 kHz", "wav", 48_000, ["-c:a", "pcm_f32le"]),
        AudioFilm("FLAC of 96 kHz", "flac", 96_000, ["-c:a", "flac"], to: 48_000),
        AudioFilm("WAV of 22.05 kHz", "wav", 22_050, ["-c:a", "pcm_s24le"]),
        AudioFilm("AAC in mp4", "m4a", 44_100, ["-c:a", "aac", "-b:a", "256k"]),
        AudioFilm("5.1 in mp4", "mp4", 48_000, ["-c:a", "aac", "-b:a", "640k", "-ac", "6"], channels: 2),
        AudioFilm("MP3", "mp3", 44_100, ["-c:a", "libmp3lame", "-b:a", "256k"]),
        AudioFilm("PCM in mkv", "mkv", 48_000, ["-c:a", "pcm_s16le"]),
        AudioFilm("AAC in mkv", "mkv", 44_100, ["-c:a", "aac", "-b:a", "256k"]),
        AudioFilm("AC-3 in a transport stream", "ts", 48_000, ["-c:a", "ac3", "-b:a", "448k"]),
        AudioFilm("Opus in mkv", "mkv", 48_000, ["-c:a", "libopus", "-b:a", "256k"]),
        AudioFilm("stereo in mov", "mov", 44_100, ["-c:a", "pcm_s16le", "-ac", "2"], channels: 2),
    ]

    static let cuts: [(Time, Time?)] = [
        (Time(44_101, 44_100), Time(2345, 1000)), (.zero, Time(1, 2)), (Time(1734, 1000), nil),
    ]

    @Test(arguments: audioFilms) func everySampleIsAtItsPosition(_ audioFilm: AudioFilm) throws {
        let input = try audioFilm.film.make(in: scratch)
        let truth = try Truth(input)
        let stream = try #require(truth.audio)
        let first = try truth.firstSample(of: stream, rate: audioFilm.rate)
        // One timestamp in milliseconds is exact to half of one; many together are more exact.
        let isRounded = stream.time_base == Ratio(1, 1000)
        let whole = try truth.samples(rate: audioFilm.rate)
        try #require(whole.count > audioFilm.rate * 2)
        for (start, end) in Self.cuts {
            let made = try export(input, "m4a", start: start, end: end, in: scratch)
            let output = try Truth(made.file)
            #expect(output.streams.count == 1)
            let audio = try #require(output.audio)
            let range = "[\(start), \(end.map { "\($0)" } ?? "end"))"
            #expect(audio.sample_rate == "\(audioFilm.rate)")
            #expect(audio.channels == audioFilm.channels)
            #expect(audio.time_base == Ratio(1, Int64(audioFilm.rate)))
            #expect(audio.start_pts == 0, "priming is declared: \(range)")
            let samples = (try #require(audio.duration_ts))
            if let end {
                let exact = (end - start).multiplied(by: Int64(audioFilm.rate), over: 1)
                // Both cut points go to the nearest sample: an exact length is met exactly, another to the sample.
                #expect((Time(samples, 1) - exact).absoluteValue < Time(1, 1), "\(range): \(samples) samples")
            } else {
                // An edit list stores the end of the audio; elsewhere it ends with its last sample.
                let hasEdits = ["m4a", "mp4", "mov"].contains(audioFilm.film.type)
                let left =
                    hasEdits
                    ? (stream.start + stream.duration - start).seconds * Double(audioFilm.rate)
                    : Double(whole.count) - (start.seconds * Double(audioFilm.rate) - first)
                #expect(abs(Double(samples) - left) <= (isRounded ? 3 : 1), "\(range): \(samples) samples")
            }
            // The audio begins at the in point: decoded by ffmpeg, it matches the source best exactly there.
            let decoded = try output.samples(rate: audioFilm.rate)
            #expect(decoded.count >= Int(samples), "\(range)")
            let expected = Int((start.seconds * Double(audioFilm.rate) - first).rounded())
            let off = try lag(of: decoded, in: whole, at: expected)
            let slack = !isRounded ? 0 : start == .zero ? audioFilm.rate / 2000 : 2
            #expect(abs(off) <= slack, "\(range): the audio is off by \(off) samples")
            try verify(made, in: scratch)
            let result = try #require(made.result.tracks.first)
            #expect(result.sampleRate == audioFilm.rate)
            #expect(result.channels == audioFilm.channels)
            #expect((result.actual.start - start).absoluteValue <= Time(1, Int32(audioFilm.rate)), "\(range)")
        }
    }

    @Test func aCutPointBetweenTwoSamplesGoesToTheNearest() throws {
        let input = try Film(name: "", type: "wav", words: Film.noise() + ["-c:a", "pcm_s16le"]).make(
            in: scratch)
        let made = try export(input, "m4a", start: Time(4, 441_000), end: Time(441_006, 441_000), in: scratch)
        let track = try #require(made.result.tracks.first)
        #expect(track.actual.start == .zero)
        #expect(track.remainder == Time(-4, 441_000))
        #expect(try Truth(made.file).audio?.duration_ts == 44_100)
    }

    @Test func everyAudioTrackIsCutAlike() throws {
        let input = try Film(
            name: "", type: "mkv",
            words: Film.video() + Film.noise(48_000) + Film.noise(44_100) + Film.h264() + [
                "-map", "0:v", "-map", "1:a", "-map", "2:a", "-c:a", "pcm_s16le", "-metadata:s:a:0",
                "language=eng",
                "-metadata:s:a:1", "language=fra",
            ]
        ).make(in: scratch)
        let made = try export(input, "m4v720", start: Time(1, 1), end: Time(2, 1), in: scratch)
        let output = try Truth(made.file)
        #expect(output.streams.map(\.codec_type) == ["video", "audio", "audio"])
        #expect(output.streams.map(\.duration) == [Time(1, 1), Time(1, 1), Time(1, 1)])
        #expect(output.streams.dropFirst().map(\.sample_rate) == ["48000", "44100"])
        let truth = try Truth(input)
        for (track, rate) in [48_000, 44_100].enumerated() {
            let first = try truth.firstSample(of: truth.streams[track + 1], rate: rate)
            let expected = rate - Int(first.rounded())
            let off = try lag(
                of: output.samples(track: track, rate: rate), in: truth.samples(track: track, rate: rate),
                at: expected)
            #expect(abs(off) <= 2, "track \(track) is off by \(off)")
        }
        try verify(made, in: scratch)
    }

    @Test func aGapIsSilenceAndTheRestKeepsItsPosition() throws {
        // From the 60th packet on, a second later.
        let input = try Film(
            name: "", type: "mkv",
            words: Film.noise(48_000, seconds: "3") + [
                "-c:a", "pcm_s16le", "-af", "asetpts=PTS+gte(T\\,1.5)/TB",
            ]
        ).make(in: scratch)
        let whole = try Truth(input).samples(rate: 48_000)
        let times = try Truth(input).frameTimes()
        try #require(zip(times, times.dropFirst()).contains { $1 - $0 > Time(1, 1) }, "the film has no gap")
        let made = try export(input, "m4a", start: Time(1, 2), end: Time(7, 2), in: scratch)
        let decoded = try Truth(made.file).samples(rate: 48_000)
        #expect(try Truth(made.file).audio?.duration_ts == 144_000)
        #expect(try lag(of: decoded, in: whole, at: 24_000) == 0)
        let late = 96_000
        // The new timestamps are rounded to milliseconds, as the old ones were.
        let off = try lag(of: Array(decoded[late...]), in: whole, at: 24_000 + late - 48_000)
        #expect(abs(off) <= 25, "it is off by \(off)")
        #expect(decoded[50_000..<70_000].allSatisfy { abs(Int($0)) < 200 }, "the gap is silent")
    }
}
