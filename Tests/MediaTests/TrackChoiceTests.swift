// Tracks are chosen by number, language and what they are for; a choice that matches nothing is an error that lists what there is.
import MediaTime
import Testing

@testable import Media

struct TrackChoiceTests {
    private func track(
        _ index: Int, _ kind: TrackKind, _ language: String? = nil, _ dispositions: [String] = []
    ) -> Track {
        var track = Track(
            index: index, kind: kind, codec: kind == .video ? "h264" : kind == .audio ? "aac" : "subrip",
            timebase: .milliseconds)
        (track.language, track.dispositions, track.isDecodable) = (language, dispositions, true)
        return track
    }

    private var film: Asset {
        var asset = Asset(
            container: Container(format: "matroska,webm", name: "Matroska"), start: .zero,
            duration: Time(9, 1),
            bytes: 1,
            tracks: [
                track(0, .video, nil, ["original"]), track(1, .video, "ger", ["default"]),
                track(2, .video, nil, ["attached_pic"]),
                track(3, .audio, "eng"), track(4, .audio, "ger", ["default", "original"]), track(5, .audio),
                track(6, .audio, "pt-BR", ["visual_impaired"]), track(7, .audio, "eng", ["comment"]),
                track(8, .subtitle, "fre", ["forced"]), track(9, .subtitle, "fre", ["captions"]),
                track(10, .subtitle, "eng", ["hearing_impaired", "default"]),
            ])
        asset.tracks.append(track(11, .subtitle))
        asset.tracks[11].role = .chapters
        return asset
    }

    @Test(
        arguments: [
            (nil, [3, 4, 5, 6, 7]), ("all", [3, 4, 5, 6, 7]), ("default", [4]), ("none", []),
            ("eng,5", [3, 5, 7]),
            ("de", [4]), ("deu", [4]), ("GER", [4]), ("de-AT", []), ("und", [5]), ("pt", [6]), ("pt-br", [6]),
            ("por", [6]),
            ("original", [4]), ("commentary", [7]), ("comment", [7]), ("visual-impaired", [6]),
            ("visual_impaired", [6]), (" 3 , original ", [3, 4]), ("fre", []), ("7", [7]), ("8", []),
            ("", []),
        ] as [(String?, [Int])])
    func audioIsChosenByNumberLanguageAndUse(spelling: String?, wanted: [Int]) {
        var options = ExportOptions()
        options.audio = spelling
        #expect(TrackSelection(options, of: film).audio.map(\.index) == wanted)
    }

    @Test(
        arguments: [
            (nil, [8, 9, 10]), ("forced", [8]), ("hearing-impaired", [9, 10]), ("fr", [8, 9]),
            ("default", [10]),
            ("10,forced", [8, 10]), ("none", []),
        ] as [(String?, [Int])])
    func subtitlesAreChosenAlike(spelling: String?, wanted: [Int]) {
        var options = ExportOptions()
        options.subtitles = spelling
        #expect(TrackSelection(options, of: film).subtitles.map(\.index) == wanted)
    }

    @Test(
        arguments: [
            (nil, 1), ("default", 1), ("0", 0), ("ger", 1), ("0,ger", 0), ("original", 0), ("none", nil),
        ]
            as [(String?, Int?)])
    func oneVideoTrackIsMeant(spelling: String?, wanted: Int?) throws {
        var options = ExportOptions()
        options.video = spelling
        #expect(try TrackSelection(options, of: film).chosen().mainVideo?.index == wanted)
    }

    @Test(arguments: [
        ("audio", "fra", "3 (aac, eng), 4 (aac, ger, default, original), 5 (aac)"),
        ("audio", "0", "6 (aac, pt-BR, visual-impaired)"),
        ("subtitles", "spa,original", "8 (subrip, fre, forced), 9 (subrip, fre, hearing-impaired)"),
        ("video", "2", "0 (h264, original), 1 (h264, ger, default)"),
        ("audio", ",", "7 (aac, eng, commentary)"),
    ])
    func aChoiceThatMatchesNothingIsAnErrorThatListsTheTracks(kind: String, spelling: String, listed: String)
        throws
    {
        var options = ExportOptions()
        switch kind {
        case "audio": options.audio = spelling
        case "video": options.video = spelling
        default: options.subtitles = spelling
        }
        let error = try #require(throws: MediaError.self) { try TrackSelection(options, of: film).chosen() }
        #expect(error.code.exitCode == 2)
        #expect(error.message.contains(listed), "\(error.message)")
        #expect(error.message.contains("--\(kind) \(spelling)"))
    }

    @Test func whereThereIsNoSuchTrackThatIsSaid() throws {
        var audioOnly = film
        audioOnly.tracks = [track(0, .audio, "eng")]
        var options = ExportOptions()
        options.subtitles = "forced"
        let error = try #require(throws: MediaError.self) {
            try TrackSelection(options, of: audioOnly).chosen()
        }
        #expect(error.code.exitCode == 2)
        #expect(error.message.contains("the file has none"))
        // A choice of all, or none, asks for nothing that might be missing.
        for word in ["all", "default", "none"] {
            options.subtitles = word
            #expect(throws: Never.self) { try TrackSelection(options, of: audioOnly).chosen() }
        }
    }

    @Test func aChoiceIsNoPartOfWhatAFileIs() throws {
        var options = ExportOptions()
        options.video = "0"
        let chosen = try TrackSelection(options, of: film).chosen()
        #expect(chosen.videoChoice == .track(0))
        #expect(chosen.tracks == film.tracks)
    }

    @Test(arguments: [
        ("de", "deu", "ger"), ("ger", "deu", "ger"), ("deu", "deu", "ger"), ("fre", "fra", "fre"),
        ("pt-BR", "por", "por"), ("EN_us", "eng", "eng"), ("swe", "swe", "swe"), ("zh-Hans", "zho", "chi"),
    ])
    func languagesHaveTwoCodes(_ language: String, _ term: String, _ book: String) {
        #expect(LanguageCode.terminological(language) == term)
        #expect(LanguageCode.bibliographic(language) == book)
    }

    @Test(arguments: ["", "x", "english", "1a2", "qq", "-"]) func whatIsNoLanguageHasNoCode(
        _ language: String
    ) {
        #expect(LanguageCode.terminological(language) == nil)
    }

    /// Of a codec that FFmpeg does not know there is the container's code, at most; "none" tells nobody anything.
    @Test func codecsThatFFmpegDoesNotKnowAreNamed() {
        var strange = track(0, .video)
        strange.isDecodable = false
        #expect(strange.obstacleWords == "there is no decoder for h264")
        strange.codec = "none"
        #expect(strange.codecWords == "an unknown codec")
        strange.codecTag = "vvc1"
        #expect(strange.obstacleWords == "there is no decoder for vvc1")
        let alone = Asset(
            container: film.container, start: .zero, duration: Time(9, 1), bytes: 1, tracks: [strange])
        #expect(Compatibility(encoders: []).obstacle(of: alone)?.message.contains("vvc1") == true)
    }
}
