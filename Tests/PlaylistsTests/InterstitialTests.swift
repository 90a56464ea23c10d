// Interstitials as packagers and stitching servers mark them, in the playlist's time.
import MediaTime
import Testing

@testable import Playlists

@Suite struct InterstitialTests {
    private func media(_ text: String) throws -> MediaPlaylist {
        let whole = "#EXTM3U\n#EXT-X-TARGETDURATION:10\n" + text + "\n#EXT-X-ENDLIST\n"
        guard case .media(let list) = try Playlist(parsing: Array(whole.utf8)) else {
            throw PlaylistError(.malformed, "it is one of playlists")
        }
        return list
    }

    /// Segments of six seconds, as many as the numbers say.
    private func segments(_ numbers: ClosedRange<Int>, in folder: String = "") -> String {
        numbers.map { "#EXTINF:6,\n\(folder)\($0).ts" }.joined(separator: "\n")
    }

    private func told(_ list: MediaPlaylist) -> [String] {
        list.interstitials.map { own in
            let length = own.duration.map { "\($0.seconds)" } ?? "?"
            let words = own.restrictions.map { " \($0.rawValue)" }.joined()
            return "\(own.kind) \(own.id ?? "-") \(own.start.seconds)+\(length)"
                + (own.isStitched ? "" : " inserted") + words
        }
    }

    /// The tags before the second segment of five, those before the fourth, and the break.
    static let cues: [(String, String, String)] = [
        ("#EXT-X-CUE-OUT:12", "#EXT-X-CUE-IN", "cue - 6.0+12.0"),
        ("#EXT-X-CUE-OUT:30", "#EXT-X-CUE-IN", "cue - 6.0+12.0"),
        ("#EXT-X-CUE-OUT:12.02", "", "cue - 6.0+12.0"),
        ("#EXT-X-CUE-OUT:9.5", "", "cue - 6.0+9.5"),
        ("#EXT-X-CUE-OUT:DURATION=12", "", "cue - 6.0+12.0"),
        ("#EXT-X-CUE-OUT:DURATION=\"12.0\",ID=\"7\"", "", "cue 7 6.0+12.0"),
        ("#EXT-X-CUE-OUT:Duration=12,BreakID=b", "", "cue b 6.0+12.0"),
        ("#EXT-X-CUE-OUT", "#EXT-X-CUE-IN", "cue - 6.0+12.0"),
        ("#EXT-X-CUE-OUT:0", "#EXT-X-CUE-IN", "cue - 6.0+12.0"),
        ("#EXT-X-CUE-OUT:", "", "cue - 6.0+24.0"),
        ("#EXT-X-CUE-OUT:nonsense", "#EXT-X-CUE-IN", "cue - 6.0+12.0"),
        ("#EXT-OATCLS-SCTE35:/DAlAAAAAAAAAP==\n#EXT-X-CUE-OUT:12", "#EXT-X-CUE-IN", "cue - 6.0+12.0"),
        ("#EXT-X-SCTE35:ID=\"5\",CUE-OUT=YES,DURATION=12", "#EXT-X-SCTE35:CUE-IN=YES", "cue 5 6.0+12.0"),
        ("#EXT-X-CUE-OUT-CONT:6/18", "", "cue - 6.0+12.0"),
        ("#EXT-X-CUE-OUT-CONT:ElapsedTime=6.0,Duration=18,SCTE35=/DAl", "", "cue - 6.0+12.0"),
    ]

    @Test(arguments: cues) func aBreakBetweenCues(_ out: String, _ back: String, _ expected: String) throws {
        let list = try media(
            [segments(1...1), out, segments(2...3), back, segments(4...5)].joined(separator: "\n"))
        #expect(told(list) == [expected])
        #expect(list.problems.isEmpty)
    }

