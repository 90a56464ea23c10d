// Playlists as packagers write them, and the line of each error.
import MediaTime
import Testing

@testable import Playlists

@Suite struct PlaylistParserTests {
    @Test func theSegmentsOfAStream() throws {
        let list = try media(
            """
            #EXTM3U
            #EXT-X-VERSION:6
            #EXT-X-TARGETDURATION:7
            #EXT-X-MAP:URI="init.mp4"
            # a comment
            #EXTINF:6.006,first
            a%20b.m4s?token=1

            #EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:06Z
            #EXTINF:5,
            sub/./c.m4s
            #EXT-X-DISCONTINUITY
            #EXT-X-GAP
            #EXTINF:.5,
            d.m4s
            #EXT-X-ENDLIST
            """)
        #expect(list.segments.map(\.media.name.path) == ["a b.m4s", "sub/c.m4s", "d.m4s"])
        #expect(list.segments.map(\.media.line) == [7, 11, 15])
        #expect(list.segments.map(\.start) == [.zero, Time(6006, 1000), Time(11006, 1000)])
        #expect(list.duration == Time(11506, 1000))
        #expect(list.segments.map(\.part) == [0, 0, 1])
        #expect(list.segments.map(\.isGap) == [false, false, true])
        #expect(list.segments[1].date == "2026-01-01T00:00:06Z")
        #expect(list.segments.allSatisfy { $0.map?.name.path == "init.mp4" })
        #expect(list.names.map(\.path) == ["init.mp4", "a b.m4s", "sub/c.m4s"])
        #expect(list.partCount == 2)
    }

    @Test func rangesOfBytesFollowOneAnother() throws {
        let list = try media(
            """
            \u{FEFF}#EXTM3U\r
            #EXT-X-TARGETDURATION:1\r
            #EXT-X-MAP:URI="a.mp4",BYTERANGE="600@0"\r
            #EXTINF:1,\r
            #EXT-X-BYTERANGE:100@600\r
            a.mp4\r
            #EXT-X-BYTERANGE:50\r
            #EXTINF:1,\r
            a.mp4\r
            #EXT-X-ENDLIST\r

            """)
        #expect(list.segments.map(\.media.range) == [600..<700, 700..<750])
        #expect(list.segments.first?.map?.range == 0..<600)
        #expect(list.names.count == 1)
    }

    @Test func aPlaylistOfPlaylists() throws {
        let text = """
            #EXTM3U
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="Deutsch",LANGUAGE="de",DEFAULT=YES,URI="de/a.m3u8"
            #EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID="c",NAME="cc",INSTREAM-ID="CC1"
            #EXT-X-STREAM-INF:BANDWIDTH=2500000,RESOLUTION=1280x720,CODECS="avc1.64001f,mp4a.40.2",AUDIO="a"
            high/v.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=64000
            low.m3u8
            #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI="https://elsewhere/i.m3u8"
            """
        guard case .multivariant(let list) = try Playlist(parsing: Array(text.utf8)) else {
            Issue.record("it is one of segments")
            return
        }
        #expect(list.variants.map(\.playlist.name.path) == ["high/v.m3u8", "low.m3u8"])
        #expect(list.variants.map(\.height) == [720, nil])
        #expect(list.variants.first?.codecs == "avc1.64001f,mp4a.40.2")
        #expect(list.variants.first?.described == "1280x720, 2500 kbit/s")
        #expect(list.renditions.first?.playlist?.name.path == "de/a.m3u8")
        #expect(list.renditions.map(\.kind) == [.audio, .closedCaptions])
    }

    private static let head = "#EXTM3U\n#EXT-X-TARGETDURATION:9\n"
    private static let end = "#EXT-X-ENDLIST\n"

