// Options over a preset: what they change in it, and what a preset, a codec or a container refuses.
import FoundationEssentials
import Media
import MediaTime
import Testing

struct PresetOptionsTests {
    private func builtIn(_ id: String) throws -> Preset {
        try PresetCatalogue(folders: [builtInFolder()]).preset(id)
    }

    /// A film of H.264 and stereo AAC.
    private func film() throws -> Asset {
        asset(try track(0, .video, "h264"), try track(1, .audio, "aac"))
    }

    private func adjusted(
        _ id: String, to type: FileType = .mp4,
        _ change: (inout ExportOptions) -> Void
    ) throws -> Preset {
        var options = ExportOptions()
        change(&options)
        return try builtIn(id).adjusted(by: options, for: try film(), to: type)
    }

    private func refused(
        _ id: String, to type: FileType = .mp4,
        _ change: (inout ExportOptions) -> Void
    ) throws -> MediaError {
        try #require(throws: MediaError.self) { _ = try adjusted(id, to: type, change) }
    }

    @Test func aQualityReplacesAnAverage() throws {
        let made = try adjusted("m4v-ipod") { $0.crf = 30 }
        #expect(made.video?.crf == 30)
        #expect(made.video?.bitRate == nil)
        #expect(made.video?.maxBitRate == 1_500_000, "the device's limit stays")
    }

    @Test func anAverageRaisesTheMaximumUpToTheLevel() throws {
        let made = try adjusted("m4v720") { $0.bitRate = 8_000_000 }
        #expect(made.video?.crf == nil)
        #expect((made.video?.bitRate, made.video?.maxBitRate) == (8_000_000, 8_000_000))
        let error = try refused("m4v720") { $0.bitRate = 20_000_000 }
        #expect(error.code == .presetNotValid)
        #expect(error.code.exitCode == 3)
        #expect(error.remedy?.contains("17500k") == true)
    }

    @Test(arguments: [("h264", 52.0), ("hevc", 60), ("av1", 0), ("prores", 20)])
    func anEncodersQualitiesAreItsOwn(_ codec: String, _ quality: Double) throws {
        let error = try refused("highest") {
            ($0.videoCodec, $0.crf) = (VideoCodecChoice(rawValue: codec), quality)
        }
        #expect(error.code == .presetNotValid)
        #expect(error.remedy != nil)
    }

    @Test func aSizeReplacesTheBoxAndItsAlternatives() throws {
        let made = try adjusted("m4v-appletv") { $0.size = FrameBox("640x360") }
        #expect((made.video?.maxWidth, made.video?.maxHeight) == (640, 360))
        #expect(made.video?.alternatives == nil)
        let rate = try #require(made.video?.bitRate)
        #expect(rate < 5_000_000 && rate > 2_500_000, "an average is for frames that fill the box")
    }

    @Test(arguments: VideoCodecChoice.allCases)
    func anotherCodecKeepsTheLimitsOfThePreset(_ codec: VideoCodecChoice) throws {
        let made = try #require(try adjusted("1280x720", to: .mkv) { $0.videoCodec = codec }.video)
        #expect(made.codec == codec.rawValue)
        #expect((made.maxWidth, made.maxHeight, made.maxFrameRate) == (1280, 720, Ratio(60)))
        #expect((made.crf != nil) == (codec != .prores))
        let same = try #require(try builtIn("1280x720").video)
        #expect((made == same) == (codec == .h264))
    }

    @Test(arguments: AudioCodecChoice.allCases)
    func anotherAudioCodecKeepsTheLimitsOfThePreset(_ codec: AudioCodecChoice) throws {
        let made = try #require(try adjusted("m4v720", to: .mkv) { $0.audioCodec = codec }.audio)
        #expect(made.maxChannels == 2 && made.maxSampleRate == 48_000)
        #expect((made.bitRate == nil) == (codec.highestBitRate == nil))
    }

    @Test func anAudioRateIsThatOfTheTrack() throws {
        let made = try #require(try adjusted("m4v720") { $0.audioBitRate = 96_000 }.audio)
        for channels in 1...6 {
            #expect(made.bitRate(channels: channels, sampleRate: 22_050) == 96_000)
        }
        #expect(try refused("flac") { $0.audioBitRate = 96_000 }.message.contains("flac"))
        let most = try refused("m4v720", to: .mkv) { ($0.audioCodec, $0.audioBitRate) = (.mp3, 400_000) }
        #expect(most.remedy?.contains("320k") == true)
    }

