// Playlists made to hurt: each is taken or refused in little time, with little memory.
import Testing

@testable import Playlists

@Suite(.timeLimit(.minutes(60))) struct HostilePlaylistTests {
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
        #expect(!Playlist.isPlaylist([UInt8](repeating: 0, count: 10)))
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
}
