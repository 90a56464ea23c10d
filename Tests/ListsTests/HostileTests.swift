// Lists that nobody wrote in good faith: each parser answers, in linear time, and never falls.
import Testing

@testable import Lists

@Suite struct HostileTests {
    private static let seeds: [ListFormat: String] = [
        .csv: "input,start,end,label\n\"a\",1,2,\"x\"\"y\"\n", .tsv: "1\t2\tx\n",
        .jsonl: "{\"input\":\"a\",\"start\":1.5,\"keep\":[\"1..2\"]}\n",
        .edl:
            "FCM: DROP FRAME\n001 AX V C 01:00:00;02 01:00:10;00 00:00:00:00 00:00:09:28\n* FROM CLIP NAME: a\n",
        .llc: "{version:1,cutSegments:[{start:1,end:2,name:'x'}]}",
        .otio:
            "{\"OTIO_SCHEMA\":\"Clip.1\",\"name\":\"c\",\"source_range\":{\"start_time\":{\"rate\":24,\"value\":1},"
            + "\"duration\":{\"rate\":24,\"value\":2}},\"media_reference\":{\"target_url\":\"file:///a\"}}",
        .ffmetadata: ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=5\ntitle=a\\=b\n",
        .chapters: "<Chapters><EditionEntry><ChapterAtom><ChapterTimeStart>1</ChapterTimeStart></ChapterAtom>"
            + "</EditionEntry></Chapters>",
    ]

    private static let morsels = [
        "", "\"", "'", "\\", "\u{0}", "{", "}", "[", "]", "<", ">", "&", ";", ",", "\t", "\r", "\n", "-",
        "1e400", "1e-400",
        "9223372036854775807", "99999999999999999999999999", "/*", "//", "<![CDATA[", "]]>", "<!", "%00",
        "%zz", "\\u0000",
        "\\ud800", "e\u{301}", "\u{202E}", "END=-1\n", "TIMEBASE=0/0\n", "00:00:59;00", "null",
        "-9223372036854775808",
    ]

    @Test(arguments: ListFormat.allCases) func spoiledLists(format: ListFormat) throws {
        let seed = Array(try #require(Self.seeds[format]).utf8)
        #expect(ExportList.read(seed, format).exports.count == 1)
        var state: UInt64 = 7
        func dice(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(max(count, 1)))
        }
        for _ in 0..<3000 {
            var text = seed
            for _ in 0...dice(3) {
                let offset = dice(text.count + 1)
                switch dice(3) {
                case 0: text.replaceSubrange(offset..<min(offset + dice(9), text.count), with: [])
                case 1: text.insert(contentsOf: Self.morsels[dice(Self.morsels.count)].utf8, at: offset)
                default: if offset < text.count { text[offset] ^= 1 << UInt8(dice(8)) }
                }
            }
            let list = ExportList.read(text, format)
            #expect(!list.exports.isEmpty || !list.faults.isEmpty)
        }
    }

    @Test(arguments: [
        (ListFormat.llc, "["), (.llc, "{a:"), (.chapters, "<a>"), (.csv, "\""), (.otio, "{\"children\":["),
        (.jsonl, "["),
        (.edl, "* FROM CLIP NAME: a\n"), (.ffmetadata, "a\\\n"), (.csv, ",;\t"), (.llc, "/*"),
    ]) func aMegabyteOfTheSame(format: ListFormat, text: String) {
        let clock = ContinuousClock()
        let time = clock.measure {
            let list = read(String(repeating: text, count: 1_000_000 / text.utf8.count), format)
            #expect(!list.exports.isEmpty || !list.faults.isEmpty)
        }
        #expect(time < .seconds(30))
    }
}
