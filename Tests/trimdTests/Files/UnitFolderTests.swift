// The files of units: hidden beside the output, found by later attempts, and gone with their job.
import Foundation
import Glibc
import Media
import Platform
import Testing
import Text

@testable import JobQueue
@testable import trimd

@Suite struct UnitFolderTests {
    let scratch: Scratch
    let job: Job

    init() throws {
        scratch = try Scratch()
        job = try UnitFolderTests.job(7, in: scratch, named: "out.m4a")
    }

    private static func job(_ id: Int64, in scratch: Scratch, named name: String) throws -> Job {
        let target = OutputTarget(folder: scratch.path, name: name, stem: "out")
        let request = ExportRequest(input: "/film.mov", output: target, preset: try preset())
        return Job(
            id: id, user: 1, state: .running, request: request, source: source, priority: 50, attempts: 1,
            interruptions: 0, crashes: 0, failures: 0, created: .now)
    }

    /// A file with some bytes, and its identity.
    private func make(_ files: UnitFolder, _ number: Int, _ text: String = "chunk") throws -> FileIdentity {
        let file = try files.create(number, claim: 1)
        Kernel.write(text, to: file.raw)
        try file.sync()
        return try file.identity()
    }

    @Test func theyAreHiddenAndTheirOwners() throws {
        let files = try UnitFolder(of: job)
        let identity = try make(files, 12)
        #expect(try scratch.names() == [".out.m4a.trimd-7-u000012-000000001.part"])
        #expect(try scratch.mode(".out.m4a.trimd-7-u000012-000000001.part") == 0o600)
        #expect(files.open(12, claim: 1, recorded: identity) != nil)
        #expect(files.open(13, claim: 1, recorded: identity) == nil)
        // A later attempt has other descriptors and the same files.
        #expect(try UnitFolder(of: job).open(12, claim: 1, recorded: identity) != nil)
    }

