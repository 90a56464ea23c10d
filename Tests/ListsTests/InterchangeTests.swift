// Lists that opentimelineio and its CMX3600 adapter wrote: the frames that those programs, pycmx and timecode read are the
// frames that are read here.
import Media
import MediaTime
import Testing

@testable import Lists

@Suite struct InterchangeTests {
    @Test(arguments: [("ntsc.otio", 24000, 1001), ("pal.otio", 25, 1), ("drop.otio", 30000, 1001)])
    func timelines(name: String, numerator: Int64, denominator: Int64) throws {
        let list = ExportList.read(try Fixture.bytes(name), .otio)
        #expect(list.faults.isEmpty && list.notes.isEmpty)
        let rows = try Fixture.expected(name)
        #expect(list.exports.count == rows.count && rows.count == 5)
        for (export, row) in zip(list.exports, rows) {
            #expect(export.label == row[0])
            let frame = { (text: String) throws in
                TimeSpelling.time(
                    Time(try #require(Int64(text)), 1).multiplied(by: denominator, over: numerator))
            }
            #expect(try export.start == frame(row[2]), "\(name) \(row[0])")
            #expect(try export.end == frame(row[3]), "\(name) \(row[0])")
            #expect(export.origin == .asset)
            #expect(export.input == (row[1].hasPrefix("file://") ? "/films/reel 0.mov" : row[1]))
        }
    }

    @Test(arguments: [("pal.edl", 25, 1), ("film.edl", 24, 1), ("drop.edl", 30000, 1001)])
    func decisionLists(name: String, numerator: Int64, denominator: Int64) throws {
        let list = ExportList.read(try Fixture.bytes(name), .edl)
        #expect(list.faults.isEmpty)
        let rows = try Fixture.expected(name)
        #expect(list.exports.count == rows.count && rows.count == 5)
        let rate = try #require(Ratio(numerator, denominator))
        for (export, row) in zip(list.exports, rows) {
            #expect(export.label == row[0])
            for (spelling, frame) in [(export.start, row[2]), (export.end, row[3])] {
                guard case .timecode(let h, let m, let s, let f, let drop)? = spelling else {
                    Issue.record("no timecode: \(export)")
                    continue
                }
                let known = try #require(TimecodeRate.rate(for: rate, dropFrame: drop))
                let code = try Timecode(hours: h, minutes: m, seconds: s, frames: f, rate: known)
                #expect(code.frameNumber == Int64(frame), "\(name) \(row[0])")
            }
            #expect(
                export.input?.hasPrefix("/films/reel 0") == true || export.input?.hasPrefix("reel") == true)
        }
    }
}
