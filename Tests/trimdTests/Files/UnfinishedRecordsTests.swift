// The file of records of temporary files: what it holds after each change, after a crash and after a full disk.
import Foundation
import Testing

@testable import trimd

struct UnfinishedRecordsTests {
    private let scratch: Scratch
    private var path: String { scratch.path + "/list" }

    init() throws { scratch = try Scratch() }

    private func stored() throws -> [String: String] { try UnfinishedRecords(path).paths }

    @Test func whatIsRecordedIsReadByTheNextDaemon() throws {
        var records = try UnfinishedRecords(path)
        let names = ["/a b/.ü.trimd-1-1.part", "/line\nbreak", "/not \u{10FEFF} UTF-8"]
        for (number, name) in names.enumerated() {
            records.add("\(number)-1", name)
            #expect(try stored() == records.paths)
        }
        records.remove("1-1")
        records.remove("7-7")
        #expect(try stored() == ["0-1": names[0], "2-1": names[2]])
        records.remove("0-1")
        records.remove("2-1")
        #expect(try Data(contentsOf: URL(filePath: path)).isEmpty)
    }

    /// However long a daemon runs without a pause.
    @Test func theFileStaysSmall() throws {
        var records = try UnfinishedRecords(path)
        let name = "/" + String(repeating: "x", count: 200)
        for job in 1...2000 {
            records.add("\(job)-1", name)
            if job > 2 { records.remove("\(job - 2)-1") }
            #expect(try Data(contentsOf: URL(filePath: path)).count < 70_000)
        }
        #expect(try stored().keys.sorted() == ["1999-1", "2000-1"])
    }

    /// A disk that fills cuts a record off at any byte.
    @Test func aRecordThatWasCutOffSpoilsNoOther() throws {
        var records = try UnfinishedRecords(path)
        records.add("1-1", "/one")
        records.add("2-1", "/two")
        let whole = try Data(contentsOf: URL(filePath: path))
        let first = try #require(whole.dropFirst().firstIndex(of: 0)) + 1
        for end in first...whole.count {
            try whole.prefix(end).write(to: URL(filePath: path))
            var next = try UnfinishedRecords(path)
            next.add("3-1", "/three")
            let found = try stored()
            #expect(found["1-1"] == "/one" && found["3-1"] == "/three")
            #expect(found.keys.allSatisfy { ["1-1", "2-1", "3-1", "2-", "2"].contains($0) }, "\(found)")
        }
    }

    /// A file that is gone and still recorded costs a look at the next start; nothing else is forgotten for it.
    @Test func anEndThatWasCutOffLeavesItsRecord() throws {
        var records = try UnfinishedRecords(path)
        for key in ["1-1", "2-1"] { records.add(key, "/" + key) }
        let before = try Data(contentsOf: URL(filePath: path)).count
        records.remove("1-1")
        let whole = try Data(contentsOf: URL(filePath: path))
        for end in before...whole.count {
            try whole.prefix(end).write(to: URL(filePath: path))
            var next = try UnfinishedRecords(path)
            next.add("3-1", "/3-1")
            let found = try stored()
            #expect(found["2-1"] == "/2-1" && found["3-1"] == "/3-1", "\(end): \(found)")
            #expect((found["1-1"] == nil) == (end >= whole.count - 1), "\(end): \(found)")
        }
    }
}
