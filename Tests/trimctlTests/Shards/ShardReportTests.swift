// `trimctl batch report`: what the shards of a list reported, as one report, with what is missing and what is there twice.
import FoundationEssentials
import Media
import Testing
import Text
import Wire

@testable import trimctl

@Suite struct ShardReportTests {
    private func report(
        _ index: Int, of count: Int, lines: [Int], total: Int, outcome: BatchOutcome = .completed,
        list: String = "l",
        faults: [BatchFault] = [], ended: Int64 = 2000
    ) -> BatchReport {
        let items = lines.map { line in
            var item = BatchItem(
                index: line, line: line + 1, label: nil, request: SubmitParams(input: "/in.mov"),
                preset: "m4v720")
            item.outcome = outcome
            if outcome == .failed { item.error = MediaError(.decodeFailed, "decoding failed") }
            if outcome == .refused { item.error = MediaError(.presetNotValid, "not valid") }
            return item
        }
        var report = BatchReport(
            list: "/cuts.csv", started: Moment(milliseconds: 1000), ended: Moment(milliseconds: ended),
            items: items,
            faults: faults, interrupted: false)
        report.shard = BatchReport.Part(index: index, count: count, list: list, total: total)
        return report
    }

    /// Runs the command over these reports.
    private func merge(_ reports: [BatchReport], _ more: String...) throws -> (code: Int32, rig: Rig) {
        let rig = try Rig()
        var words = ["batch", "report"]
        for (number, report) in reports.enumerated() {
            let name = "\(number).json"
            try Data(JSONValue(encoding: report).encoded).write(to: URL(filePath: rig.folder + "/" + name))
            words.append(name)
        }
        return (rig.run(words + more), rig)
    }

    @Test func allShardsAreOneReport() throws {
        let whole = [
            report(2, of: 2, lines: [1, 4], total: 5),
            report(1, of: 2, lines: [2, 3, 5], total: 5, ended: 3000),
        ]
        let (code, rig) = try merge(
            whole, "--report", "all.json", "--report", "all.xml", "--report", "all.md", "--json")
        #expect(code == 0, "\(rig.err)")
        let bytes = try #require(FileManager.default.contents(atPath: rig.folder + "/all.json"))
        let merged: BatchReport = try JSONValue(parsing: Array(bytes)).decode()
        #expect(
            merged.exports.map(\.index) == [1, 2, 3, 4, 5] && merged.counts["completed"] == 5
                && merged.shard == nil)
        #expect(merged.ended.milliseconds == 3000 && merged.faults.isEmpty)
        let xml = try String(
            decoding: #require(FileManager.default.contents(atPath: rig.folder + "/all.xml")), as: UTF8.self)
        #expect(xml.contains(#"tests="5" failures="0" errors="0""#))
        #expect(try rig.lastJSON()["counts"]?["total"] == 5 && rig.err.contains("5 exports: 5 completed"))
    }

    @Test func theExitCodeIsThatOfTheWholeBatch() throws {
        for (outcome, expected) in [
            (BatchOutcome.failed, 1), (.cancelled, 4), (.skipped, 0), (.notStarted, 4),
        ] {
            let parts = [
                report(1, of: 2, lines: [1], total: 2),
                report(2, of: 2, lines: [2], total: 2, outcome: outcome),
            ]
            #expect(try merge(parts).code == Int32(expected), "\(outcome)")
        }
    }

    /// A bad line is one fault, though all shards say it.
    @Test func aWrongLineIsSaidOnce() throws {
        let wrong = [BatchFault(line: 3, error: MediaError(.presetNotValid, "not valid"))]
        let parts = [
            report(1, of: 2, lines: [1], total: 2, outcome: .notStarted, faults: wrong),
            report(2, of: 2, lines: [2], total: 2, outcome: .refused, faults: wrong),
        ]
        let (code, rig) = try merge(parts, "--report", "all.xml")
        #expect(code == 3)
        let xml = try String(
            decoding: #require(FileManager.default.contents(atPath: rig.folder + "/all.xml")), as: UTF8.self)
        #expect(xml.contains(#"tests="2" failures="0" errors="1""#), "\(xml)")
    }

    @Test func missingShardsAreNamed() throws {
        let (code, rig) = try merge([report(1, of: 3, lines: [1, 4], total: 4)], "--report", "all.xml")
        #expect(code == 1 && rig.err.contains("no report of shard 2/3, 3/3: 2 of 4 exports"), "\(rig.err)")
        // A shard without lines is not missed.
        #expect(
            try merge([report(1, of: 3, lines: [1], total: 2), report(3, of: 3, lines: [2], total: 2)]).code
                == 0)
    }

    @Test func whatIsTwiceIsNamed() throws {
        let again = [
            report(1, of: 2, lines: [1], total: 2, outcome: .cancelled, ended: 3000),
            report(2, of: 2, lines: [2], total: 2),
            report(1, of: 2, lines: [1], total: 2, ended: 5000),
        ]
        let (code, rig) = try merge(again)
        #expect(
            code == 0
                && rig.err.contains("shard 1/2 is reported twice, in 0.json and 2.json: the later, 2.json"),
            "\(rig.err)")
        let (twice, other) = try merge([
            report(1, of: 2, lines: [1, 2], total: 3), report(2, of: 2, lines: [2, 3], total: 3),
        ])
        #expect(
            twice == 1 && other.err.contains("line 3 is in two reports: 0.json and 1.json"), "\(other.err)")
    }

    @Test func whatDoesNotBelongTogetherIsRefused() throws {
        let one = report(1, of: 2, lines: [1], total: 2)
        #expect(try merge([one, report(2, of: 2, lines: [2], total: 2, list: "m")]).code == 2)
        #expect(try merge([one, report(2, of: 3, lines: [2], total: 2)]).code == 2)
        var plain = one
        plain.shard = nil
        #expect(try merge([plain]).code == 2)
        let rig = try Rig()
        try Data("{}".utf8).write(to: URL(filePath: rig.folder + "/a.json"))
        #expect(
            rig.run(["batch", "report", "a.json"]) == 2 && rig.run(["batch", "report", "none.json"]) == 1)
        #expect(
            rig.run(["batch", "report"]) == 2 && rig.run(["batch", "report", "a.json", "--resume"]) == 2)
        #expect(
            rig.run(["batch", "cuts.csv", "more.csv"]) == 2
                && rig.err.contains("'more.csv' is one argument too many"))
    }
}
