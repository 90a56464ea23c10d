// Subtitles of playlists: tracks of the asset, whose cues are where the segments say.
import Export
import FoundationEssentials
import Libav
import Media
import MediaTime
import Testing

@testable import Source

@Suite(.timeLimit(.minutes(10))) struct PlaylistSubtitleTests {
    let scratch: Scratch
    let film: PackedFilm
    let folder: String

    init() throws {
        scratch = try Scratch()
        film = try PackedFilm(
            Film.video(seconds: "6") + Film.noise(48_000, seconds: "6") + Film.h264() + ["-c:a", "aac"], .ts,
            in: scratch)
        folder = film.folder
    }

    /// Writes subtitles in segments of two seconds.
    private func subtitles(_ name: String, _ segments: [String]) throws {
        var list = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n"
        for (index, text) in segments.enumerated() {
            try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name)\(index).vtt"))
            list += "#EXTINF:2,\n\(name)\(index).vtt\n"
        }
        try Data((list + "#EXT-X-ENDLIST\n").utf8).write(to: URL(filePath: "\(folder)/\(name).m3u8"))
    }

    private func source(
        _ names: [String], reading: SubtitleReading = .needed
    ) throws -> SourceFile {
        var text = "#EXTM3U\n"
        for name in names {
            text +=
                "#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID=\"s\",NAME=\"\(name)\",LANGUAGE=\"\(name)\","
                + "FORCED=\(name == "de" ? "YES" : "NO"),URI=\"\(name).m3u8\"\n"
        }
        text += "#EXT-X-STREAM-INF:BANDWIDTH=1,SUBTITLES=\"s\"\nlist.m3u8\n"
        let path = folder + "/master.m3u8"
        try Data(text.utf8).write(to: URL(filePath: path))
        return try #require(
            try PlaylistSource(try scratch.source(path), FolderFiles(folder), subtitles: reading)
        ).file
    }

    /// The cues of an output as SubRip, which ffmpeg writes.
    private func cues(_ file: String, _ track: Int) throws -> String {
        let text = scratch.name("srt")
        try Tool.ffmpeg(["-i", file, "-map", "0:s:\(track)", text])
        return try String(contentsOfFile: text, encoding: .utf8)
    }

    private static let long = "00:00:01.500 --> 00:00:04.500\nAcross\n\n"

    private static let english = [
        "WEBVTT\n\n00:00:00.500 --> 00:00:01.000\nFirst\n\n" + long, "WEBVTT\n\n" + long,
        "WEBVTT\n\n" + long + "00:00:05.000 --> 00:00:05.500\nLast\n",
    ]

    @Test func cuesAreCutAndMoved() throws {
        try subtitles("en", PlaylistSubtitleTests.english)
        // ffmpeg's transport streams begin at 1.4 s of their clock.
        let map = "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:126000,LOCAL:00:00:00.000\n\n"
        try subtitles("de", [map + "00:00:03.000 --> 00:00:04.000\nDrei\n"])
        let source = try source(["en", "de"])
        let asset = try Probe.asset(of: source)
        #expect(asset.subtitleTracks.map(\.language) == ["en", "de"])
        #expect(asset.subtitleTracks.map { $0.dispositions.contains("forced") } == [false, true])
        #expect(!asset.faults.contains { $0.code == .unreadRendition }, "\(asset.faults)")
        let whole = try scratch.export(source)
        let first = try cues(whole.file, 0)
        #expect(
            first.components("Across") == 1 && first.contains("00:00:00,500 --> 00:00:01,000"), "\(first)")
        #expect(first.contains("00:00:01,500 --> 00:00:04,500"), "\(first)")
        // Its clock has ticks of 1/90000 s, and audio begins before video: to a millisecond.
        let start = (Time(14, 10) - asset.start).seconds
        #expect(abs(start) < 0.1)
        let cut = try scratch.export(source) {
            $0.range = RangeRequest(start: .time(Time(2, 1)), end: .time(Time(21, 4)))
            $0.options = ExportOptions()
            $0.options?.subtitles = "en"
        }
        let moved = try cues(cut.file, 0)
        #expect(moved.contains("00:00:00,000 --> 00:00:02,500\nAcross"), "\(moved)")
        #expect(moved.contains("00:00:03,000 --> 00:00:03,250\nLast"), "\(moved)")
        #expect(!moved.contains("First"))
        let none = try self.source(["en", "de"], reading: .none)
        #expect(try Probe.asset(of: none).subtitleTracks.isEmpty)
    }

    /// The clock of transport streams begins anew behind a discontinuity, and the subtitles of each part name its own.
    @Test(arguments: [true, false]) func clocksThatBeginAnew(_ isDividedAlike: Bool) throws {
        let (parts, _) = try PartedFilm.divided(in: scratch)
        var film = try PartedFilm(in: scratch)
        for (index, part) in parts.enumerated() { try film.addPacked("p\(index)", of: part) }
        _ = try film.source(in: scratch)
        var list = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n"
        for number in 0..<3 {
            if number > 0, isDividedAlike { list += "#EXT-X-DISCONTINUITY\n" }
            list += "#EXTINF:2,\nt\(number).vtt\n"
            // Each part begins at 1.4 s of its clock; its cue half a second later.
            let text =
                "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:126000,LOCAL:00:00:00.000\n\n"
                + "00:00:00.500 --> 00:00:01.000\nPart \(number)\n"
            try Data(text.utf8).write(to: URL(filePath: "\(film.folder)/t\(number).vtt"))
        }
        try Data((list + "#EXT-X-ENDLIST\n").utf8).write(to: URL(filePath: "\(film.folder)/t.m3u8"))
        let master = film.folder + "/master.m3u8"
        try Data(
            """
            #EXTM3U
            #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="t",LANGUAGE="en",URI="t.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=1,SUBTITLES="s"
            list.m3u8

            """.utf8
        ).write(to: URL(filePath: master))
        let source = try #require(try PlaylistSource(try scratch.source(master), FolderFiles(film.folder)))
            .file
        let made = try scratch.export(source)
        let start = (Time(14, 10) - (try Probe.asset(of: source)).start).seconds
        let shown = try cues(made.file, 0).split(separator: "\n").filter { $0.contains("-->") }
            .map { line in line.prefix(12).suffix(6).replacing(",", with: ".") }.compactMap { Double($0) }
        #expect(shown.count == 3, "\(shown)")
        for (number, time) in shown.enumerated() {
            #expect(abs(time - start - Double(number) * 2 - 0.5) < 0.05, "\(number): \(time)")
        }
    }

    @Test func segmentsThatAreMissing() throws {
        try subtitles("en", PlaylistSubtitleTests.english)
        try FileManager.default.removeItem(atPath: folder + "/en1.vtt")
        let error = try #require(throws: MediaError.self) { try source(["en"]) }
        #expect(error.code == .fileNotFound && error.time == Time(2, 1), "\(error)")
        #expect(error.message.contains("en1.vtt") && error.message.contains("line 6"), "\(error)")
        #expect(error.remedy?.contains("--subtitles none") == true)
        // The probe shows the film without them.
        let asset = try Probe.asset(of: try source(["en"], reading: .offered))
        #expect(asset.faults.filter { $0.code == .unreadRendition }.count == 1)
        #expect(asset.subtitleTracks.isEmpty)
    }

    /// The film is exported without them, and says so.
    @Test func subtitlesOfAnotherKind() throws {
        try subtitles("en", ["1\n00:00:01,000 --> 00:00:02,000\nSubRip\n"])
        try subtitles("de", PlaylistSubtitleTests.english)
        let source = try source(["en", "de"])
        #expect(try Probe.asset(of: source).subtitleTracks.count == 1)
        let made = try scratch.export(source)
        let warning = try #require(made.result.warnings.first { $0.code == .subtitlesUnread })
        #expect(warning.message.contains("'en'") && warning.message.contains("WebVTT"), "\(warning)")
    }
}

extension String {
    /// How often a text is in it.
    fileprivate func components(_ text: String) -> Int {
        split(separator: text, omittingEmptySubsequences: false).count - 1
    }
}