    @Test func breaksThatFollowAndGoOn() throws {
        let list = try media(
            """
            #EXT-X-CUE-OUT
            #EXTINF:6,
            a.ts
            #EXT-X-CUE-OUT-CONT
            #EXTINF:6,
            b.ts
            #EXTINF:6,
            c.ts
            #EXT-X-CUE-OUT:60
            #EXTINF:6,
            d.ts
            #EXT-X-CUE-OUT:6
            #EXTINF:6,
            e.ts
            #EXTINF:6,
            f.ts
            """)
        #expect(told(list) == ["cue - 0.0+12.0", "cue - 18.0+6.0", "cue - 24.0+6.0"])
    }

    /// Dates on two segments of six; the second leaps by an hour.
    private func dated(_ tags: String) throws -> MediaPlaylist {
        try media(
            "#EXT-X-PROGRAM-DATE-TIME:2026-01-01T12:00:06.000Z\n" + segments(1...3) + "\n\(tags)\n"
                + "#EXT-X-PROGRAM-DATE-TIME:2026-01-01T14:00:24+01:00\n" + segments(4...6))
    }

    private static let ad = "CLASS=\"com.apple.hls.interstitial\",ID=\"a\""

    static let ranges: [(String, String)] = [
        // Inserted: players go on where they were.
        (
            "\(ad),START-DATE=\"2026-01-01T12:00:12Z\",DURATION=15,X-RESUME-OFFSET=0,X-ASSET-URI=\"x\"",
            "interstitial a 6.0+15.0 inserted"
        ),
        (
            "\(ad),START-DATE=\"2026-01-01T12:00:12Z\",X-ASSET-LIST=\"x\",X-RESTRICT=\"SKIP,JUMP\"",
            "interstitial a 6.0+? inserted SKIP JUMP"
        ),
        (
            "\(ad),START-DATE=\"2026-01-01T12:00:12Z\",DURATION=15,X-RESUME-OFFSET=0,X-PLAYOUT-LIMIT=10,X-RESTRICT=\"JUMP\"",
            "interstitial a 6.0+10.0 inserted JUMP"
        ),
        (
            "\(ad),START-DATE=\"2026-01-01T12:00:12Z\",CUE=\"PRE,ONCE\",DURATION=15",
            "interstitial a 0.0+15.0 inserted"
        ),
        ("\(ad),START-DATE=\"2026-01-01T12:00:12Z\",CUE=\"POST\"", "interstitial a 36.0+? inserted"),
        // In the playlist's own time: players pass over what is replaced.
        (
            "\(ad),START-DATE=\"2026-01-01T12:00:12Z\",DURATION=15,X-RESUME-OFFSET=12.0",
            "interstitial a 6.0+12.0"
        ),
        ("\(ad),START-DATE=\"2026-01-01T12:00:12.010Z\",DURATION=11.98", "interstitial a 6.0+12.0"),
        ("\(ad),START-DATE=\"2026-01-01T12:00:08Z\",PLANNED-DURATION=5.5", "interstitial a 2.0+5.5"),
        (
            "\(ad),START-DATE=\"2026-01-01T12:00:12Z\",END-DATE=\"2026-01-01T12:00:18Z\"",
            "interstitial a 6.0+6.0"
        ),
        // Behind the leap of the dates, and in it.
        ("\(ad),START-DATE=\"2026-01-01T13:00:30Z\",DURATION=6", "interstitial a 24.0+6.0"),
        ("\(ad),START-DATE=\"2026-01-01T12:30:00Z\",DURATION=6", "interstitial a 18.0+6.0"),
        (
            "\(ad),START-DATE=\"2026-01-01T12:00:18Z\",END-DATE=\"2026-01-01T13:00:30Z\"",
            "interstitial a 12.0+12.0"
        ),
        // Cut to the playlist.
        ("\(ad),START-DATE=\"2026-01-01T12:00:00Z\",DURATION=12", "interstitial a 0.0+6.0"),
        ("\(ad),START-DATE=\"2026-01-01T13:00:36Z\",DURATION=60", "interstitial a 30.0+6.0"),
        // Splices.
        ("ID=\"s\",START-DATE=\"2026-01-01T12:00:12Z\",SCTE35-OUT=0xFC,DURATION=12", "scte35 s 6.0+12.0"),
        (
            "ID=\"s\",START-DATE=\"2026-01-01T12:00:12Z\",SCTE35-OUT=0xFC,PLANNED-DURATION=30\n"
                + "#EXT-X-DATERANGE:ID=\"s\",START-DATE=\"2026-01-01T12:00:12Z\",SCTE35-IN=0xFC,DURATION=12",
            "scte35 s 6.0+12.0"
        ),
        (
            "ID=\"s\",START-DATE=\"2026-01-01T12:00:12Z\",SCTE35-OUT=0xFC\n"
                + "#EXT-X-DATERANGE:ID=\"s\",START-DATE=\"2026-01-01T13:00:24Z\",SCTE35-IN=0xFC",
            "scte35 s 6.0+12.0"
        ),
        (
            "ID=\"s\",CLASS=\"c\",START-DATE=\"2026-01-01T12:00:12Z\",SCTE35-OUT=0xFC,END-ON-NEXT=YES\n"
                + "#EXT-X-DATERANGE:ID=\"t\",CLASS=\"c\",START-DATE=\"2026-01-01T12:00:18Z\",SCTE35-IN=0xFC",
            "scte35 s 6.0+6.0"
        ),
    ]