    @Test func passthroughEncodesTheTrackThatIsTouched() throws {
        let video = try adjusted("passthrough") { $0.crf = 20 }
        #expect(video.video?.codec == "h264" && video.video?.crf == 20)
        #expect(video.copiesAudio && !video.copiesVideo)
        let audio = try adjusted("passthrough") { $0.audioBitRate = 128_000 }
        #expect(audio.audio?.codec == "aac")
        #expect(audio.copiesVideo && !audio.copiesAudio)
        let web = try adjusted("passthrough", to: .webm) { ($0.rotate, $0.audioBitRate) = (90, 64_000) }
        #expect(web.video?.codec == "vp9", "the container's common codec")
        #expect(web.audio?.codec == "opus")
        let wrong = try refused("passthrough", to: .m4v) { $0.videoCodec = .hevc }
        #expect(wrong.code == .presetNotValid)
        #expect(wrong.message == ".m4v cannot hold hevc")
    }

    @Test func whatAPresetDoesNotMakeIsRefused() throws {
        #expect(try refused("flac") { $0.crf = 20 }.message == "flac makes no video")
        #expect(try adjusted("flac") { $0.speed = Ratio(2) }.audio?.codec == "flac")
    }

    @Test(arguments: RenderMode.allCases)
    func optionsThatEncodeContradictCopying(_ render: RenderMode) throws {
        var video = ExportOptions()
        video.size = FrameBox("720p")
        var audio = ExportOptions()
        audio.audioCodec = .opus
        #expect(
            (try? video.check(render)) == nil
                ? [.copy, .smart].contains(render) : ![.copy, .smart].contains(render))
        #expect((try? audio.check(render)) == nil ? render == .copy : render != .copy)
    }

    @Test func aFileThatSaysHowToEncodeIsObeyed() throws {
        let catalogue = PresetCatalogue([try builtIn("m4v720")])
        func made(_ json: String) throws -> Preset { try catalogue.preset(json: Data(json.utf8)) }
        #expect(try made(#"{"extends":"m4v720","video":{"crf":30}}"#).alwaysEncodes)
        #expect(try made(#"{"extends":"m4v720","video":{"options":{"tune":"grain"}}}"#).alwaysEncodes)
        #expect(try !made(#"{"extends":"m4v720","video":{"crf":30},"alwaysEncode":false}"#).alwaysEncodes)
        #expect(try !made(#"{"extends":"m4v720","optimizeForNetwork":true}"#).alwaysEncodes)
        #expect(try !made(#"{"extends":"m4v720","video":{"maxHeight":480,"maxWidth":854}}"#).alwaysEncodes)
    }

    @Test(arguments: [
        ("crf", ["0", "20.5", "63"], ["-1", "64", "x", "nan"]),
        ("bitrate", ["5M", "2.5m", "800k", "1000"], ["5MB", "", "-5M", "1", "inf"]),
        ("audio-bitrate", ["128k", "8000"], ["7999", "3M", "1e5"]),
        ("size", ["1280x720", "720p", "720", "16x16"], ["1280x", "x", "8x8", "p", "1280x720x1"]),
        ("crop", ["640:480:0:10", "640:480"], ["640:480:1", "640", "a:b", "8:8", "640:480:-1:0"]),
        ("rotate", ["90", "180", "270", "left", "-90"], ["0", "45", "360"]),
        ("speed", ["0.5", "4", "1.25", "3/2"], ["0.4", "5", "x", "1.", "-1"]),
        ("deinterlace", ["auto", "off", "field"], ["on"]),
        ("video-codec", ["h264", "prores"], ["x264"]), ("audio-codec", ["aac", "pcm"], ["wma"]),
        ("fps", ["25", "30000/1001"], ["0", "300"]),
        ("variant", ["highest", "2", "1280x720"], ["0", "x", "1280x", "best", "-1"]),
    ])
    func valuesAreCheckedBeforeAnythingIsRead(_ name: String, _ right: [String], _ wrong: [String]) throws {
        let option = try #require(ExportOption.all.first { $0.name == name })
        for text in right {
            var options = ExportOptions()
            try option.set(text, in: &options, as: name)
            #expect(options != ExportOptions(), "\(name) \(text)")
        }
        for text in wrong {
            var options = ExportOptions()
            let error = try #require(throws: MediaError.self, "\(name) \(text)") {
                try option.set(text, in: &options, as: name)
            }
            #expect(error.code.exitCode == 2 && error.remedy != nil)
        }
    }

    @Test func aBoxByItsLinesIsSixteenToNine() {
        #expect(FrameBox("480p")?.description == "854x480")
        #expect(FrameBox("720p")?.description == "1280x720")
        #expect(FrameBox("1080p")?.description == "1920x1080")
    }
}
