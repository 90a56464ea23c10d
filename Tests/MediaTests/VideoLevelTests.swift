// Levels: numbers of the standards that presets hold to, at the edges.
import Media
import MediaTime
import Testing

struct VideoLevelTests {
    @Test(arguments: [
        ("h264", 1280, 720, Ratio(30), "3.1"), ("h264", 1280, 720, Ratio(60), "3.2"),
        ("h264", 1920, 1080, Ratio(30), "4"), ("h264", 1920, 1080, Ratio(60), "4.2"),
        ("h264", 3840, 2160, Ratio(30), "5.1"), ("h264", 3840, 2160, Ratio(60), "5.2"),
        ("h264", 176, 144, Ratio(15), "1"), ("h264", 7680, 4320, Ratio(30), "6"),
        ("hevc", 1920, 1080, Ratio(30), "4"), ("hevc", 1920, 1080, Ratio(60), "4.1"),
        ("hevc", 3840, 2160, Ratio(30), "5"), ("hevc", 3840, 2160, Ratio(60), "5.1"),
        ("hevc", 7680, 4320, Ratio(60), "6.1"),
    ]) func theLowestIsFound(_ codec: String, _ width: Int, _ height: Int, _ rate: Ratio, _ name: String) {
        #expect(VideoLevel.lowest(of: codec, width: width, height: height, rate: rate)?.name == name)
        #expect(
            VideoLevel.lowest(of: codec, width: height, height: width, rate: rate)?.name == name, "turned")
    }

    @Test func whatIsTooLargeOrTooFastHasNone() {
        #expect(VideoLevel.lowest(of: "h264", width: 16384, height: 8192, rate: Ratio(30)) == nil)
        #expect(VideoLevel.lowest(of: "hevc", width: 7680, height: 4320, rate: Ratio(240)) == nil)
        #expect(VideoLevel.lowest(of: "vp9", width: 16, height: 16, rate: Ratio(1)) == nil)
    }

    @Test func bitsFollowProfileAndTier() throws {
        let avc = try #require(VideoLevel.named("4.0", of: "h264"))
        #expect(avc.bitRate(profile: "main", tier: nil) == 20_000_000)
        #expect(avc.bitRate(profile: "high", tier: nil) == 25_000_000)
        let hevc = try #require(VideoLevel.named("5.1", of: "hevc"))
        #expect(hevc.bitRate(profile: "main10", tier: "main") == 40_000_000)
        #expect(hevc.bitRate(profile: "main10", tier: "high") == 160_000_000)
        let low = try #require(VideoLevel.named("3.1", of: "hevc"))
        #expect(!low.hasHighTier)
        #expect(low.bitRate(profile: nil, tier: "high") == 10_000_000)
    }
}