    static let refusals: [(String, PlaylistError.Reason, Int?, String)] = [
        ("hello", .malformed, 1, "#EXTM3U"),
        ("#EXTM3U8\n", .malformed, 1, "#EXTM3U"),
        (head + "#EXTINF:1,\na.ts\n", .refused, nil, "live"),
        (head + end, .malformed, nil, "no segment"),
        ("#EXTM3U\n#EXTINF:123,Artist - Title\nsong.mp3\n", .refused, nil, "list of files"),
        ("#EXTM3U\nsong.mp3\n", .refused, nil, "list of files"),
        (head + "#EXT-X-KEY:METHOD=AES-128,URI=\"k\"\n#EXTINF:1,\na.ts\n" + end, .refused, 3, "encrypted"),
        (
            head + "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"k\"\n#EXTINF:1,\na.ts\n" + end, .refused, 3,
            "SAMPLE-AES"
        ),
        (head + "#EXT-X-SESSION-KEY:METHOD=AES-128,URI=\"k\"\n", .refused, 3, "encrypted"),
        (head + "#EXTINF:1,\nhttps://host/a.ts\n" + end, .refused, 4, "elsewhere"),
        (head + "#EXTINF:1,\nfile:///etc/passwd\n" + end, .refused, 4, "elsewhere"),
        (head + "#EXTINF:1,\n//host/a.ts\n" + end, .refused, 4, "elsewhere"),
        (head + "#EXTINF:1,\n/dev/zero\n" + end, .refused, 4, "absolute"),
        (head + "#EXTINF:1,\n%2Fdev%2Fzero\n" + end, .refused, 4, "absolute"),
        (head + "#EXTINF:1,\n../a.ts\n" + end, .refused, 4, "leads out"),
        (head + "#EXTINF:1,\na/%2e%2E/b.ts\n" + end, .refused, 4, "leads out"),
        (head + "#EXTINF:1,\na%00.ts\n" + end, .refused, 4, "control"),
        (head + "#EXTINF:1,\na%ff.ts\n" + end, .refused, 4, "UTF-8"),
        (head + "#EXTINF:1,\na/\n" + end, .refused, 4, "no file"),
        (head + "#EXTINF:1,\n?a\n" + end, .refused, 4, "no file"),
        (head + "#EXTINF:1,\na\u{0}.ts\n" + end, .malformed, 4, "control"),
        (head + "a.ts\n" + end, .malformed, 3, "EXTINF"),
        (head + "#EXTINF:x,\na.ts\n" + end, .malformed, 3, "duration"),
        (head + "#EXTINF:-1,\na.ts\n" + end, .malformed, 3, "duration"),
        (head + "#EXTINF:1e9,\na.ts\n" + end, .malformed, 3, "duration"),
        (head + "#EXTINF:99999999999,\na.ts\n" + end, .malformed, 3, "duration"),
        (head + "#EXTINF:9999999,\na.ts\n#EXTINF:9999999,\na.ts\n" + end, .tooLarge, 6, "longer"),
        (head + "#EXT-X-BYTERANGE:5\n#EXTINF:1,\na.ts\n" + end, .malformed, 5, "follows none"),
        (head + "#EXT-X-BYTERANGE:0@5\n#EXTINF:1,\na.ts\n" + end, .malformed, 3, "range of bytes"),
        (head + "#EXT-X-BYTERANGE:5@-5\n#EXTINF:1,\na.ts\n" + end, .malformed, 3, "range of bytes"),
        (head + "#EXT-X-MAP:BYTERANGE=\"5@0\"\n" + end, .malformed, 3, "URI"),
        (head + "#EXT-X-MAP:URI=\"../i.mp4\"\n" + end, .refused, 3, "leads out"),
        (head + "#EXT-X-MAP:URI=\"i.mp4\n" + end, .malformed, 3, "closing quote"),
        (head + "#EXT-X-MAP:URI=\"a\",URI=\"b\"\n" + end, .malformed, 3, "twice"),
        (head + "#EXT-X-I-FRAMES-ONLY\n" + end, .refused, 3, "keyframes only"),
        (head + "#EXT-X-DEFINE:NAME=\"a\",VALUE=\"b\"\n" + end, .refused, 3, "variables"),
        ("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n", .malformed, 2, "no playlist follows"),
        ("#EXTM3U\n#EXT-X-STREAM-INF:CODECS=\"a\"\na.m3u8\n", .malformed, 2, "BANDWIDTH"),
        ("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nhttp://h/a.m3u8\n", .refused, 3, "elsewhere"),
        ("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\na.m3u8\n#EXTINF:1,\nb.ts\n", .malformed, nil, "both"),
    ]

    @Test(arguments: refusals) func whatIsNotTaken(
        _ text: String, _ reason: PlaylistError.Reason, _ line: Int?, _ words: String
    ) throws {
        let error = try #require(throws: PlaylistError.self) { try Playlist(parsing: Array(text.utf8)) }
        #expect(error.reason == reason, "\(error)")
        #expect(error.line == line, "\(error)")
        #expect(error.message.contains(words), "\(error)")
    }

    @Test func anythingButUTF8() throws {
        let bytes = Array((PlaylistParserTests.head + "#EXTINF:1,\n").utf8) + [0xC3, 0x28, 0x0A]
        let error = try #require(throws: PlaylistError.self) { try Playlist(parsing: bytes) }
        #expect(error.line == 4 && error.message.contains("UTF-8"))
    }

    private func media(_ text: String) throws -> MediaPlaylist {
        guard case .media(let list) = try Playlist(parsing: Array(text.utf8)) else {
            throw PlaylistError(.malformed, "it is one of playlists")
        }
        return list
    }
}
