// The other formats, as the programs that write them do, and what is wrong with a line of each.
import Media
import MediaTime
import Testing

@testable import Lists

@Suite struct FormatTests {
    @Test func jsonLines() throws {
        let list = read(
            """
            {"input": "a.mov", "start": 1.10, "end": "1:10", "label": "x", "preset": "m4a"}

            {"input": "b.mov", "start": {"value": 441000, "timescale": 44100}, "snap": "frame", "options": {"audio": "eng"}}
            {"input": "c.mov", "start": true}
            [1]
            {"input": "d.mov", "keep": ["0..1", "4..5"], "end": -3}
            {"input": "e.mov", "end": 3, "duration": 2}
            """, .jsonl)
        #expect(list.faults.map(\.line) == [4, 5, 7])
        #expect(list.exports.map(\.line) == [1, 3, 6])
        #expect(list.exports[0].start == .decimal(Time(110, 100)) && list.exports[0].preset == "m4a")
        #expect(list.exports[1].start == .time(Time(10, 1)))
        #expect(list.exports[1].rest == #"{"snap":"frame","options":{"audio":"eng"}}"#)
        #expect(list.exports[2].end == .decimalFromEnd(Time(3, 1)))
    }

    @Test func anArrayOfExports() throws {
        let list = read(
            """

            [{"input": "a.mov", "start": 1.10,
              "end": "1:10"},
             7,
             {"input": "b.mov", "start": {"value": 1, "timescale": 0}},
             {"input": "c.mov", "end": {"value": 1, "timescale": 2147483648}}]
            """, .jsonl)
        #expect(list.exports.map(\.line) == [2] && list.exports.map(\.start) == [.decimal(Time(110, 100))])
        #expect(list.faults.map(\.line) == [4, 5, 6])
        #expect(
            list.faults.dropFirst().allSatisfy { $0.message.contains("from 1 to 2147483647") },
            "\(list.faults)")
        #expect(read("[{\"input\": \"a\"}\n{\"input\": \"b\"}", .jsonl).faults.map(\.line) == [2])
        #expect(read("[]", .jsonl).faults.map(\.line) == [1])
    }

    @Test func losslessCutProjects() throws {
        let list = read(
            """
            {
              version: 1,
              mediaFileName: 'my film.mp4', // as it is written
              cutSegments: [
                { start: 1.123456, end: 4, name: '', },
                { end: 9.5, name: "It's" },
                { start: 31.466666666666665, name: 'rest', tags: { a: '1' } },
              ],
            }
            """, .llc)
        #expect(list.faults.isEmpty)
        #expect(list.exports.map(\.input) == ["my film.mp4", "my film.mp4", "my film.mp4"])
        #expect(list.exports.map(\.line) == [5, 6, 7])
        #expect(list.exports[0].start == .decimal(Time(1_123_456, 1_000_000)))
        #expect(list.exports[1].label == "It's" && list.exports[1].start == nil)
        #expect(
            list.exports[2].start == .decimal(Time(31_466_667, 1_000_000)) && list.exports[2].end == nil)

        let second = read(
            "{version: 2, cutSegments: [{start: 1}, {start: 2, end: 3, selected: false}, {start: 4, end: 5}]}",
            .llc)
        #expect(second.exports.count == 1 && second.notes.count == 2)
    }

    @Test func decisionLists() throws {
        let list = read(
            """
            TITLE: all of it
            FCM: DROP FRAME

            001  AX       V     C        01:00:00:02 01:00:10:00 00:00:00:00 00:00:09:28
            * FROM CLIP NAME: first.mov
            001  AX       A     C        01:00:00:02 01:00:10:00 00:00:00:00 00:00:09:28
            002  BL       V     C        00:00:00:00 00:00:01:00 00:00:09:28 00:00:10:28
            FCM: NON-DROP FRAME
            003  TAPE1    V     C        00:00:05:00 00:00:05:00 00:00:10:28 00:00:10:28
            003  TAPE2    V     D    024 00:00:07:00 00:00:09:12 00:00:10:28 00:00:13:10
            * FROM CLIP NAME: left
            * TO CLIP NAME: right
            M2   TAPE2       048.0                00:00:07:00
            004  TAPE3    V     C        00:00:07:00 00:61:09:12 00:00:10:28 00:00:13:10
            005  short
            """, .edl)
        #expect(list.faults.map(\.line) == [14, 15])
        #expect(list.exports.map(\.line) == [4, 10])
        #expect(list.exports[0].times == "01:00:00;02..01:00:10;00")
        #expect(list.exports[0].input == "first.mov" && list.exports[0].isClipName)
        #expect(list.exports[0].label == "first" && list.exports[1].label == "right")
        #expect(list.exports[1].times == "00:00:07:00..00:00:09:12")
        #expect(list.exports[1].input == "right")
        #expect(list.notes.map(\.line) == [10, 13] && list.notes.allSatisfy(\.isLoss))
    }

    /// An event that asks for more than a cut says so, on its line; a plain one does not.
    @Test(
        arguments: [
            ("V     C       ", nil), ("B     C       ", nil), ("AA/V  C       ", nil),
            ("A2/V  C       ", "channel 2"),
            ("AA    C       ", "audio alone"), ("A     C       ", "audio alone"),
            ("A2    C       ", "audio alone"),
            ("NONE  C       ", "audio alone"), ("V     D    024", "dissolve of 024 frames"),
            ("V     W001 010", "wipe W001 of 010 frames"), ("V     K B     ", "key K"),
            ("V     KB      ", "key KB"),
        ] as [(String, String?)])
    func anEventThatLosesSomethingSaysSo(channels: String, loss: String?) throws {
        let list = read(
            "TITLE: a\n001  AX       V     C        00:00:01:00 00:00:02:00 01:00:00:00 01:00:01:00\n"
                + "002  AX       \(channels) 00:00:05:00 00:00:07:00 01:00:01:00 01:00:03:00\n", .edl)
        #expect(list.faults.isEmpty && list.exports.count == 2)
        #expect(list.notes.filter(\.isLoss).map(\.line) == (loss == nil ? [] : [3]), "\(list.notes)")
        if let loss { #expect(list.notes.first?.message.contains(loss) == true, "\(list.notes)") }
    }

    @Test func theLinesOfOneEventAreOneCut() {
        let times = "00:00:05:00 00:00:07:00 01:00:01:00 01:00:03:00"
        let list = read("001  AX  A2  C  \(times)\n001  AX  A  C  \(times)\n001  AX  V  C  \(times)\n", .edl)
        #expect(list.exports.count == 1 && list.notes.isEmpty, "\(list.notes)")
    }

    /// Whatever a timeline asks for beside its cuts is said on its line.
    @Test func aTimelineThatLosesSomethingSaysSo() throws {
        let media = #""media_reference": {"OTIO_SCHEMA": "ExternalReference.1", "target_url": "a.mov"}"#
        let range = { (start: String, duration: String) in
            #"{"OTIO_SCHEMA": "TimeRange.1", "start_time": {"OTIO_SCHEMA": "RationalTime.1", "rate": 24.0, "value": \#(start)}, "#
                + #""duration": {"OTIO_SCHEMA": "RationalTime.1", "rate": 24.0, "value": \#(duration)}}"#
        }
        let clip = { (more: String) in
            #"{"OTIO_SCHEMA": "Clip.2", "name": "c", \#(media), "source_range": \#(range("24.0", "48.0"))\#(more)}"#
        }
        let text = """
            {"OTIO_SCHEMA": "Timeline.1", "tracks": {"OTIO_SCHEMA": "Stack.1", "source_range": \(range("0", "24")),
            "children": [{"OTIO_SCHEMA": "Track.1", "kind": "Video", "source_range": \(range("0", "24")), "children": [
            \(clip("")),
            {"OTIO_SCHEMA": "Transition.1", "name": "", "transition_type": "SMPTE_Dissolve"},
            \(clip(#", "effects": [{"OTIO_SCHEMA": "LinearTimeWarp.1", "effect_name": "slow"}]"#)),
            {"OTIO_SCHEMA": "Something.9"},
            \(clip(#", "enabled": false"#))]}]}}
            """
        let list = read(text, .otio)
        #expect(list.faults.isEmpty && list.exports.count == 2)
        #expect(list.notes.filter(\.isLoss).map(\.line).sorted() == [1, 2, 4, 5, 6], "\(list.notes)")
        #expect(list.notes.filter { !$0.isLoss }.map(\.line) == [7])
    }

    /// Numbers without an end are written as opentimelineio does, and as RapidJSON reads them.
    @Test(arguments: ["Infinity", "Inf", "inf"]) func mediaWithoutAnEnd(word: String) throws {
        func list(start: String, duration: String) -> ExportList {
            let time = { (value: String) in
                #"{"OTIO_SCHEMA": "RationalTime.1", "rate": 24.0, "value": \#(value)}"#
            }
            let range = { (start: String, duration: String) in
                #"{"OTIO_SCHEMA": "TimeRange.1", "start_time": \#(time(start)), "duration": \#(time(duration))}"#
            }
            return read(
                #"{"OTIO_SCHEMA": "Clip.1", "name": "c", "metadata": {"x": -\#(word), "y": NaN}, "media_reference": "#
                    + #"{"OTIO_SCHEMA": "ExternalReference.1", "target_url": "a.mov", "available_range": "#
                    + #"\#(range("0.0", word))}, "source_range": \#(range(start, duration))}"#, .otio)
        }
        let plain = list(start: "24.0", duration: "48.0")
        #expect(plain.faults.isEmpty && plain.exports.first?.start == .time(Time(1, 1)), "\(plain.faults)")
        #expect(plain.exports.first?.end == .time(Time(3, 1)))
        let open = list(start: "24.0", duration: word)
        #expect(open.faults.isEmpty && open.exports.first?.end == nil, "\(open.faults)")
        for (start, duration) in [(word, "1.0"), ("-" + word, "1.0"), ("NaN", "1.0"), ("0.0", "NaN")] {
            #expect(list(start: start, duration: duration).faults.count == 1)
        }
    }

    @Test(arguments: [
        ("A001.MOV", "A001"), ("Scene 1.2", "Scene 1.2"), ("v2.final.mxf", "v2.final"), (".mov", ".mov"),
        ("plain", "plain"), ("clip.m2ts", "clip"), ("take.two", "take.two"),
    ])
    func theLabelOfAnEventHasNoExtension(_ clip: String, _ label: String) {
        let list = read(
            "001  AX V C 00:00:20:00 00:00:21:00 01:00:02:00 01:00:03:00\n* FROM CLIP NAME: \(clip)\n", .edl)
        #expect(list.exports.map(\.label) == [label])
        #expect(list.exports.map(\.input) == [clip], "the source keeps its name")
    }

    /// Decimals are read as decimals, so that they may mean a frame; ticks and rates are exact.
    @Test func decimalsOfEveryListMayMeanAFrame() throws {
        let decimal = TimeSpelling.decimal(Time(33_367, 1_000_000))
        let csv = read("0.033367,\"00:00:01,5\",a\n", .csv).exports
        #expect(csv.map(\.start) == [decimal] && csv.map(\.end) == [.decimal(Time(3, 2))])
        #expect(read("start\tend\n0,033367\t1m10s\n", .tsv).exports.map(\.start) == [decimal])
        #expect(
            read(#"{"input": "a", "start": 0.033367, "end": "-1f"}"#, .jsonl).exports.map(\.start) == [
                decimal
            ])
        let llc = read("{version: 1, cutSegments: [{start: 0.033367, end: 0.06673340000001}]}", .llc).exports
        #expect(llc.map(\.start) == [decimal] && llc.map(\.end) == [.decimal(Time(66_733, 1_000_000))])
        let chapters = read(
            """
            <Chapters><EditionEntry><ChapterAtom><ChapterTimeStart>00:00:00.033367</ChapterTimeStart>
            <ChapterTimeEnd>00:00:00.066733000</ChapterTimeEnd></ChapterAtom></EditionEntry></Chapters>
            """, .chapters
        ).exports
        #expect(chapters.map(\.start) == [decimal] && chapters.map(\.end) == [.time(Time(66_733, 1_000_000))])
        let ticks = read(
            ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000000\nSTART=33367\nEND=66733\n", .ffmetadata
        ).exports
        #expect(ticks.map(\.start) == [.time(Time(33_367, 1_000_000))])
    }

    @Test func joinedInTheOrderOfTheEdit() throws {
        let list = read(
            """
            002  AX V C 00:00:20:00 00:00:21:00 01:00:02:00 01:00:03:00
            * FROM CLIP NAME: a.mov
            001  AX V C 00:00:10:00 00:00:11:00 01:00:01:00 01:00:02:00
            * FROM CLIP NAME: a.mov
            """, .edl
        ).joined()
        #expect(list.exports.count == 1)
        #expect(
            list.exports[0].keep?.map(\.description) == [
                "00:00:10:00..00:00:11:00", "00:00:20:00..00:00:21:00",
            ])
    }

    @Test func timelinesInTheirVariety() throws {
        let clip = { (more: String) in
            """
            {"OTIO_SCHEMA": "Clip.2", "name": "c", \(more), "source_range": {"OTIO_SCHEMA": "TimeRange.1",
             "start_time": {"rate": 23.976, "value": 86400.0}, "duration": {"rate": 24, "value": 12.5}}}
            """
        }
        let known =
            #""media_references": {"DEFAULT_MEDIA": {"OTIO_SCHEMA": "ExternalReference.1", "target_url": "URL"}}"#
        let text = { (children: [String]) in
            #"{"OTIO_SCHEMA": "Timeline.1", "tracks": {"OTIO_SCHEMA": "Stack.1", "children": [{"OTIO_SCHEMA": "Track.1", "#
                + #""kind": "Video", "children": [\#(children.joined(separator: ","))]}]}}"#
        }
        let list = read(
            text([
                clip(known.replacing("URL", with: "file://localhost/a%20b/%C3%A9.mov")),
                clip(#""media_reference": {"OTIO_SCHEMA": "MissingReference.1", "name": "tape"}"#),
                clip(known.replacing("URL", with: "https://example.org/a.mov")),
                clip(#""media_reference": {"OTIO_SCHEMA": "GeneratorReference.1"}"#),
            ]), .otio)
        #expect(list.exports.map(\.input) == ["/a b/é.mov", "tape"])
        #expect(list.exports[0].start == .time(Time(86400 * 1001, 24000)))
        #expect(list.exports[0].origin == .timecode && list.exports[1].isClipName)
        #expect(list.faults.count == 1 && list.notes.count == 1)
        guard case .time(let end)? = list.exports[0].end, case .time(let start)? = list.exports[0].start
        else {
            Issue.record("no times")
            return
        }
        #expect(end - start == Time(125, 240))
    }

    @Test func ffmetadata() {
        let list = read(
            """
            ;FFMETADATA1
            title=Whole\\=film

            [CHAPTER]
            TIMEBASE=1/1000
            START=0
            END=1500
            title=One\\; and \\#1
            [CHAPTER]
            TIMEBASE=1001/30000
            START=45
            title=Two
            [CHAPTER]
            START=5000000000
            END=x
            [STREAM]
            START=9
            """, .ffmetadata)
        #expect(list.exports.map(\.label) == ["One; and #1", "Two", nil])
        #expect(list.exports[0].end == .time(Time(3, 2)))
        #expect(
            list.exports[1].start == .time(Time(45045, 30000)) && list.exports[1].end == .time(Time(5, 1)))
        #expect(list.faults.map(\.line) == [15])
    }

    @Test func matroskaChapters() throws {
        let list = read(
            """
            <?xml version="1.0"?>
            <!-- <!DOCTYPE Chapters SYSTEM "matroskachapters.dtd"> -->
            <Chapters>
              <EditionEntry>
                <ChapterAtom>
                  <ChapterTimeStart>00:00:00.000000000</ChapterTimeStart>
                  <ChapterTimeEnd>00:00:01.234567891</ChapterTimeEnd>
                  <ChapterDisplay><ChapterString>A &amp; B &#x263A;</ChapterString></ChapterDisplay>
                  <ChapterAtom><ChapterTimeStart>00:00:00.5</ChapterTimeStart></ChapterAtom>
                </ChapterAtom>
                <ChapterAtom><ChapterTimeStart>00:00:02</ChapterTimeStart><ChapterFlagHidden>1</ChapterFlagHidden></ChapterAtom>
                <ChapterAtom><ChapterTimeStart>00:00:03</ChapterTimeStart></ChapterAtom>
                <ChapterAtom><ChapterTimeStart>00:00:04x</ChapterTimeStart></ChapterAtom>
              </EditionEntry>
              <EditionEntry><ChapterAtom><ChapterTimeStart>9</ChapterTimeStart></ChapterAtom></EditionEntry>
            </Chapters>
            """, .chapters)
        #expect(list.exports.map(\.label) == ["A & B ☺", nil])
        #expect(list.exports[0].end == .time(Time(1_234_567_891, 1_000_000_000)))
        #expect(list.exports.map(\.line) == [5, 12])
        #expect(list.faults.map(\.line) == [13, 13])
    }

    @Test(arguments: [
        "<Chapters>", "<a></b>", "<Chapters/>", "<!DOCTYPE x [<!ENTITY a \"b\">]><Chapters/>",
        "<Chapters>&x;</Chapters>",
        "no", String(repeating: "<a>", count: 100),
    ]) func whatIsNoXML(text: String) { #expect(!read(text, .chapters).faults.isEmpty) }

    @Test(arguments: [
        ("x.EDL", "", ListFormat.edl), ("x", ";FFMETADATA1\n", .ffmetadata), ("x.txt", "TITLE: x\n", .edl),
        ("x.json", "{\"OTIO_SCHEMA\": \"Timeline.1\"}", .otio), ("x", "{\"input\": \"a\"}", .jsonl),
        ("x.json", " [{\"input\": \"a\"}]", .jsonl),
        ("x", "input,start\n", .csv), ("x", "1\t2\tx\n", .tsv), ("x", "<?xml?>", .chapters),
    ]) func formatsAreRecognised(name: String, text: String, format: ListFormat) {
        #expect(ListFormat(name: name, bytes: Array(text.utf8)) == format)
    }
}