    @Test(arguments: ranges) func aRangeOfDates(_ attributes: String, _ expected: String) throws {
        let list = try dated("#EXT-X-DATERANGE:" + attributes)
        #expect(told(list) == [expected], "\(list.problems)")
        #expect(list.problems.isEmpty)
    }

    @Test(arguments: [
        "ID=\"x\",START-DATE=\"2026-01-01T12:00:12Z\",DURATION=12", "CLASS=\"other\",ID=\"x\"",
        "\(ad),START-DATE=\"2026-01-02T00:00:00Z\",DURATION=6",
        "\(ad),START-DATE=\"2025-12-31T00:00:00Z\",DURATION=6",
        "ID=\"s\",START-DATE=\"2026-01-01T12:00:12Z\",SCTE35-IN=0xFC",
    ]) func rangesThatAreNone(_ attributes: String) throws {
        let list = try dated("#EXT-X-DATERANGE:" + attributes)
        #expect(list.interstitials.isEmpty && list.problems.isEmpty, "\(list.problems)")
    }

    /// The film is read, and the line is named.
    @Test(arguments: [
        ("\(ad),DURATION=6", "START-DATE"), ("\(ad),START-DATE=\"yesterday\"", "not a date"),
        ("\(ad),START-DATE=\"2026-01-01T12:00:12Z\",DURATION=-1", "not a number of seconds"),
        ("CLASS=\"com.apple.hls.interstitial\",START-DATE=\"2026-01-01T12:00:12Z\"", "lacks ID"),
        ("ID=\"s\",START-DATE=\"2026-01-01T12:00:12Z\",SCTE35-OUT=0xFC", "when it ends"),
        ("nonsense", "no value"),
    ]) func marksThatCannotBeRead(_ attributes: String, _ words: String) throws {
        let list = try dated("#EXT-X-DATERANGE:" + attributes)
        let problem = try #require(list.problems.first)
        #expect(list.problems.count == 1 && list.interstitials.isEmpty)
        #expect(problem.line == 10 && problem.message.contains(words), "\(problem)")
    }

