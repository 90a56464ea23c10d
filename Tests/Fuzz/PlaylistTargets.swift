// Playlists and the subtitles that they name, which anybody may have written.
import MediaTime
import Playlists

extension FuzzTarget {
    /// A playlist of any kind.
    static let playlist = FuzzTarget(
        name: "playlist",
        seeds: [
            "#EXTM3U\n#EXT-X-TARGETDURATION:7\n#EXT-X-MAP:URI=\"i.mp4\",BYTERANGE=\"600@0\"\n#EXT-X-KEY:METHOD=NONE\n#EXTINF:6.006,t\n#EXT-X-BYTERANGE:100@600\na%20b.m4s?x#y\n#EXT-X-DISCONTINUITY\n#EXT-X-GAP\n#EXTINF:.5,\nsub/./c.ts\n#EXT-X-ENDLIST\n",
            "\u{FEFF}#EXTM3U\r\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"D\",LANGUAGE=\"de\",DEFAULT=YES,URI=\"de/a.m3u8\"\r\n#EXT-X-STREAM-INF:BANDWIDTH=2500000,RESOLUTION=1280x720,CODECS=\"avc1,mp4a\",AUDIO=\"a\"\r\nhigh/v.m3u8\r\n",
            "#EXTM3U\n#EXT-X-TARGETDURATION:7\n#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00.5+01:00\n#EXT-X-DATERANGE:CLASS=\"com.apple.hls.interstitial\",ID=\"a\",START-DATE=\"2025-12-31T23:00:02Z\",DURATION=15.5,PLANNED-DURATION=3,X-RESUME-OFFSET=-1.5,X-PLAYOUT-LIMIT=2,X-RESTRICT=\"SKIP,JUMP\",CUE=\"PRE,ONCE\",X-ASSET-LIST=\"l\"\n#EXTINF:6,\na.ts\n#EXT-X-DATERANGE:ID=\"b\",START-DATE=\"2026-01-01T00:00:06,25Z\",END-DATE=\"2026-01-01T00:00:09Z\",END-ON-NEXT=YES,SCTE35-OUT=0xFC\n#EXT-X-CUE-OUT:DURATION=30,ID=\"c\"\n#EXTINF:6,\nb.ts\n#EXT-X-CUE-OUT-CONT:6/30\n#EXT-X-DISCONTINUITY\n#EXTINF:6,\nads/c.ts\n#EXT-X-CUE-IN\n#EXT-X-SCTE35:CUE-OUT=YES,DURATION=5\n#EXTINF:6,\nd.ts\n#EXT-X-ENDLIST\n",
            "ffconcat version 1.0\n# c\nfile 'a b/it'\\''s.mp4'\ninpoint 1:10.5\noutpoint -250f\nduration 3\nfile c\\ d.mov\n",
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
            precondition(list.interstitials.count <= PlaylistLimits.ranges * 3, "interstitials are bounded")
            var start = Time.zero
            for own in list.interstitials {
                precondition(own.start >= start && own.start <= list.duration, "interstitials are in order")
                start = own.start
                guard own.isStitched else { continue }
                precondition(own.duration.map { $0 > .zero } ?? false, "a stitched interstitial has a length")
                precondition(own.end.map { $0 <= list.duration } ?? false, "it ends within the playlist")
            }
        case .multivariant(let list):
            precondition(!list.variants.isEmpty && list.variants.count <= PlaylistLimits.variants)
            for variant in list.variants { check(variant.playlist.name) }
            for rendition in list.renditions { if let own = rendition.playlist { check(own.name) } }
        case .concat(let list):
            precondition(!list.entries.isEmpty && list.entries.count <= PlaylistLimits.files)
            for entry in list.entries { check(entry.file.name) }
        }
        return true
    }

    /// A segment of subtitles, given twice: what is written of it is WebVTT of the same cues.
    static let subtitles = FuzzTarget(
        name: "subtitles",
        seeds: [
            "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:900000,LOCAL:00:00:01.000\n\nSTYLE\n::cue {}\n\n1\n00:01.000 --> 00:02.500 align:left\n<i>a</i>\nb\n\n01:00:00.000 --> 01:00:01.000\nc\n",
            "\u{FEFF}WEBVTT t\r\n\r\nNOTE n\r\n00:00:01.000 --> 00:00:02.000\r\na\r\n",
        ]
    ) { bytes in
        var cues = SubtitleCues(zero: Time(14, 10))
        guard (try? cues.append(bytes, startingAt: Time(6, 1), line: 1)) != nil else { return false }
        let once = cues.file
        guard (try? cues.append(bytes, startingAt: Time(6, 1), line: 2)) != nil else { return true }
        precondition(once.starts(with: Array("WEBVTT\n\n".utf8)) && !once.contains(0), "it is WebVTT")
        var again = SubtitleCues(zero: .zero)
        guard (try? again.append(once, startingAt: .zero, line: 1)) != nil else {
            preconditionFailure("a file of ours is not taken")
        }
        precondition(again.file == once, "a file of ours is read as it is written")
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
