// Checks repeated before an attempt, and after a daemon that lost its queue: roots, and temporary files.
import Foundation
import JobQueue
import Media
import Platform
import Testing
import Wire

@testable import trimd

@Suite struct StandingTests {
    let scratch: Scratch
    let root: String
    let store: JobStore

    init() throws {
        scratch = try Scratch()
        root = try scratch.folder("root")
        store = try JobStore(file: scratch.path + "/.queue.db", owner: "test")
        try scratch.file("root/film.mov")
        _ = try scratch.folder("root/out")
        _ = try scratch.folder("other")
    }

    private func job(user: UInt32 = 4_000_001, input: String? = nil, folder: String? = nil) throws -> Job {
        let target = OutputTarget(folder: folder ?? root + "/out", name: "out.m4a", stem: "out")
        let request = ExportRequest(
            input: input ?? root + "/film.mov", output: target, preset: try preset())
        return try store.submit(request, source: source, user: user).job
    }

    private func refusal(_ roots: Roots, _ job: Job) throws -> MediaError {
        let error = try #require(#expect(throws: MediaError.self) { try roots.check(job, own: 7) })
        #expect(error.code == .permissionDenied)
        #expect(error.message.hasPrefix("refused by policy"))
        return error
    }

    @Test func aJobBeneathTheRootsMayBegin() throws {
        try Roots(read: [root], write: [root]).check(try job(), own: 7)
        // Those who need no roots need none.
        try Roots().check(try job(user: 0), own: 7)
        try Roots().check(try job(user: 7), own: 7)
    }

    @Test func rootsThatWereTakenAwayAreNamed() throws {
        let job = try job()
        let film = try refusal(Roots(read: [scratch.path + "/other"], write: [root]), job)
        #expect(film.message.contains(root + "/film.mov") && film.message.contains("/other"))
        let folder = try refusal(Roots(read: [root], write: []), job)
        #expect(folder.message.contains(root + "/out") && folder.remedy?.contains("retry") == true)
    }

    @Test func aLinkThatLeadsOutIsNoWay() throws {
        try scratch.symlink("other", "root/away")
        try scratch.file("other/film.mov")
        let roots = Roots(read: [root], write: [root])
        _ = try refusal(roots, try job(input: root + "/away/film.mov"))
        _ = try refusal(roots, try job(folder: root + "/away"))
        _ = try refusal(roots, try job(input: root + "/gone.mov"))
    }

    @Test func whatWasNotedGoes() throws {
        let unfinished = try UnfinishedFiles(folder: try scratch.folder("notes"))
        let log = Log(level: .error, isJournal: false)
        let first = try job(), second = try job(folder: root + "/gone")
        unfinished.add(first)
        unfinished.add(second)
        #expect(try records(unfinished) == ["\(first.id)-0", "\(second.id)-0"].sorted())
        let name = "root/out/.out.m4a.trimd-\(first.id)-0.part"
        try scratch.file(name)
        // A note that names something else is no reason to remove it.
        try scratch.file("root/out/mine")
        try FileManager.default.createSymbolicLink(
            atPath: unfinished.folder + "/9-9", withDestinationPath: root + "/out/mine")
        unfinished.sweep(log)
        #expect(!scratch.exists(name))
        #expect(scratch.exists("root/out/mine"))
        #expect(
            Kernel.names(in: unfinished.folder).filter { !$0.hasPrefix(".") }.sorted() == ["9-9", "list"])
        #expect(try records(unfinished) == [])
        // An attempt that ended leaves none.
        unfinished.add(first)
        unfinished.remove(first)
        try scratch.file(name)
        unfinished.sweep(log)
        #expect(scratch.exists(name))
    }

    private func records(_ unfinished: UnfinishedFiles) throws -> [String] {
        try UnfinishedRecords(unfinished.folder + "/list").paths.keys.sorted()
    }

    /// The version before made a symbolic link of each record.
    @Test func whatAnEarlierVersionNotedGoes() throws {
        let folder = try scratch.folder("notes")
        let name = "root/out/.out.m4a.trimd-3-1.part"
        try scratch.file(name)
        for (note, target) in [("3-1", name), ("4-1", "root/out/.out.m4a.trimd-4-1.part")] {
            try FileManager.default.createSymbolicLink(
                atPath: "\(folder)/\(note)", withDestinationPath: "\(scratch.path)/\(target)")
        }
        let unfinished = try UnfinishedFiles(folder: folder)
        #expect(unfinished.lastJob == 4)
        let log = Log(level: .error, isJournal: false)
        unfinished.sweep(
            log, unless: { (job: Int64) in job == 0 }, isElsewhere: { (job: Int64, _: Int) in job == 4 })
        #expect(!scratch.exists(name))
        let left = Kernel.names(in: folder).filter { !$0.hasPrefix(".") }
        #expect(left == ["list"])
        #expect(try records(unfinished) == ["4-1"])
    }
}
