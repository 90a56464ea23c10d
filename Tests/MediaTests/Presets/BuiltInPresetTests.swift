// The presets that come with trimd have the names and numbers they were promised with. The numbers stand here a second
// time on purpose: a change of a preset is a change of a promise.
import Media
import MediaTime
import Testing

struct BuiltInPresetTests {
    /// The promises of a video preset.
    struct Promise: CustomTestStringConvertible, Sendable {
        var id: String
        var apple: String
        var types: [String]
        var profile: String, level: String
        var box: (Int, Int)
        var rate: Int64
        var crf: Double
        var peak: Int, buffer: Int
        var testDescription: String { id }
    }

    static let videos = [
        Promise(
            id: "m4v480", apple: "AppleM4V480pSD", types: ["m4v"], profile: "main", level: "3.1",
            box: (854, 480),
            rate: 30, crf: 20, peak: 3_000_000, buffer: 6_000_000),
        Promise(
            id: "m4v720", apple: "AppleM4V720pHD", types: ["m4v"], profile: "high", level: "3.1",
            box: (1280, 720),
            rate: 30, crf: 21, peak: 5_000_000, buffer: 10_000_000),
        Promise(
            id: "m4v1080", apple: "AppleM4V1080pHD", types: ["m4v"], profile: "high", level: "4.0",
            box: (1920, 1080), rate: 30, crf: 22, peak: 12_000_000, buffer: 24_000_000),
        Promise(
            id: "1280x720", apple: "1280x720", types: ["mp4", "mov", "mkv", "ts"], profile: "high",
            level: "3.2",
            box: (1280, 720), rate: 60, crf: 20, peak: 9_000_000, buffer: 18_000_000),
        Promise(
            id: "1920x1080", apple: "1920x1080", types: ["mp4", "mov", "mkv", "ts"], profile: "high",
            level: "4.2",
            box: (1920, 1080), rate: 60, crf: 20, peak: 15_600_000, buffer: 31_200_000),
    ]

    let catalogue = PresetCatalogue(folders: [builtInFolder()])

    @Test func theyAllRead() {
        #expect(catalogue.problems.isEmpty)
        #expect(
            Set(catalogue.presets.map(\.id))
                == Set(
                    """
                    low medium highest 640x480 960x540 1280x720 1920x1080 3840x2160 hevc-highest hevc1080 hevc2160
                    hevc4320 m4v-cellular m4v-ipod m4v-wifi m4v-appletv m4v480 m4v720 m4v1080 m4a prores422 prores4444
                    passthrough av1-1080 av1-2160 vp9-720 vp9-1080 opus flac wav mp3 gif
                    """.split(whereSeparator: \.isWhitespace).map(String.init)))
    }

    @Test(arguments: videos) func videoPresetsHaveTheirNumbers(_ promise: Promise) throws {
        let preset = try catalogue.preset(promise.id)
        #expect(preset.version == 1)
        #expect(preset.appleName == "AVAssetExportPreset" + promise.apple)
        #expect(preset.fileTypes == promise.types)
        #expect(preset.audioOnlyFileTypes == (promise.types == ["m4v"] ? ["m4a"] : nil))
        #expect(!preset.optimizeForNetwork, "fast start is off unless it is asked for")
        let video = try #require(preset.video)
        #expect([video.codec, video.encoder, video.pixelFormat] == ["h264", "libx264", "yuv420p"])
        #expect(video.profile == promise.profile)
        #expect(video.level == promise.level)
        #expect((video.maxWidth, video.maxHeight) == promise.box)
        #expect(video.maxFrameRate == Ratio(promise.rate))
        #expect(video.crf == promise.crf)
        #expect(video.bitRate == nil)
        #expect(video.maxBitRate == promise.peak)
        #expect(video.bufferSize == promise.buffer)
        #expect(video.speed == "medium")
        #expect(video.keyframeInterval <= Ratio(2))
        let audio = try #require(preset.audio)
        #expect([audio.codec, audio.encoder] == ["aac", "aac"])
        #expect([audio.bitRate, audio.maxChannels, audio.maxSampleRate] == [160_000, 2, 48_000])
    }

    @Test func m4aHasItsNumbers() throws {
        let preset = try catalogue.preset("m4a")
        #expect(preset.appleName == "AVAssetExportPresetAppleM4A")
        #expect(preset.fileTypes == ["m4a"])
        #expect(preset.audioOnlyFileTypes == nil)
        #expect(preset.video == nil)
        let audio = try #require(preset.audio)
        #expect([audio.codec, audio.encoder] == ["aac", "aac"])
        #expect([audio.bitRate, audio.maxChannels, audio.maxSampleRate] == [256_000, 2, 48_000])
    }

    @Test func noBoxIsLargerThanItsLevelAllows() throws {
        for preset in catalogue.presets {
            guard let video = preset.video, let name = video.level else { continue }
            let level = try #require(VideoLevel.named(name, of: video.codec), "\(preset.id)")
            let boxes =
                [(video.maxWidth, video.maxHeight, video.maxFrameRate)]
                + (video.alternatives ?? []).map { ($0.maxWidth, $0.maxHeight, $0.maxFrameRate) }
            for (width, height, rate) in boxes {
                let (width, height, rate) = (try #require(width), try #require(height), try #require(rate))
                #expect(level.allows(width: width, height: height, rate: rate), "\(preset.id)")
                #expect(level.allows(width: height, height: width, rate: rate), "\(preset.id), turned")
            }
            let most = level.bitRate(profile: video.profile, tier: video.tier)
            #expect(try #require(video.maxBitRate ?? video.bitRate) <= most, "\(preset.id)")
        }
    }

    @Test func theyComeBackFromTheirJSON() throws {
        try #require(!catalogue.presets.isEmpty)
        for preset in catalogue.presets { #expect(try roundTrip(preset) == preset) }
    }
}