    @Test func datesWithoutATime() throws {
        let range =
            "#EXT-X-DATERANGE:\(InterstitialTests.ad),START-DATE=\"2026-01-01T12:00:12Z\",DURATION=6\n"
        let list = try media(range + segments(1...2))
        #expect(list.problems.first?.message.contains("EXT-X-PROGRAM-DATE-TIME") == true)
        let wrong = try media("#EXT-X-PROGRAM-DATE-TIME:noon\n" + segments(1...2))
        #expect(wrong.problems.first?.line == 5)
    }

    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("1970-01-01T01:00:00.25+01:00", 250_000),
        ("1970-01-01T01:00:00,000001+0100", 1), ("1969-12-31T23:00:00-01", 0),
        ("2000-03-01T00:00:00", 951_868_800_000_000), ("2026-01-01T12:00:06.1234567Z", 1_767_268_806_123_456),
        ("2024-02-29T23:59:59Z", 1_709_251_199_000_000),
    ]) func dates(_ text: String, _ microseconds: Int64) {
        #expect(PlaylistDate.microseconds(text) == microseconds)
    }

    @Test(arguments: [
        "", "2026", "2026-13-01T00:00:00Z", "2026-01-01T00:00:00.Z", "2026-01-01T24:00:00Z",
        "2026-01-01T00:00:00X", "2026-01-01T00:00:00+1", "2026-01-01T00:00:00+01:0", "2026-01-01T00:00:00Zz",
        "2026/01/01T00:00:00Z", "2026-01-01T00:00:00+99:00",
    ]) func anythingButDates(_ text: String) {
        #expect(PlaylistDate.microseconds(text) == nil)
    }

    private let border = "\n#EXT-X-DISCONTINUITY\n"

    @Test func partsFromElsewhere() throws {
        let film = [segments(1...4), segments(1...1, in: "ads/x/"), segments(5...8)]
        let list = try media(film.joined(separator: border))
        #expect(told(list) == ["part ads/x 24.0+6.0"])
        // Other names in the same folder.
        let named = try media(
            [segments(1...4, in: "film-"), segments(1...2, in: "spot-"), segments(5...8, in: "film-")].joined(
                separator: border))
        #expect(told(named) == ["part - 24.0+12.0"])
        // Two in a row, and one that comes first.
        let three = try media(
            [
                segments(1...1, in: "a/"), segments(1...4), segments(1...1, in: "b/"),
                segments(1...1, in: "c/"),
                segments(5...9),
            ].joined(separator: border))
        #expect(told(three) == ["part a 0.0+6.0", "part b 30.0+6.0", "part c 36.0+6.0"])
    }

    /// Two films one after the other, a film in two parts, and a film whose segments all have names of their own.
    @Test func partsOfTheFilm() throws {
        for parts in [
            [segments(1...4, in: "a/"), segments(1...4, in: "b/")], [segments(1...4), segments(5...8)],
            [segments(1...3, in: "a/"), segments(1...2, in: "b/"), segments(1...2, in: "c/")],
            ["#EXTINF:6,\nx.ts", "#EXTINF:6,\ny.ts", "#EXTINF:6,\nz.ts"],
            [segments(1...4) + "\n" + segments(1...1, in: "b/") + "\n" + segments(5...6)],
        ] {
            #expect(told(try media(parts.joined(separator: border))).isEmpty)
        }
    }

    /// A break that is marked in three ways is one.
    @Test func theSameBreakMarkedTwice() throws {
        let range =
            "#EXT-X-DATERANGE:ID=\"s\",START-DATE=\"2026-01-01T00:00:24.02Z\",SCTE35-OUT=0xFC,DURATION=12.01\n"
        let film =
            "#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00Z\n" + segments(1...4) + border + range
            + "#EXT-X-CUE-OUT:12\n" + segments(1...2, in: "ads/") + border + "#EXT-X-CUE-IN\n"
            + segments(5...8)
        #expect(told(try media(film)) == ["scte35 s 24.0+12.0"])
        let cue = film.replacing(range, with: "")
        #expect(told(try media(cue)) == ["cue - 24.0+12.0"])
        let part = cue.replacing("#EXT-X-CUE-OUT:12\n", with: "").replacing("#EXT-X-CUE-IN\n", with: "")
        #expect(told(try media(part)) == ["part ads 24.0+12.0"])
    }
}
