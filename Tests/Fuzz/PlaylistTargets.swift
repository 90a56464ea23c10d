// Playlists, which anybody may have written.
import MediaTime
import Playlists

extension FuzzTarget {
    /// A playlist of either kind.
    static let playlist = FuzzTarget(
        name: "playlist",
        seeds: [
            "#EXTM3U\n#EXT-X-TARGETDURATION:7\n#EXT-X-MAP:URI=\"i.mp4\",BYTERANGE=\"600@0\"\n#EXT-X-KEY:METHOD=NONE\n#EXTINF:6.006,t\n#EXT-X-BYTERANGE:100@600\na%20b.m4s?x#y\n#EXT-X-DISCONTINUITY\n#EXT-X-GAP\n#EXTINF:.5,\nsub/./c.ts\n#EXT-X-ENDLIST\n",
            "\u{FEFF}#EXTM3U\r\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"D\",LANGUAGE=\"de\",DEFAULT=YES,URI=\"de/a.m3u8\"\r\n#EXT-X-STREAM-INF:BANDWIDTH=2500000,RESOLUTION=1280x720,CODECS=\"avc1,mp4a\",AUDIO=\"a\"\r\nhigh/v.m3u8\r\n",
        ]
    ) { bytes in
        guard let playlist = try? Playlist(parsing: bytes) else { return false }
        switch playlist {
        case .media(let list):
            precondition(!list.segments.isEmpty && list.segments.count <= PlaylistLimits.segments)
            var end = Time.zero
            for segment in list.segments {
                precondition(segment.start == end && segment.duration >= .zero, "segments follow one another")
                end = segment.end
                if let range = segment.media.range { precondition(!range.isEmpty && range.lowerBound >= 0) }
                check(segment.media.name)
                if let map = segment.map { check(map.name) }
            }
        case .multivariant(let list):
            precondition(!list.variants.isEmpty && list.variants.count <= PlaylistLimits.variants)
            for variant in list.variants { check(variant.playlist.name) }
            for rendition in list.renditions { if let own = rendition.playlist { check(own.name) } }
        }
        return true
    }

    /// A name stays beneath its folder.
    private static func check(_ name: RelativeName) {
        precondition(!name.path.hasPrefix("/") && !name.path.utf8.contains(0), "a name is relative")
        precondition(
            name.path.split(separator: "/", omittingEmptySubsequences: false).allSatisfy {
                !$0.isEmpty && $0 != ".." && $0 != "."
            }, "a name leads out")
        precondition(name.path.utf8.count <= PlaylistLimits.name, "a name is short")
    }
}
