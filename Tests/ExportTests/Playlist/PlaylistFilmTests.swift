// Films in playlists: exports are those of the same film as one file, byte by byte where the muxer writes no time of its own, and
// sample by sample in any case.
import Export
import FoundationEssentials
import Libav
import Media
import MediaTime
import Testing

@testable import Source

@Suite(.timeLimit(.minutes(10))) struct PlaylistFilmTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static let film =
        Film.video(size: "96x64", seconds: "6") + Film.noise(48_000, seconds: "6") + Film.h264() + [
            "-c:a", "aac",
        ]

    /// Exports a source, whatever its path.
    private func export(_ source: SourceFile, _ adjust: (inout ExportRequest) -> Void) throws -> (
        bytes: Data, result: ExportResult
    ) {
        let made = try scratch.export(source, adjust)
        return (try Data(contentsOf: URL(filePath: made.file)), made.result)
    }

    @Test(arguments: Packing.allCases) func theBytesAreThoseOfOneFile(_ packing: Packing) throws {
        let film = try PackedFilm(PlaylistFilmTests.film, packing, in: scratch)
        let source = try film.source(in: scratch)
        let whole = [UInt8](try Data(contentsOf: URL(filePath: film.whole)))
        #expect(source.size == whole.count)
        let isSame = source.bytes(at: 0, count: whole.count) == whole
        #expect(isSame)
        // Across the borders of files.
        for offset in stride(from: 0, to: whole.count - 1000, by: 7919) {
            let isSame =
                source.bytes(at: Int64(offset), count: 1000) == Array(whole[offset..<(offset + 1000)])
            #expect(isSame, "\(offset)")
        }
        #expect(source.bytes(at: source.size, count: 10).isEmpty)
    }

    @Test(arguments: Packing.allCases) func anExportIsThatOfOneFile(_ packing: Packing) throws {
        let film = try PackedFilm(PlaylistFilmTests.film, packing, in: scratch)
        let (list, whole) = (try film.source(in: scratch), try scratch.source(film.whole))
        let (a, b) = (try Probe.asset(of: list), try Probe.asset(of: whole))
        #expect(a.tracks == b.tracks)
        #expect(a.start == b.start && a.duration == b.duration)
        for render in [RenderMode.copy, .smart, .encode] {
            let make: (inout ExportRequest) throws -> Void = { request in
                request.render = render
                request.range = RangeRequest(start: .time(Time(33, 20)), end: .time(Time(87, 20)))
                guard render == .encode else { return }
                // Without x264: its bytes depend on what its process did before.
                request.preset = try preset("hevc1080")
                request.options = ExportOptions()
                request.options?.reproducible = true
            }
            let listed = try export(list) { try? make(&$0) }
            let single = try export(whole) { try? make(&$0) }
            let isSame = listed.bytes == single.bytes
            #expect(isSame, "\(render): \(listed.bytes.count) and \(single.bytes.count) bytes")
            #expect(listed.result.actual == single.result.actual)
        }
    }

    @Test func filesAreOpenedAFewAtATime() throws {
        let film = try PackedFilm(PlaylistFilmTests.film, .ts, in: scratch)
        let files = FolderFiles(film.folder)
        let source = try #require(try PlaylistSource(try scratch.source(film.list), files)).file
        #expect(files.counts.values.allSatisfy { $0 == 1 } && files.counts.count >= 5)
        _ = source.bytes(at: 0, count: Int(source.size))
        // Once to be measured, once to be read.
        #expect(files.counts.values.allSatisfy { $0 == 2 })
    }

    @Test func aSegmentThatChanges() throws {
        let film = try PackedFilm(PlaylistFilmTests.film, .ts, in: scratch)
        let playlist = try #require(
            try PlaylistSource(try scratch.source(film.list), FolderFiles(film.folder)))
        try Data("short".utf8).write(to: URL(filePath: film.folder + "/list3.ts"))
        #expect(throws: MediaError.self) { try export(playlist.file) { $0.render = .copy } }
        #expect(playlist.failure?.code == .sourceChanged)
    }

    /// A file, and that which is refused of it.
    private func refusal(_ text: String, _ files: [String: String] = ["a.ts": "media"]) throws -> MediaError {
        let folder = scratch.path + "/" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for (name, content) in files { try Data(content.utf8).write(to: URL(filePath: folder + "/" + name)) }
        let list = folder + "/list.m3u8"
        try Data("#EXTM3U\n#EXT-X-TARGETDURATION:4\n\(text)".utf8).write(to: URL(filePath: list))
        let source = try scratch.source(list)
        return try #require(throws: MediaError.self) { try PlaylistSource(source, FolderFiles(folder)) }
    }

    @Test func aMissingSegmentIsNamedWithItsTimes() throws {
        let error = try refusal("#EXTINF:4,\na.ts\n#EXTINF:2.5,\nb.ts\n#EXT-X-ENDLIST\n")
        #expect(error.code == .fileNotFound)
        #expect(error.time == Time(4, 1))
        for words in ["b.ts", "line 6", "00:00:04.000", "00:00:06.500"] {
            #expect(error.message.contains(words), "\(error)")
        }
    }

    @Test func rangesBeyondAFile() throws {
        let error = try refusal("#EXT-X-BYTERANGE:3@3\n#EXTINF:4,\na.ts\n#EXT-X-ENDLIST\n")
        #expect(error.code == .fileFailedToParse)
        #expect(error.message.contains("has 5 bytes"), "\(error)")
        #expect(try refusal("#EXTINF:4,\na.ts\n#EXT-X-ENDLIST\n", ["a.ts": ""]).message.contains("is empty"))
    }

    @Test func listsThatNameLists() throws {
        let itself = try refusal("#EXTINF:4,\nlist.m3u8\n#EXT-X-ENDLIST\n")
        #expect(itself.code == .playlist && itself.message.contains("is a playlist"), "\(itself)")
        let another = try refusal("#EXTINF:4,\na.ts\n#EXT-X-ENDLIST\n", ["a.ts": "#EXTM3U\n"])
        #expect(another.code == .playlist && another.message.contains("is a playlist"), "\(another)")
    }

    @Test(arguments: [
        ("#EXTINF:4,\na.ts\n", "live"), ("#EXTINF:4,\nhttp://host/a.ts\n#EXT-X-ENDLIST\n", "elsewhere"),
        ("#EXT-X-KEY:METHOD=AES-128,URI=\"k\"\n#EXTINF:4,\na.ts\n#EXT-X-ENDLIST\n", "encrypted"),
        ("#EXT-X-GAP\n#EXTINF:4,\na.ts\n#EXT-X-ENDLIST\n", "GAP"),
    ]) func refusedByPolicy(_ text: String, _ words: String) throws {
        let error = try refusal(text)
        #expect(error.code == .playlist && error.code.exitCode == 7, "\(error)")
        #expect(error.message.contains(words), "\(error)")
    }
}