    /// Only the file on record counts: not one that is shorter or written again, another file, a link, a folder.
    @Test func anotherFileIsNotTheOneOnRecord() throws {
        let files = try UnitFolder(of: job)
        let name = ".out.m4a.trimd-7-u000001-000000001.part"
        let changes: [(String) throws -> Void] = [
            { try Data("chunks".utf8).write(to: URL(filePath: $0)) },
            { #expect(unsafe truncate($0, 2) == 0) },
            { path in
                let handle = try FileHandle(forWritingTo: URL(filePath: path))
                try handle.write(contentsOf: Data("CHUNK".utf8))
                try handle.close()
            },
            { try FileManager.default.removeItem(atPath: $0) },
            { path in
                try FileManager.default.moveItem(atPath: path, toPath: path + "x")
                try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path + "x")
            },
            { path in
                try FileManager.default.removeItem(atPath: path)
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            },
        ]
        for (number, change) in changes.enumerated() {
            let identity = try make(files, 1)
            #expect(files.open(1, claim: 1, recorded: identity) != nil)
            // A clock may tick more slowly than this test writes.
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: scratch.path + "/" + name)
            let old = try FileStatus(of: Descriptor(opening: scratch.path + "/" + name, O_RDONLY), name)
                .identity
            try change(scratch.path + "/" + name)
            #expect(files.open(1, claim: 1, recorded: old) == nil, "change \(number)")
            try? FileManager.default.removeItem(atPath: scratch.path + "/" + name)
        }
    }

    /// A file left by an attempt that died is no file of the next.
    @Test func aFileIsCreatedAnew() throws {
        let files = try UnitFolder(of: job)
        let old = try make(files, 1, "half")
        try scratch.symlink("film", ".out.m4a.trimd-7-u000002-000000001.part")
        try scratch.file("film")
        #expect(try make(files, 1, "").size == 0)
        #expect(files.open(1, claim: 1, recorded: old) == nil)
        _ = try make(files, 2, "chunk")
        #expect(scratch.text("film") == "film")
    }

    @Test func aFolderThatWasRemovedIsNamed() throws {
        let gone = try scratch.folder("gone")
        let files = try UnitFolder(
            of: Job(
                id: 7, user: 1, state: .running,
                request: ExportRequest(
                    input: "/film.mov", output: OutputTarget(folder: gone, name: "out.m4a", stem: "out"),
                    preset: try preset()),
                source: source, priority: 50, attempts: 1, interruptions: 0, crashes: 0, failures: 0,
                created: .now))
        _ = try make(files, 1)
        try FileManager.default.removeItem(atPath: gone)
        let error = #expect(throws: MediaError.self) { _ = try files.create(2, claim: 1) }
        #expect(error?.message == "the output's folder was removed: \(gone)" && error?.remedy != nil)
    }

    @Test func onlyTheJobsOwnGo() throws {
        let others = [
            ".out.m4a.trimd-7-1.part", ".out.m4a.trimd-70-u000001-000000001.part",
            ".out.m4a.trimd-7-u00001.part", ".out.m4a.trimd-7-u000001-00001.part",
            ".out.m4a.trimd-7-u00001x.part", "out.m4a.trimd-7-u000001-000000001.part",
            ".out.m4a.trimd-7-u000001-000000001.partial",
        ]
        for other in others { try scratch.file(other) }
        let files = try UnitFolder(of: job)
        for number in [0, 1, 5, UnitFolder.highest] { _ = try make(files, number) }
        #expect(try scratch.names().count == others.count + 4)
        var kept = JobUnit(ExportUnit(number: 5, kind: .video, work: .null, seconds: 1, memory: 1))
        kept.claim = 1
        _ = try files.create(3, claim: 9)
        try scratch.file(".out.m4a.trimd-7-u000004.part")
        try files.removeAll(but: [kept], after: 8)
        let names = [".out.m4a.trimd-7-u000003-000000009.part", ".out.m4a.trimd-7-u000005-000000001.part"]
        #expect(try scratch.names() == (others + names).sorted())
        try files.removeAll()
        #expect(try scratch.names() == others.sorted())
    }

    /// All names of a job are cut alike.
    @Test func namesFit() throws {
        for count in [200, 230, 240, 251] {
            let name = String(repeating: "ä", count: count / 2) + ".m4a"
            let files = try UnitFolder(of: try UnitFolderTests.job(.max, in: scratch, named: name))
            for number in [0, UnitFolder.highest] { _ = try make(files, number) }
            #expect(try scratch.names().count == 2)
            try files.removeAll()
            #expect(try scratch.names().isEmpty)
        }
    }

    @Test func aFullDiskIsNamed() throws {
        let files = try UnitFolder(of: job)
        try files.checkSpace(1)
        #expect(#expect(throws: MediaError.self) { try files.checkSpace(.max) }?.code == .diskFull)
    }

    /// A daemon that lost its queue knows them by the record; those of a job that goes on stay.
    @Test func whatNobodyGoesOnWithIsSwept() throws {
        let unfinished = try UnfinishedFiles(folder: try scratch.folder("unfinished"))
        let log = Log(level: .error, isJournal: false)
        let other = try UnitFolderTests.job(8, in: scratch, named: "other.m4a")
        for job in [job, other] {
            unfinished.addUnits(of: job)
            let files = try UnitFolder(of: job)
            for number in 0..<3 { _ = try make(files, number) }
        }
        #expect(unfinished.lastJob == 8)
        unfinished.sweep(log) { $0 == 7 }
        #expect(
            try scratch.names() == (0..<3).map { ".out.m4a.trimd-7-u00000\($0)-000000001.part" } + [
                "unfinished"
            ])
        unfinished.sweep(log)
        #expect(try scratch.names() == ["unfinished"])
        #expect(unfinished.lastJob == 0)
    }

    /// Whoever wrote the record: only names of this form are removed.
    @Test func aForgedRecordRemovesNothing() throws {
        let folder = try scratch.folder("unfinished")
        try scratch.file(".x.trimd-9-u000000-000000001.part")
        try scratch.file("film.mov")
        for (note, target) in [
            ("5-u", "film.mov"), ("6-u", ".x.trimd-9-u"), ("u", ".x"), ("9-u", "x.trimd-9-u"),
        ] {
            let path = scratch.path + "/" + target
            try FileManager.default.createSymbolicLink(
                atPath: folder + "/" + note, withDestinationPath: path)
            var records = try UnfinishedRecords(folder + "/list")
            records.add(note, path)
        }
        try UnfinishedFiles(folder: folder).sweep(Log(level: .error, isJournal: false))
        #expect(scratch.exists("film.mov") && scratch.exists(".x.trimd-9-u000000-000000001.part"))
    }
}
