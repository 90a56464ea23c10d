// Languages, titles and uses of tracks through every container: kept where it can hold them, otherwise named as lost. Checked with
// ffprobe and mkvmerge.
import FoundationEssentials
import Libav
import Media
import MediaTime
import Testing

@testable import Export
@testable import Source

@Suite(.timeLimit(.minutes(10))) struct TrackLabelTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// A film as mkvmerge makes it: video, three audio tracks, two of text.
    private func film() throws -> String {
        let text = scratch.name("srt")
        try Data("1\n00:00:00,500 --> 00:00:01,800\nHello\n".utf8).write(to: URL(filePath: text))
        let plain = scratch.name("mkv")
        try Tool.ffmpeg(
            Film.video(seconds: "2") + Film.noise(44_100, seconds: "2") + ["-i", text, "-i", text]
                + ["-map", "0", "-map", "1", "-map", "1", "-map", "1", "-map", "2", "-map", "3"] + Film.h264()
                + ["-c:a", "aac", "-c:s", "srt", plain])
        let file = scratch.name("mkv")
        _ = try Tool.output(
            [
                "mkvmerge", "-q", "-o", file, "--language", "0:ger", "--track-name", "0:Bild", "--language",
                "1:fre",
            ]
                + ["--track-name", "1:Version française", "--original-flag", "1", "--language", "2:swe"]
                + ["--track-name", "2:Kommentar", "--commentary-flag", "2", "--language", "3:pt-BR"]
                + ["--visual-impaired-flag", "3", "--language", "4:eng", "--forced-display-flag", "4"]
                + ["--track-name", "4:Signs", "--default-track-flag", "4:0", "--language", "5:fre"]
                + ["--hearing-impaired-flag", "5", "--default-track-flag", "5:0", plain])
        return file
    }

    private func pass(_ input: String, to type: String, _ adjust: (inout ExportRequest) -> Void = { _ in })
        throws -> Made
    {
        try export(input, "passthrough", start: Time(1, 2), in: scratch, type: type) {
            $0.render = .auto
            $0.output.name = "o.\(type)"
            adjust(&$0)
        }
    }

    private struct Row: Equatable, CustomStringConvertible {
        var language: String?, title: String?, uses: Set<String>
        var description: String { "\(language ?? "-") \(title ?? "-") \(uses.sorted())" }
    }

    private static let technical: Set<String> = ["default", "captions", "descriptions"]

    /// According to trimd's own probe; names of handlers are not titles.
    private func rows(_ file: String) throws -> [Row] {
        try Probe.asset(of: scratch.source(file)).tracks.map { track in
            Row(
                language: track.language, title: track.metadata["title"],
                uses: Set(track.dispositions).subtracting(Self.technical))
        }
    }

    private func wanted(_ french: String, _ german: String) -> [Row] {
        [
            Row(language: german, title: "Bild", uses: []),
            Row(language: french, title: "Version française", uses: ["original"]),
            Row(language: "swe", title: "Kommentar", uses: ["comment"]),
            Row(language: "pt-BR", title: nil, uses: ["visual_impaired"]),
            Row(language: "eng", title: "Signs", uses: ["forced"]),
            Row(language: french, title: nil, uses: ["hearing_impaired"]),
        ]
    }

    @Test(arguments: ["mp4", "m4v", "mov", "mkv"]) func theySurviveEveryContainerThatHoldsThem(_ type: String)
        throws
    {
        let input = try film()
        let isMovie = type != "mkv"
        let all = wanted(isMovie ? "fra" : "fre", isMovie ? "deu" : "ger")
        let made = try pass(input, to: type)
        #expect(try rows(made.file) == all)
        #expect(made.result.dropped.isEmpty, "\(made.result.dropped)")
        // ffprobe reads the codes of languages, and the roles that DASH has.
        let streams = try Carried.of(made.file).streams
        #expect(
            streams.map { $0.tags?["language"] } == [
                all[0].language, all[1].language, "swe", "por", "eng", all[1].language,
            ])
        #expect(streams[2].disposition["comment"] == 1)
        #expect(streams[3].disposition["visual_impaired"] == 1)
        #expect(streams[4].disposition["forced"] == 1)
        #expect(streams[5].disposition["hearing_impaired"] == 1)
        #expect(streams.map { $0.disposition["default"] } == [1, 1, 0, 0, 0, 0])
        if isMovie {
            // Readers that know no other title show the handler's name; QuickTime's has letters of its own.
            #expect(streams[0].tags?["handler_name"] == "Bild")
        } else {
            let mkvInfo = try Tool.output(["mkvmerge", "-J", made.file])
            #expect(mkvInfo.contains("\"language_ietf\": \"pt-BR\""))
            #expect(mkvInfo.contains("Version française"))
        }
        try verify(made, in: scratch)
        // And back.
        let back = try pass(made.file, to: "mkv")
        #expect(try rows(back.file) == wanted("fre", "ger"))
    }

    @Test func whatAContainerCannotHoldIsNamed() throws {
        let made = try pass(film(), to: "ts")
        let lost = made.result.dropped.map(\.what)
        for what in [
            "title 'Bild' of track 0", "language 'ger' of track 0", "title 'Version française' of track 1",
            "flag 'original' of track 1", "title 'Kommentar' of track 2", "flag 'comment' of track 2",
            "language 'pt-BR' of track 3",
        ] { #expect(lost.contains(what), "\(what) in \(lost)") }
        #expect(!lost.contains { $0.contains("visual") })
        let streams = try Carried.of(made.file).streams("audio")
        #expect(streams.map { $0.tags?["language"] } == ["fre", "swe", "por"])
        #expect(streams.last?.disposition["visual_impaired"] == 1)
        #expect(
            made.result.dropped.allSatisfy {
                !$0.reason.isEmpty && ($0.track != nil || $0.what.hasPrefix("metadata"))
            })
    }

    @Test func ofWhatIsForSharingTitlesAreLeftOutAndNamed() throws {
        let made = try pass(film(), to: "mp4") { $0.metadata = MetadataRequest(policy: .sharing) }
        #expect(try rows(made.file).compactMap(\.title).isEmpty)
        #expect(made.result.dropped.contains { $0.what == "title 'Kommentar' of track 2" })
        #expect(try rows(made.file).map(\.language) == ["deu", "fra", "swe", "pt-BR", "eng", "fra"])
    }

    @Test(arguments: [nil, true]) func ofWhatIsForSharingDatesAreLeftOutUnlessTheyAreKept(
        _ keepsDates: Bool?
    ) throws {
        let film = scratch.name("mov")
        try Tool.ffmpeg(
            Film.video(seconds: "1") + Film.h264() + [
                "-metadata", "creation_time=2020-02-28T23:59:59Z", "-metadata", "title=A film",
                "-metadata", "com.apple.quicktime.creationdate=2021-12-31T23:59:59+0100",
                "-movflags", "use_metadata_tags", film,
            ])
        let made = try pass(film, to: "mp4") {
            $0.metadata = MetadataRequest(policy: .sharing, keepsDates: keepsDates)
        }
        let answer = try Tool.output(["ffprobe", "-v", "error", "-show_format", "-show_streams", made.file])
        #expect(answer.contains("A film"))
        for date in ["2020-02-28", "2021-12-31"] {
            #expect(answer.contains(date) == (keepsDates == true), "\(date)")
        }
        let withheld = made.result.dropped.filter { $0.reason.contains("sharing") }
        #expect(withheld.contains { $0.what.contains("creation_time") } == (keepsDates != true))
    }

    /// A file of one track has its language among the metadata.
    @Test(arguments: [("flac", "flac"), ("opus", "opus"), ("wav", "wav")])
    func theLanguageOfAudioAloneIsKept(_ id: String, _ type: String) throws {
        let made = try export(film(), id, in: scratch, type: type) {
            $0.output.name = "o.\(type)"
            $0.options = ExportOptions()
            $0.options?.audio = "swe"
        }
        let tags = try Carried.of(made.file)
        let all = (tags.format.tags ?? [:]).merging(tags.streams.first?.tags ?? [:]) { a, _ in a }
        #expect(all.first { $0.key.lowercased() == "language" }?.value == "swe")
        #expect(made.result.dropped.contains { $0.what.hasPrefix("title 'Kommentar'") })
    }

    @Test func tracksAreTakenAsTheyAreChosen() throws {
        let input = try film()
        func sources(
            _ video: String? = nil, _ audio: String? = nil, _ text: String? = nil, _ type: String = "mkv"
        ) throws -> [Int] {
            let made = try pass(input, to: type) {
                $0.options = ExportOptions()
                $0.options?.video = video
                $0.options?.audio = audio
                $0.options?.subtitles = text
            }
            let tracks = made.result.tracks.map(\.source)
            let asked = made.result.dropped.filter { $0.reason == "it was not asked for" }.compactMap(\.track)
            #expect(
                Set(tracks).union(asked) == Set(0...5).subtracting(type == "mka" ? [4, 5] : []),
                "all are kept or named")
            return tracks
        }
        #expect(try sources(nil, "fre,commentary", "forced") == [0, 1, 2, 4])
        #expect(try sources("ger", "none", "fr") == [0, 5])
        #expect(try sources("none", "3", nil, "mka") == [3])
        #expect(try sources(nil, "original", "none", "mp4") == [0, 1])
    }

    /// An output has one video track: another one that was asked for is named with how to have it.
    @Test func aSecondVideoTrackThatWasAskedForIsNamed() throws {
        let input = scratch.name("mkv")
        try Tool.ffmpeg(
            Film.video(seconds: "1") + Film.video(seconds: "1") + ["-map", "0", "-map", "1"] + Film.h264() + [
                input
            ])
        for (choice, words) in [("0,1", "--video 1"), ("0", "was not asked for")] {
            let made = try pass(input, to: "mkv") {
                $0.options = ExportOptions()
                $0.options?.video = choice
            }
            #expect(made.result.tracks.map(\.source) == [0])
            #expect(
                made.result.dropped.first { $0.track == 1 }?.reason.contains(words) == true,
                "\(made.result.dropped)")
        }
    }

    @Test(arguments: ["passthrough", "m4v720"]) func aChoiceThatMatchesNothingFailsTheExport(_ id: String)
        throws
    {
        let input = try film()
        for (key, value) in [("audio", "ita"), ("audio", "9"), ("subtitles", "7"), ("video", "1")] {
            let error = try refusal(input, id, in: scratch) {
                $0.render = .auto
                $0.options = ExportOptions()
                if key == "audio" { $0.options?.audio = value }
                if key == "video" { $0.options?.video = value }
                if key == "subtitles" { $0.options?.subtitles = value }
            }
            #expect(error.code.exitCode == 2)
            #expect(error.message.contains("there are"), "\(error.message)")
        }
        var options = ExportOptions()
        options.audio = "ita"
        #expect(throws: MediaError.self) {
            try Checker(scratch.source(input), presets: [preset(id)], fileType: nil, options: options)
                .report()
        }
    }

    @Test func anAudioFileIsNoException() throws {
        let audio = try Film(name: "", type: "m4a", words: Film.noise() + ["-c:a", "aac"]).make(in: scratch)
        for id in ["passthrough", "m4a", "flac"] {
            let error = try refusal(audio, id, in: scratch) {
                $0.render = .auto
                $0.options = ExportOptions()
                $0.options?.audio = "7"
            }
            #expect(error.code.exitCode == 2)
            #expect(error.message.contains("0 (aac"), "\(error.message)")
        }
    }

    /// The first two are as they are in the files of a well-known encoder.
    @Test(arguments: [
        ("\u{1f}Mainconcept Video Media Handler", "Mainconcept Video Media Handler"),
        ("#Mainconcept MP4 Sound Media Handler", "Mainconcept MP4 Sound Media Handler"), ("Bild", "Bild"),
        ("", ""), ("2" + String(repeating: "n", count: 50), "2" + String(repeating: "n", count: 50)),
        ("#1", "#1"), ("\u{03}Tön", "\u{03}Tön"), ("\u{04}Tön", "Tön"),
    ]) func theLengthOfAHandlersNameIsNoPartOfTheTitle(_ stored: String, _ title: String) {
        #expect(Probe.title(ofHandler: stored) == title)
    }

    /// FFmpeg calls the comments of an Ogg file those of its track.
    @Test(arguments: ["opus", "mka"]) func theTitleOfAnOggFileIsNoTracks(_ type: String) throws {
        let input = scratch.name("opus")
        try Tool.ffmpeg(Film.noise(48_000) + ["-metadata", "title=Hi", "-c:a", "libopus", input])
        for title in ["Hi", "New"] {
            let made = try pass(input, to: type) {
                if title == "New" { $0.metadata = MetadataRequest(items: ["title": title]) }
            }
            #expect(!made.result.dropped.contains { $0.what.contains("title") }, "\(made.result.dropped)")
            let said = try Tool.output(["ffprobe", "-v", "error", "-show_format", "-show_streams", made.file])
            #expect(said.contains("title=\(title)") && (title == "Hi" || !said.contains("=Hi")), "\(said)")
        }
    }

    /// ReplayGain describes the loudness that the audio had.
    @Test(arguments: ["flac", "mp3"]) func whatDescribesAnotherLoudnessIsLeftOut(_ type: String) throws {
        let input = scratch.name(type)
        try Tool.ffmpeg(
            Film.noise(48_000) + ["-metadata", "REPLAYGAIN_TRACK_GAIN=-8 dB", "-metadata", "title=Hi", input])
        func tags(_ loudness: Double?) throws -> (String, [DroppedItem]) {
            let made = try export(input, type, in: scratch, type: type) {
                guard let loudness else { return }
                var options = ExportOptions()
                options.loudness = loudness
                $0.options = options
            }
            return (
                try Tool.output(["ffprobe", "-v", "error", "-show_format", made.file]), made.result.dropped
            )
        }
        #expect(try tags(nil).0.contains("-8 dB"))
        let (said, dropped) = try tags(-16)
        #expect(!said.contains("-8 dB") && said.contains("=Hi"))
        #expect(dropped.contains { $0.what == "metadata REPLAYGAIN_TRACK_GAIN" }, "\(dropped)")
    }
}
