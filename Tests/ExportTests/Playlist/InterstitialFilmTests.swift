// Films in playlists with breaks: the ranges that are named are the same as if their times were given, and cut at the segments' own
// frames.
import Export
import FoundationEssentials
import Libav
import Media
import MediaTime
import Testing

@testable import Source

@Suite(.timeLimit(.minutes(10))) struct InterstitialFilmTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static let film =
        Film.video(seconds: "8") + Film.noise(48_000, seconds: "8") + Film.h264("keyint=25") + [
            "-c:a", "aac",
        ]

    /// A film of segments of a second, with tags before some of them.
    private func source(
        _ tags: [Int: String], _ packing: Packing = .ts
    ) throws -> (playlist: PlaylistSource, whole: SourceFile) {
        let film = try PackedFilm(InterstitialFilmTests.film, packing, in: scratch)
        var number = -1
        let text = try String(contentsOfFile: film.list, encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
            guard line.hasPrefix("#EXTINF") else { return [String(line)] }
            number += 1
            return [tags[number], String(line)].compactMap(\.self)
        }
        try Data(lines.joined(separator: "\n").utf8).write(to: URL(filePath: film.list))
        let playlist = try #require(
            try PlaylistSource(try scratch.source(film.list), FolderFiles(film.folder)))
        return (playlist, try scratch.source(film.whole))
    }

    private func export(
        _ source: SourceFile, _ range: RangeRequest, _ render: RenderMode = .copy
    ) throws -> (bytes: Data, result: ExportResult) {
        let made = try scratch.export(source) { ($0.range, $0.render) = (range, render) }
        return (try Data(contentsOf: URL(filePath: made.file)), made.result)
    }

    private func removing(_ words: String...) throws -> RangeRequest {
        var range = RangeRequest()
        range.remove = try words.map { try RangeSpelling.parse($0) }
        return range
    }

    private static let breaks = [
        2: "#EXT-X-CUE-OUT:1.9\n#EXT-X-CUE-OUT-CONT:0/2", 3: "#EXT-X-CUE-OUT-CONT:1/2", 4: "#EXT-X-CUE-IN",
        7: "#EXT-X-CUE-OUT",
    ]

    @Test(arguments: [Packing.ts, .fMP4]) func breaksAreLeftOut(_ packing: Packing) throws {
        let (playlist, whole) = try source(InterstitialFilmTests.breaks, packing)
        var asset = try Probe.asset(of: playlist.file, keyframes: true)
        playlist.describe(&asset)
        let listed = try #require(asset.interstitials)
        #expect(listed.count == 2 && listed.allSatisfy { $0.stitched && $0.kind == .cue })
        // The cuts are at keyframes, wherever the playlist's rounded times lie.
        let keyframes = try #require(asset.mainVideo?.keyframes)
        let resolved = try playlist.resolved(try removing("interstitials"))
        let gone = try #require(resolved.remove)
        #expect(gone.count == 2 && gone.last?.end == nil)
        for edge in [gone.first?.start, gone.first?.end, gone.last?.start] {
            let time = try #require(edge?.assetTime)
            #expect(keyframes.contains(time), "\(time)")
        }
        let (kept, named) = (try export(whole, resolved), try export(playlist.file, resolved))
        let isSame = kept.bytes == named.bytes
        #expect(isSame)
        // Nothing of the breaks is among the frames: they are those of five of eight seconds.
        let video = try #require(named.result.tracks.first { $0.kind == .video })
        #expect(video.framesCopied == 125 && video.framesEncoded == 0, "\(video)")
    }

    @Test func withinARange() throws {
        let (playlist, _) = try source(InterstitialFilmTests.breaks)
        var range = try removing("interstitials", "0..0.5")
        (range.start, range.end) = (.time(Time(1, 4)), .time(Time(9, 2)))
        let resolved = try playlist.resolved(range)
        #expect(resolved.start == range.start && resolved.remove?.count == 3)
        let made = try export(playlist.file, resolved, .smart)
        // 0.5 to the break, and from its end to 4.5.
        let actual = try #require(made.result.tracks.first { $0.kind == .video })
        #expect(actual.framesCopied + actual.framesEncoded == 51, "\(actual)")
        // A break outside the range is nothing to be removed.
        var early = try removing("interstitials")
        early.end = .time(Time(1, 1))
        #expect(
            try export(playlist.file, try playlist.resolved(early)).result.tracks.first?.framesCopied == 25)
    }

    @Test func theProgramAndTheBreaks() throws {
        let (playlist, _) = try source(InterstitialFilmTests.breaks)
        var range = RangeRequest()
        range.keep = [RangeSpelling(.program)]
        let program = try #require(try playlist.resolved(range).keep)
        #expect(program.count == 2 && program.first?.start?.assetTime == .zero)
        range.keep = [RangeSpelling(.interstitials)]
        let breaks = try #require(try playlist.resolved(range).keep)
        #expect(breaks.count == 2 && breaks.first?.start == program.first?.end)
        // The first one, and then the program.
        range.keep = [breaks[0], RangeSpelling(.program)]
        #expect(try playlist.resolved(range).keep == [breaks[0]] + program)
    }

    /// A film without advertisements is its own program.
    @Test func theProgramOfAFilmWithoutBreaksIsAllOfIt() throws {
        let (none, _) = try source([:])
        var kept = RangeRequest()
        kept.keep = [RangeSpelling(.program)]
        var rest = try removing("not-program")
        rest.start = .decimal(Time(1, 1))
        for resolve in [
            { try none.resolved($0) }, { try PlaylistSource.resolved($0, of: "film.mp4") },
        ] as [(RangeRequest) throws -> RangeRequest] {
            #expect(try resolve(kept).keep == [RangeSpelling(start: .time(.zero), end: nil)])
            let whole = try resolve(rest)
            #expect(whole.remove == nil && whole.start == rest.start)
        }
        let (playlist, _) = try source(InterstitialFilmTests.breaks)
        #expect(
            try playlist.resolved(try removing("not-program"))
                == playlist.resolved(try removing("interstitials")))
    }

    @Test func whereThereAreNone() throws {
        let named = try removing("interstitials")
        let (none, whole) = try source([:])
        let absent = try #require(throws: MediaError.self) { try none.resolved(named) }
        #expect(
            absent.code == .invalidRequest && absent.message.contains("names no interstitials"), "\(absent)")
        for attempt in [
            { _ = try PlaylistSource.resolved(named, of: "film.mp4") }, { _ = try export(whole, named) },
        ] as [() throws -> Void] {
            let error = try #require(throws: MediaError.self) { try attempt() }
            #expect(error.code == .invalidRequest && error.message.contains("is no playlist"), "\(error)")
        }
        let (all, _) = try source([0: "#EXT-X-CUE-OUT"])
        let nothing = try #require(throws: MediaError.self) { try all.resolved(named) }
        #expect(nothing.code == .invalidTime && nothing.message.contains("nothing is left"), "\(nothing)")
        // Inserted by players: there is nothing to remove.
        let ad =
            "#EXT-X-DATERANGE:CLASS=\"com.apple.hls.interstitial\",ID=\"a\",START-DATE=\"2026-01-01T00:00:02Z\","
        let date = "#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00Z\n"
        let (inserted, _) = try source([0: date + ad + "X-RESUME-OFFSET=0,X-ASSET-URI=\"https://h/a.m3u8\""])
        #expect(throws: MediaError.self) { try inserted.resolved(named) }
        let (broken, _) = try source([0: date + "#EXT-X-CUE-OUT:1\n" + ad + "DURATION=soon"])
        let unread = try #require(throws: MediaError.self) { try broken.resolved(named) }
        #expect(unread.message.contains("line") && unread.message.contains("soon"), "\(unread)")
        var asset = try Probe.asset(of: broken.file)
        broken.describe(&asset)
        #expect(asset.faults.contains { $0.code == .playlistMark } && asset.interstitials?.count == 1)
    }

    @Test func rangesOfDates() throws {
        let (playlist, _) = try source([
            0: "#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00.000Z\n"
                + "#EXT-X-DATERANGE:ID=\"s\",START-DATE=\"2026-01-01T00:00:02.004Z\",DURATION=2.99,SCTE35-OUT=0xFC"
        ])
        let resolved = try playlist.resolved(try removing("interstitials"))
        let made = try export(playlist.file, resolved)
        #expect(made.result.tracks.first { $0.kind == .video }?.framesCopied == 125)
    }
}
