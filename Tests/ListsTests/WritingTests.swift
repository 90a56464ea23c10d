// Lists that are written: they are read as they were, in every format, and samples of other programs survive the way out and in.
import Media
import MediaTime
import Testing

@testable import Lists

@Suite struct WritingTests {
    private func export(
        _ start: TimeSpelling?, _ end: TimeSpelling?, _ label: String? = nil, input: String? = nil
    ) -> ListedExport {
        var export = ListedExport(line: 1)
        (export.start, export.end, export.label, export.input) = (start, end, label, input)
        return export
    }

    private func list(_ exports: ListedExport...) -> ExportList {
        var list = ExportList()
        list.exports = exports
        return list
    }

    /// The content of a list, without the places in its text.
    private func said(_ list: ExportList) -> [ListedExport] {
        list.exports.map {
            var export = $0
            (export.line, export.position) = (0, nil)
            return export
        }
    }

    private func again(
        _ list: ExportList, _ format: ListFormat, rate: Ratio? = nil, timecode: TimeSpelling? = nil
    ) throws -> ExportList {
        read(try list.written(as: format, rate: rate, timecode: timecode).text, format, rate: rate)
    }

    @Test(arguments: [ListFormat.csv, .tsv])
    func tablesKeepEverySpelling(format: ListFormat) throws {
        let names = ["a \"quoted\"; name", " blanks ", "two\nlines", "comma, tab\tand ; ", "é名", "out"]
        var exports = names.map {
            export(.decimal(Time(3, 2)), .time(Time(1001 * 70, 30000)), $0, input: "/films/\($0).mov")
        }
        exports.append(export(.frame(250), .frameFromEnd(1), input: "b.mov"))
        exports.append(
            export(
                .timecode(hours: 1, minutes: 0, seconds: 10, frames: 2, dropFrame: true), .end, input: "b.mov"
            ))
        exports.append(export(nil, .decimalFromEnd(Time(3, 1)), input: "b.mov"))
        exports[0].preset = "m4a"
        exports[1].render = .smart
        exports[2].snap = .frame
        exports[3].output = "cut.mp4"
        var whole = ExportList()
        whole.exports = exports
        let back = try again(whole, format)
        #expect(back.faults.isEmpty && said(back) == said(whole))
    }

