// Playlists of playlists: which quality is read, and audio in playlists of its own.
import Export
import FoundationEssentials
import Libav
import Media
import MediaTime
import Testing

@testable import Source

@Suite(.timeLimit(.minutes(10))) struct VariantTests {
    let scratch: Scratch
    let folder: String

    init() throws {
        scratch = try Scratch()
        folder = scratch.path + "/hls"
    }

    /// Writes a part of a film as a playlist in a folder of its own.
    private func pack(_ film: String, _ map: String, _ name: String, _ packing: Packing) throws {
        try FileManager.default.createDirectory(
            atPath: folder + "/" + name, withIntermediateDirectories: true)
        // Boxes hold no ADTS headers.
        let bare = packing == .fMP4 && map == "0:a" ? ["-bsf:a", "aac_adtstoasc"] : []
        try Tool.ffmpeg(
            ["-copyts", "-i", film, "-map", map, "-c", "copy"] + bare + [
                "-muxdelay", "0", "-muxpreload", "0",
            ] + packing.words + ["\(folder)/\(name)/list.m3u8"])
    }

    private func master(_ lines: [String]) throws -> SourceFile {
        let list = folder + "/\(UUID().uuidString).m3u8"
        try Data((["#EXTM3U"] + lines + [""]).joined(separator: "\n").utf8).write(to: URL(filePath: list))
        return try scratch.source(list)
    }

    private func read(_ list: SourceFile, _ choice: VariantChoice = .highest) throws -> SourceFile {
        try #require(try PlaylistSource(list, FolderFiles(folder), variant: choice)).file
    }

    private func film(_ size: String = "160x120") throws -> String {
        let (made, film) = (scratch.name("mp4"), scratch.name("ts"))
        try Tool.ffmpeg(
            Film.video(size: size, seconds: "6") + Film.noise(48_000, seconds: "6") + Film.h264() + [
                "-c:a", "aac", made,
            ])
        try Tool.ffmpeg(["-i", made, "-c", "copy", film])
        return film
    }

    private func export(_ source: SourceFile, _ render: RenderMode) throws -> (
        file: String, result: ExportResult
    ) {
        try scratch.export(source) {
            $0.range = RangeRequest(start: .time(Time(33, 20)), end: .time(Time(87, 20)))
            $0.render = render
        }
    }

    @Test(arguments: [Packing.ts, .fMP4]) func audioInAPlaylistOfItsOwn(_ packing: Packing) throws {
        let film = try film()
        try pack(film, "0:v", "video", packing)
        try pack(film, "0:a", "de", packing)
        let source = try read(
            master([
                #"#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="Deutsch",LANGUAGE="ger",DEFAULT=YES,URI="de/list.m3u8""#,
                #"#EXT-X-STREAM-INF:BANDWIDTH=900000,RESOLUTION=160x120,AUDIO="a""#, "video/list.m3u8",
            ]))
        let (listed, whole) = (try Probe.asset(of: source), try Probe.asset(of: try scratch.source(film)))
        #expect(listed.tracks.map(\.kind) == [.video, .audio])
        #expect(listed.tracks.map(\.index) == [0, 1])
        // The edit list of a header counts milliseconds.
        for (one, two) in zip(listed.tracks, whole.tracks) {
            let (a, b) = (try #require(one.start), try #require(two.start))
            #expect(abs(a.seconds - b.seconds) < (packing == .fMP4 ? 0.001 : 1e-9))
        }
        #expect(listed.tracks.last?.language == "ger")
        for render in [RenderMode.copy, .smart] {
            let (mine, theirs) = (try export(source, render), try export(try scratch.source(film), render))
            #expect(mine.result.actual == theirs.result.actual)
            #expect(mine.result.tracks.map(\.framesCopied) == theirs.result.tracks.map(\.framesCopied))
            let (a, b) = (try FrameSums.of(mine.file), try FrameSums.of(theirs.file))
            #expect(a == b && a.count > 60)
            let sound = ["-map", "0:a:0", "-f", "md5", "-"]
            let (x, y) = (
                try Tool.ffmpeg(["-i", mine.file] + sound), try Tool.ffmpeg(["-i", theirs.file] + sound)
            )
            #expect(x == y, "\(render)")
        }
    }

    @Test func theQualityThatIsRead() throws {
        for (size, name) in [("160x120", "low"), ("320x240", "high")] {
            try pack(try film(size), "0", name, .ts)
        }
        let list = try master([
            "#EXT-X-STREAM-INF:BANDWIDTH=900000,RESOLUTION=160x120", "low/list.m3u8",
            "#EXT-X-STREAM-INF:BANDWIDTH=800000,RESOLUTION=320x240", "high/list.m3u8",
        ])
        let choices: [(VariantChoice, Int)] = [
            (.highest, 320), (.lowest, 160), (.number(1), 160), (.number(2), 320),
            (.size(width: 160, height: 120), 160),
        ]
        for (choice, width) in choices {
            #expect(try Probe.asset(of: read(list, choice)).mainVideo?.video?.width == width, "\(choice)")
        }
        for choice in [VariantChoice.number(3), .size(width: 1, height: 1)] {
            let error = try #require(throws: MediaError.self) { try read(list, choice) }
            #expect(
                error.code == .invalidRequest && error.message.contains("2 (320x240, 800 kbit/s)"), "\(error)"
            )
        }
    }

    /// A choice is not ignored where there is nothing to choose.
    @Test func aFilmOffersNoVariants() throws {
        try pack(try film(), "0", "one", .ts)
        let list = try scratch.source(folder + "/one/list.m3u8")
        let media = try #require(try PlaylistSource(list, FolderFiles(folder + "/one")))
        for playlist in [media, nil] {
            for choice in [VariantChoice.number(1), .size(width: 160, height: 120)] {
                let error = try #require(throws: MediaError.self) {
                    try PlaylistSource.check(choice, of: playlist, "film")
                }
                #expect(error.code == .invalidRequest)
            }
            for choice in [VariantChoice.highest, .lowest] {
                try PlaylistSource.check(choice, of: playlist, "film")
            }
        }
    }

    @Test func playlistsAreNestedOnce() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\na.m3u8\n".utf8).write(
            to: URL(filePath: folder + "/a.m3u8"))
        let list = try master(["#EXT-X-STREAM-INF:BANDWIDTH=1", "a.m3u8"])
        let error = try #require(throws: MediaError.self) { try read(list) }
        #expect(error.code == .playlist && error.message.contains("a playlist of playlists"), "\(error)")
        let missing = try master(["#EXT-X-STREAM-INF:BANDWIDTH=1", "b.m3u8"])
        let absent = try #require(throws: MediaError.self) { try read(missing) }
        #expect(absent.code == .fileNotFound && absent.message.contains("line 3"), "\(absent)")
    }
}
