// The filters of a frame, and how the result is tagged. FFmpeg must accept every chain too.
import Media
import MediaTime
import Testing

@testable import Libav
@testable import Render
@testable import Source

struct VideoFilterChainTests {
    /// A source and what becomes of it.
    private struct Scene {
        var size = (1280, 720)
        var made = (1280, 720)
        var pixels = "yuv420p"
        var primaries: String?, transfer: String?, matrix: String?
        var isFullRange = false
        var order = VideoFormat.FieldOrder.progressive
        var rotation = 0
        var isMirrored = false
    }

    private func chain(_ scene: Scene) throws -> VideoFilterChain {
        var track = Track(index: 0, kind: .video, codec: "h264", timebase: .milliseconds)
        track.video = VideoFormat(width: scene.size.0, height: scene.size.1, sampleAspect: Ratio(1))
        track.video?.fieldOrder = scene.order
        let plan = VideoPlan(
            track: track, width: scene.made.0, height: scene.made.1, rotation: scene.rotation,
            isMirrored: scene.isMirrored, timebase: .milliseconds, cadence: .all, frameRate: Ratio(25),
            isConstant: true, countsFrames: true, settings: try #require(try preset("m4v720").video))
        func shape(_ format: Int32) -> FrameShape {
            FrameShape(
                width: scene.size.0, height: scene.size.1, format: format, sampleRate: 0, layout: "",
                sampleAspect: Ratio(1), transfer: scene.transfer, primaries: scene.primaries,
                matrix: scene.matrix,
                isFullRange: scene.isFullRange)
        }
        let number = try #require(
            (0..<400).first { shape($0).pixelFormat == scene.pixels }, "no \(scene.pixels)")
        let made = VideoFilterChain(plan, shape: shape(number))
        #expect(throws: Never.self, "\(made.filters)") {
            _ = try FilterGraph(
                chain: made.filters, shape: shape(number), timebase: .milliseconds, threads: 1)
        }
        #expect(made.filters.hasSuffix("setsar=1"), "square pixels")
        return made
    }

    private func tags(_ chain: VideoFilterChain) -> [String] {
        [chain.primaries, chain.transfer, chain.matrix]
    }

    private let hd = ["bt709", "bt709", "bt709"]

    @Test func whatFitsAlreadyIsOnlyGivenItsFormat() throws {
        let chain = try chain(Scene())
        #expect(chain.filters == "format=yuv420p,setsar=1")
        #expect(tags(chain) == hd)
        #expect(!chain.isToneMapped)
    }

    @Test func largeFramesAreScaled() throws {
        let filters = try chain(Scene(size: (1920, 1080))).filters
        #expect(filters.hasPrefix("scale=1280:720:flags=bicubic,"))
    }

    @Test(arguments: [
        (90, "transpose=clock", (1080, 1920)), (270, "transpose=cclock", (1080, 1920)),
        (180, "hflip,vflip", (1920, 1080)),
    ]) func aTurnComesAfterTheSize(_ rotation: Int, _ filter: String, _ lying: (Int, Int)) throws {
        // The plan's size is that of the upright frame.
        let made = rotation == 180 ? (1280, 720) : (720, 1280)
        let filters = try chain(Scene(size: (1920, 1080), made: made, rotation: rotation)).filters
        #expect(filters == "scale=1280:720:flags=bicubic,format=yuv420p,\(filter),setsar=1")
        let mirrored = try chain(Scene(size: (1920, 1080), made: made, rotation: rotation, isMirrored: true))
            .filters
        #expect(mirrored == "scale=1280:720:flags=bicubic,format=yuv420p,\(filter),hflip,setsar=1")
    }

    @Test(arguments: [("smpte2084", true), ("arib-std-b67", true), ("bt709", false)])
    func hdrIsToneMapped(_ transfer: String, _ isHDR: Bool) throws {
        let scene = Scene(
            size: (1920, 1080), pixels: "yuv420p10le", primaries: isHDR ? "bt2020" : "bt709",
            transfer: transfer,
            matrix: isHDR ? "bt2020nc" : "bt709")
        let chain = try chain(scene)
        #expect(chain.isToneMapped == isHDR)
        #expect(chain.filters.contains("tonemap=") == isHDR)
        #expect(chain.filters.contains("tin=\(transfer):pin=bt2020:min=bt2020nc:rin=limited") == isHDR)
        #expect(chain.filters.contains("format=yuv420p"))
        #expect(tags(chain) == hd)
    }

    @Test func wideColourThatIsNotHDRIsNarrowedWithoutToneMapping() throws {
        let chain = try chain(Scene(primaries: "bt2020", transfer: "bt709", matrix: "bt2020nc"))
        #expect(!chain.isToneMapped)
        #expect(!chain.filters.contains("tonemap"))
        #expect(chain.filters.contains("p=bt709:m=bt709"))
        #expect(tags(chain) == hd)
    }

    @Test(arguments: ["yuvj420p", "yuv420p"]) func fullRangeBecomesLimited(_ pixels: String) throws {
        let chain = try chain(Scene(pixels: pixels, matrix: "bt709", isFullRange: pixels == "yuv420p"))
        #expect(chain.filters.contains("in_range=full:out_range=limited"))
        #expect(!(try self.chain(Scene()).filters.contains("range")))
    }

    @Test(arguments: ["rgb24", "gbrp", "bgra"]) func rgbBecomesWhatItsSizeIsTakenFor(_ pixels: String) throws
    {
        let large = try chain(Scene(pixels: pixels, matrix: "gbr"))
        #expect(large.filters.contains("out_color_matrix=bt709"))
        #expect(tags(large) == hd)
        let small = try chain(Scene(size: (640, 480), made: (640, 480), pixels: pixels))
        #expect(small.filters.contains("out_color_matrix=smpte170m"))
        #expect(tags(small) == ["smpte170m", "bt709", "smpte170m"])
    }

    @Test func untaggedVideoIsTaggedAsPlayersShowIt() throws {
        #expect(
            tags(try chain(Scene(size: (720, 480), made: (720, 480)))) == ["smpte170m", "bt709", "smpte170m"])
        #expect(
            tags(try chain(Scene(size: (720, 576), made: (720, 576)))) == ["bt470bg", "bt709", "smpte170m"])
        #expect(tags(try chain(Scene(size: (1280, 720)))) == hd)
        #expect(tags(try chain(Scene(size: (1920, 1080)))) == hd, "by the source's size, not the output's")
        #expect(tags(try chain(Scene(matrix: "unknown"))) == hd)
    }

    @Test func taggedVideoKeepsItsTags() throws {
        let tagged = Scene(
            size: (1920, 1080), primaries: "smpte170m", transfer: "smpte170m", matrix: "smpte170m")
        let chain = try chain(tagged)
        #expect(tags(chain) == ["smpte170m", "smpte170m", "smpte170m"])
        #expect(!chain.filters.contains("matrix"), "the matrix is not changed, only named")
    }

    @Test(arguments: [
        (VideoFormat.FieldOrder.topFieldFirst, "parity=auto"), (.bottomFieldFirst, "parity=bff"),
        (.unknown, "parity=auto"),
    ]) func twoFieldsBecomeOneFrame(_ order: VideoFormat.FieldOrder, _ parity: String) throws {
        let filters = try chain(Scene(order: order)).filters
        #expect(filters.hasPrefix("bwdif=mode=send_frame:\(parity):deint=interlaced,"))
        #expect(!(try chain(Scene()).filters.contains("bwdif")))
    }
}