    @Test(arguments: [ListFormat.csv, .tsv])
    func aTableOfTimesHasLosslessCutsForm(format: ListFormat) throws {
        let cuts = list(
            export(.decimal(Time(1, 2)), .time(Time(1001 * 70, 30000)), "in, and out"),
            export(nil, .decimal(Time(7, 1)), "start"))
        let text = try cuts.written(as: format).text
        let mark = format == .csv ? "," : "\t"
        #expect(
            text == ["0.5", "2.335667", "\"in, and out\""].joined(separator: mark) + "\n"
                + ["", "7", "start"].joined(separator: mark) + "\n")
        // In six decimals a frame is meant.
        let back = read(text, format)
        #expect(back.exports.map(\.end) == [.decimal(Time(2_335_667, 1_000_000)), .decimal(Time(7, 1))])
        #expect(back.exports.map(\.label) == ["in, and out", "start"])
    }

    @Test func projectsOfLosslessCutSurvive() throws {
        let sample = """
            {
              version: 1,
              mediaFileName: 'my film.mp4',
              cutSegments: [
                { start: 1.123456, end: 4, name: '', },
                { end: 9.5, name: "It's \\u263A" },
                { start: 31.466666666666665, name: 'rest', tags: { a: '1' } },
              ],
            }
            """
        let project = read(sample, .llc)
        let back = try again(project, .llc)
        #expect(back.faults.isEmpty && said(back) == said(project))
        #expect(back.exports[2].tags == ["a": "1"] && back.exports[2].end == nil)
        #expect(said(try again(back, .llc)) == said(back))
        var two = project
        two.exports[1].input = "other.mp4"
        #expect(throws: ListFault.self) { try two.written(as: .llc) }
        #expect(throws: ListFault.self) { try list(export(.frame(1), .frame(9))).written(as: .llc) }
    }

    @Test func segmentsOfLosslessCutBecomeATable() throws {
        let csv = "1.5,4.25,\"a, b\"\n,9.5,It's\n31.466667,,rest\n"
        #expect(try read(csv, .csv).written(as: .csv).text == csv)
        #expect(try read(csv, .csv).written(as: .llc).notes.isEmpty)
        #expect(said(try again(read(csv, .csv), .llc)) == said(read(csv, .csv)))
    }

    @Test(arguments: [("pal.edl", 25, 1), ("film.edl", 24, 1), ("drop.edl", 30000, 1001)])
    func decisionListsSurvive(name: String, numerator: Int64, denominator: Int64) throws {
        let rate = try #require(Ratio(numerator, denominator))
        let list = ExportList.read(try Fixture.bytes(name), .edl, rate: rate)
        let back = try again(list, .edl, rate: rate)
        #expect(back.faults.isEmpty && back.exports.count == 5)
        #expect(said(back) == said(list))
    }

    @Test func framesOfAnEventCountFromTheSourcesTimecode() throws {
        let rate = try #require(Ratio(30000, 1001))
        let base = TimeSpelling.timecode(hours: 1, minutes: 0, seconds: 0, frames: 0, dropFrame: true)
        let cuts = list(
            export(.time(.zero), .frame(1800), "one", input: "/films/50%: a.mov"),
            export(.decimal(Time(1_001_000, 1_000_000)), .time(Time(2, 1)), "two", input: "tape.mov"))
        let written = try cuts.written(as: .edl, rate: rate, timecode: base)
        #expect(
            written.text.contains("AX       V     C        01:00:00;00 01:01:00;02 01:00:00;00 01:01:00;02"))
        #expect(written.text.contains("01:00:01;00 "))
        #expect(written.notes.count == 1, "a time that is no frame's is told: \(written.notes)")
        let back = read(written.text, .edl, rate: rate)
        #expect(
            back.exports.map(\.input) == ["/films/50%: a.mov", "tape.mov"]
                && back.exports.map(\.label) == ["one", "two"])
        for wrong in [export(.time(.zero), nil), export(.time(.zero), .end), export(.frame(2), .frame(2))] {
            #expect(throws: ListFault.self) { try list(wrong).written(as: .edl, rate: rate) }
        }
        #expect(throws: ListFault.self) { try cuts.written(as: .edl) }
        #expect(throws: ListFault.self) { try cuts.written(as: .edl, rate: Ratio(17)) }
    }

    @Test(arguments: [("ntsc.otio", 24000, 1001), ("pal.otio", 25, 1), ("drop.otio", 30000, 1001)])
    func timelinesSurvive(name: String, numerator: Int64, denominator: Int64) throws {
        let list = ExportList.read(try Fixture.bytes(name), .otio)
        for rate in [nil, Ratio(numerator, denominator)] {
            let back = try again(list, .otio, rate: rate)
            #expect(back.faults.isEmpty && said(back) == said(list), "\(name)")
        }
    }

    @Test func timesOfATimelineStayExact() throws {
        let times: [(Time, Time)] = [
            (Time(1, 3), Time(1001 * 7, 24000)), (Time(441, 44100), Time(90001, 90000)),
            (Time(1, 48000), Time(5, 1)),
            (Time(1_234_567, 1_000_000), Time(1_234_568, 1_000_000) + Time(2, 1)),
        ]
        for rate in [nil, Ratio(24000, 1001), Ratio(25)] {
            for (start, end) in times where end > start {
                let cut = list(export(.time(start), .time(end), "x", input: "/a b/é.mov"))
                let back = try again(cut, .otio, rate: rate)
                #expect(
                    back.exports.map(\.start?.assetTime) == [start]
                        && back.exports.map(\.end?.assetTime) == [end])
                #expect(back.exports.map(\.input) == ["/a b/é.mov"] && back.exports.map(\.origin) == [.asset])
            }
        }
    }

    @Test func rangesThatAreJoinedAreLinesOfTheirOwn() throws {
        var joined = export(nil, nil, "both", input: "a.mov")
        joined.keep = [
            RangeSpelling(start: .decimal(Time(1, 1)), end: .decimal(Time(2, 1))),
            RangeSpelling(start: .decimal(Time(4, 1)), end: .decimal(Time(5, 1))),
        ]
        var long = export(.decimal(Time(7, 1)), nil, input: "a.mov")
        long.duration = .decimal(Time(3, 2))
        let back = try again(list(joined, long), .llc)
        #expect(back.exports.map(\.times) == ["1..2", "4..5", "7..8.5"])
    }

    /// Times at every edge, as a JSON line, the socket or a program may give them.
    private static let edges: [TimeSpelling] =
        [Int64.min, Int64.min + 1, -1, 0, 1, 1 << 31, 1 << 62, .max - 1, .max].flatMap {
            value -> [TimeSpelling] in
            [1, 24, 90_000, Int32.max].flatMap { scale -> [TimeSpelling] in
                [.time(Time(value, scale)), .decimal(Time(value, scale)), .fromEnd(Time(value, scale))]
            } + [.frame(value), .frameFromEnd(value)]
        } + [.time(.positiveInfinity), .time(.invalid), .end]
        + [.timecode(hours: 23, minutes: 59, seconds: 59, frames: 23, dropFrame: false)]

    @Test(arguments: ListFormat.written) func timesAtEveryEdgeAreWrittenOrRefused(format: ListFormat) throws {
        let late = TimeSpelling.timecode(hours: 23, minutes: 59, seconds: 59, frames: 20, dropFrame: true)
        let rates = [(nil, nil), (Ratio(24), nil), (Ratio(30000, 1001), late)]
        for (row, start) in Self.edges.enumerated() {
            for (column, end) in (Self.edges + [nil]).enumerated() {
                // Each start and each end with each rate, and each start with each end.
                let (rate, timecode) = rates[(row + column) % rates.count]
                var cut = export(start, end, input: "a.mov")
                if end == nil { cut.duration = start }
                guard let written = try? list(cut).written(as: format, rate: rate, timecode: timecode) else {
                    continue
                }
                let back = read(written.text, format, rate: rate)
                #expect(
                    back.faults.isEmpty, "\(start) to \(end.map { "\($0)" } ?? "none"): \(written.text)")
                let isNegative = (start.assetTime ?? .zero) < .zero || (end?.assetTime ?? .zero) < .zero
                #expect(!isNegative, "a time before the file is no other time: \(written.text)")
            }
        }
    }

    @Test func anEventBeyondADayIsRefused() throws {
        let rate = Ratio(25)
        for end in [
            TimeSpelling.frame(25 * 86_400 + 1), .frame(.max), .decimal(Time(90_000, 1)),
            .time(Time(.max, 1)),
        ] {
            #expect(throws: ListFault.self) { try list(export(.frame(0), end)).written(as: .edl, rate: rate) }
        }
        #expect(throws: ListFault.self) {
            try list(export(.frame(0), .frame(25 * 86_400))).written(as: .edl, rate: rate)
        }
        #expect(try list(export(.frame(1), .frame(25 * 86_400))).written(as: .edl, rate: rate).notes.isEmpty)
    }

    @Test(arguments: [ListFormat.llc, .edl, .otio])
    func whatAFormatCannotHoldIsTold(format: ListFormat) throws {
        var cut = export(.decimal(Time(1, 1)), .decimal(Time(2, 1)), input: "a.mov")
        (cut.preset, cut.render) = ("m4a", .copy)
        let notes = try list(cut).written(as: format, rate: Ratio(25)).notes.map(\.message)
        #expect(notes.count == 2 && notes[0].contains("preset") && notes[1].contains("render"))
        #expect(throws: ListFault.self) { try list(cut).written(as: .ffmetadata) }
        #expect(throws: ListFault.self) { try ExportList().written(as: format) }
    }
}
