// Playlists made to hurt: each is taken or refused in little time, with little memory.
import Testing
import Text

@testable import Playlists

@Suite(.timeLimit(.minutes(10))) struct HostilePlaylistTests {
    private func parse(_ text: String) throws -> Playlist { try Playlist(parsing: Array(text.utf8)) }

    private func list(_ count: Int) -> String {
        "#EXTM3U\n#EXT-X-TARGETDURATION:1\n"
            + (0..<count).map { "#EXTINF:1,\n\($0).ts\n" }.joined() + "#EXT-X-ENDLIST\n"
    }

    @Test func tenThousandNames() throws {
        guard case .media(let media) = try parse(list(10_000)) else { return }
        #expect(media.names.count == 10_000)
    }

    @Test func moreSegmentsThanAnyFilmHas() throws {
        let error = try #require(throws: PlaylistError.self) { try parse(list(PlaylistLimits.segments + 1)) }
        #expect(error.reason == .tooLarge)
        #expect(error.line == 2 + 2 * (PlaylistLimits.segments + 1))
    }

    @Test func endlessAttributes() throws {
        let many = (0..<5000).map { "A\($0)=1" }.joined(separator: ",")
        for text in [
            "#EXTM3U\n#EXT-X-MAP:\(many.prefix(16_000))\n",
            "#EXTM3U\n#EXT-X-MAP:\(many)\n",
            "#EXTM3U\n#EXT-X-MAP:URI=\"\(String(repeating: "x", count: 1 << 20))\"\n",
        ] {
            let error = try #require(throws: PlaylistError.self) { try parse(text) }
            #expect(error.reason == .tooLarge && error.line == 2, "\(error)")
        }
    }

    @Test func aNameWithoutEnd() throws {
        let name = String(repeating: "a/", count: 2000) + "b.ts"
        let error = try #require(throws: PlaylistError.self) {
            try parse("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n\(name)\n#EXT-X-ENDLIST\n")
        }
        #expect(error.reason == .refused && error.message.utf8.count < 300)
    }

    @Test func nothingButNULs() throws {
        #expect(throws: PlaylistError.self) { try Playlist(parsing: [UInt8](repeating: 0, count: 1 << 20)) }
        #expect(!PlaylistSignature.isAtStart(of: [UInt8](repeating: 0, count: 10)))
    }

    @Test func moreThanAPlaylistMayHave() throws {
        let bytes = Array("#EXTM3U\n".utf8) + [UInt8](repeating: 0x0A, count: PlaylistLimits.bytes)
        let error = try #require(throws: PlaylistError.self) { try Playlist(parsing: bytes) }
        #expect(error.reason == .tooLarge)
    }

    @Test func thousandsOfVariants() throws {
        let text = "#EXTM3U\n" + String(repeating: "#EXT-X-STREAM-INF:BANDWIDTH=1\na.m3u8\n", count: 5000)
        let error = try #require(throws: PlaylistError.self) { try parse(text) }
        #expect(error.reason == .tooLarge)
    }

    @Test func aRangeOfBytesThatOverflows() throws {
        let most = String(repeating: "9", count: 18)
        let text =
            "#EXTM3U\n#EXT-X-TARGETDURATION:1\n"
            + "#EXT-X-BYTERANGE:\(most)@\(most)\n#EXTINF:1,\na.ts\n"
            + String(repeating: "#EXT-X-BYTERANGE:\(most)\n#EXTINF:1,\na.ts\n", count: 20)
            + "#EXT-X-ENDLIST\n"
        let error = try #require(throws: PlaylistError.self) { try parse(text) }
        #expect(error.reason == .malformed)
    }

    /// Marks without end are refused at the line that is one too many, whatever follows it.
    @Test(arguments: [
        "#EXT-X-DATERANGE:ID=\"@\",SCTE35-OUT=0xFC,START-DATE=\"2026-01-01T00:00:00Z\"\n",
        "#EXT-X-DATERANGE:ID=\"@\",CLASS=\"other\"\n", "#EXT-X-DATERANGE:ID=\"a\",SCTE35-IN=0xFC\n",
        "#EXT-X-DATERANGE:@\n", "#EXT-X-CUE-OUT\n#EXTINF:0.1,\na.ts\n#EXT-X-CUE-IN\n",
        "#EXT-X-CUE-OUT-CONT:@/9\n",
    ]) func marksWithoutEnd(_ tag: String) throws {
        let parts = tag.split(separator: "@", omittingEmptySubsequences: false)
        let tags = (0...PlaylistLimits.segments * 2).map { number in parts.joined(separator: "\(number)") }
        let text =
            "#EXTM3U\n#EXT-X-TARGETDURATION:1\n" + tags.joined() + "#EXTINF:1,\na.ts\n#EXT-X-ENDLIST\n"
        let error = try #require(throws: PlaylistError.self) { try parse(text) }
        #expect(error.reason == .tooLarge && error.message.contains("ranges of time"), "\(error)")
    }

    /// As many marks as are taken, in a playlist of as many segments: each is placed in little time.
    @Test func manyMarksInManySegments() throws {
        let ranges = (0..<PlaylistLimits.ranges).map {
            "#EXT-X-DATERANGE:ID=\"\($0)\",SCTE35-OUT=0xFC,DURATION=0.5,START-DATE=\"2026-01-01T00:00:0\($0 % 10)Z\"\n"
        }
        let segments = (0..<PlaylistLimits.segments).map {
            "#EXT-X-DISCONTINUITY\n#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00Z\n#EXTINF:1,\n\($0 % 3 == 0 ? "b/" : "")\($0).ts\n"
        }
        let text =
            "#EXTM3U\n#EXT-X-TARGETDURATION:1\n" + ranges.joined() + segments.joined() + "#EXT-X-ENDLIST\n"
        let error = try #require(throws: PlaylistError.self) { try parse(text) }
        #expect(error.reason == .tooLarge && error.message.contains("elsewhere"), "\(error)")
    }

    /// Texts of a mark are cut: all together must fit an answer.
    @Test func longTexts() throws {
        let long = String(repeating: "x", count: 10_000)
        let text =
            "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-CUE-OUT:ID=\"\(long)\",DURATION=1\n#EXTINF:2,\na.ts\n#EXT-X-ENDLIST\n"
        guard case .media(let media) = try parse(text) else { return }
        #expect(media.interstitials.first?.id?.count ?? .max < 300)
    }
}
