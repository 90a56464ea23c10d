// Video properties in a header that FFmpeg does not copy: kept if still true of the output, otherwise named as lost.
import Foundation
import ISOMedia
import Libav
import Media
import MediaTime
import Testing

@testable import Render
@testable import Source

@Suite(.timeLimit(.minutes(10))) struct VideoBoxesTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    // Dolby Vision profile 8, level 2, with metadata in each frame, over HLG.
    private static let vision = Box("dvvC", [1, 0, 0x10, 0x15, 0x40] + [UInt8](repeating: 0, count: 19))
    private static let ambience = Box("amve", [0, 0x2f, 0x6b, 0x4d, 0x3d, 0x13, 0x40, 0x42])
    private static let views = [
        Box("lhvC", [1, 0xf0, 0, 0xfc, 0xcb, 0] + [UInt8](repeating: 0, count: 17)),
        Box("vexu", Box("eyes", Box("stri", [0, 0, 0, 0, 3]).bytes).bytes), Box("hfov", [0, 0, 0xea, 0x60]),
    ]
    /// That there is one view. Not beside the boxes of two: FFmpeg 7.1 takes no film that says both.
    private static let flat = Box("st3d", [0, 0, 0, 0, 0])
    private static let sphere = Box(
        "sv3d",
        Box("svhd", [0, 0, 0, 0, 0x78, 0]).bytes
            + Box(
                "proj",
                Box("prhd", [UInt8](repeating: 0, count: 16)).bytes
                    + Box("equi", [UInt8](repeating: 0, count: 20)).bytes
            ).bytes)
    private static let all = ["dvvC", "amve", "lhvC", "vexu", "hfov", "sv3d"]

    /// A film of ten groups whose header says all that.
    private func film(_ boxes: [Box], type: String = "mov") throws -> String {
        let file = try Film(
            name: "", type: type,
            words: Film.video(seconds: "2") + [
                "-c:v", "libx265", "-preset", "ultrafast", "-tag:v", "hvc1", "-x265-params",
                "log-level=none:keyint=5:min-keyint=5:scenecut=0:open-gop=0",
            ]
        ).make(in: scratch)
        var edit = try #require(
            MovieEdit(SourceFile(descriptor: try scratch.existing(file), name: "the film")))
        edit.change(track: 0) { $0.extendEntry(by: boxes) }
        try edit.write()
        return file
    }

    /// The names of those boxes in an output.
    private func said(_ file: String) throws -> [String] {
        let facts = try #require(MovieBoxes(scratch.source(file))?.tracks.first)
        return facts.videoBoxes.map(\.name)
    }

    /// Taken over as cheaply as can be.
    private func copy(_ film: String, _ type: String) throws -> Made {
        try export(film, "passthrough", in: scratch, type: type) {
            ($0.render, $0.output.name) = (.auto, "out.\(type)")
        }
    }

    private func lost(_ made: Made) -> [String] { made.result.dropped.map(\.what).sorted() }

    private var given: [Box] {
        [VideoBoxesTests.vision, VideoBoxesTests.ambience] + VideoBoxesTests.views
            + [VideoBoxesTests.sphere]
    }

    @Test(arguments: [("passthrough", RenderMode.auto), ("hevc1080", .encode)])
    func aSphereOfOneViewStaysOne(_ preset: String, _ render: RenderMode) throws {
        let made = try export(
            film([VideoBoxesTests.flat, VideoBoxesTests.sphere]), preset, in: scratch, type: "mov"
        ) { ($0.render, $0.output.name) = (render, "out.mov") }
        #expect(try said(made.file).sorted() == ["st3d", "sv3d"])
        #expect(lost(made).isEmpty)
    }

    @Test(arguments: ["mov", "mp4"]) func aCopyHasThemAll(_ type: String) throws {
        let film = try film(given)
        let format = try #require(Probe.asset(of: scratch.source(film)).mainVideo?.video)
        #expect(format.dolbyVision == DolbyVision(profile: 8, level: 2, compatibility: 4))
        #expect(format.hasSecondView == true && format.projection == "equirectangular")
        let made = try copy(film, type)
        #expect(made.result.tracks.first?.framesEncoded == 0)
        #expect(try Set(said(made.file)) == Set(VideoBoxesTests.all))
        #expect(try said(made.file).count == VideoBoxesTests.all.count)
        #expect(lost(made).isEmpty)
        let again = try #require(Probe.asset(of: scratch.source(made.file)).mainVideo?.video)
        #expect(again.dolbyVision == format.dolbyVision && again.projection == format.projection)
    }

    @Test func encodedEndsHaveOneView() throws {
        let made = try export(
            film(given), "passthrough", start: Time(1, 10), end: Time(17, 10), in: scratch, type: "mov"
        ) { ($0.render, $0.output.name) = (.smart, "out.mov") }
        let track = try #require(made.result.tracks.first)
        #expect(track.framesEncoded > 0 && track.framesCopied > 0)
        #expect(try Set(said(made.file)) == ["dvvC", "amve", "sv3d"])
        #expect(lost(made) == ["the second view"])
        try verify(made, in: scratch)
    }

    @Test func encodedVideoKeepsTheProjection() throws {
        let made = try export(film(given), "hevc1080", in: scratch, type: "mov") {
            ($0.render, $0.output.name) = (.encode, "out.mov")
        }
        #expect(try Set(said(made.file)) == ["sv3d"])
        #expect(lost(made) == ["Dolby Vision 8.4", "the second view"])
    }

    @Test func matroskaHasTwoOfThem() throws {
        let made = try copy(film(given), "mkv")
        #expect(lost(made) == ["the second view"])
        let format = try #require(Probe.asset(of: scratch.source(made.file)).mainVideo?.video)
        #expect(format.dolbyVision?.name == "8.4" && format.projection == "equirectangular")
        // And back: what FFmpeg knows of, its muxer writes.
        let back = try copy(made.file, "mp4")
        #expect(try Set(said(back.file)).isSuperset(of: ["dvvC", "sv3d"]) && lost(back).isEmpty)
        // Not into QuickTime, and not for video that it encodes.
        #expect(try lost(copy(made.file, "mov")) == ["Dolby Vision 8.4", "the projection"])
        let encoded = try export(made.file, "hevc1080", in: scratch, type: "mp4") {
            $0.output.name = "encoded.mp4"
        }
        #expect(lost(encoded) == ["Dolby Vision 8.4", "the projection"])
    }

    /// The older way to store a spherical projection (Google): XML beside the sample description.
    @Test(arguments: ["mov", "mp4"]) func theOlderWayIsKept(_ type: String) throws {
        let file = try film([])
        let number: [UInt8] = [
            0xFF, 0xCC, 0x82, 0x63, 0xF8, 0x55, 0x4A, 0x93, 0x88, 0x14, 0x58, 0x7A, 0x02, 0x52, 0x1F, 0xDD,
        ]
        let words = """
            <rdf:SphericalVideo><GSpherical:Spherical>true</GSpherical:Spherical><GSpherical:Stitched>true</GSpherical:Stitched>\
            <GSpherical:StitchingSoftware>a test</GSpherical:StitchingSoftware>\
            <GSpherical:ProjectionType>equirectangular</GSpherical:ProjectionType></rdf:SphericalVideo>
            """
        let note = Box("uuid", number + Array(words.utf8))
        var edit = try #require(
            MovieEdit(SourceFile(descriptor: try scratch.existing(file), name: "the film")))
        edit.change(track: 0) { $0.children?.append(note) }
        try edit.write()
        for preset in ["passthrough", "hevc1080"] {
            let made = try export(file, preset, in: scratch, type: type) {
                $0.output.name = "\(preset).\(type)"
                $0.render = preset == "passthrough" ? .auto : .encode
            }
            #expect(try MovieBoxes(scratch.source(made.file))?.tracks.first?.projectionBox == note)
            #expect(
                try Probe.asset(of: scratch.source(made.file)).mainVideo?.video?.projection
                    == "equirectangular")
        }
    }

    @Test func whatOnlyDolbyVisionShowsIsNotEncoded() throws {
        let film = try film([Box("dvcC", [1, 0, 0x0a, 0x15, 0] + [UInt8](repeating: 0, count: 19))])
        #expect(try Probe.asset(of: scratch.source(film)).mainVideo?.video?.dolbyVision?.name == "5")
        let error = #expect(throws: MediaError.self) {
            try export(film, "hevc1080", in: scratch, type: "mov") { $0.render = .encode }
        }
        #expect(error?.message.contains("Dolby Vision 5") == true)
        _ = try copy(film, "mov")
    }

    @Test func damagedBoxesDoNoHarm() throws {
        let film = try film([Box("amve", [1]), Box("vexu", [0, 0]), Box("lhvC", [])])
        let made: Made
        do {
            made = try copy(film, "mov")
        } catch let error as MediaError where FFmpegFaults.isNewer {
            // FFmpeg 7.1 takes no movie with damaged boxes of these names.
            #expect(error.code == .fileFailedToParse, "\(error)")
            return
        }
        try verify(made, in: scratch)
    }
}
