// Checks repeated before an attempt, and after a daemon that lost its queue: roots, and temporary files.
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
        let unfinished = UnfinishedFiles(folder: try scratch.folder("notes"))
        let log = Log(level: .error, isJournal: false)
        let first = try job(), second = try job(folder: root + "/gone")
        unfinished.add(first)
        unfinished.add(second)
        #expect(Kernel.names(in: unfinished.folder).count == 4, "two, and the folder and the one above")
        let name = "root/out/.out.m4a.trimd-\(first.id)-0.part"
        try scratch.file(name)
        // A note that names something else is no reason to remove it.
        try scratch.file("root/out/mine")
        try Kernel.note(root + "/out/mine", at: unfinished.folder + "/9-9")
        unfinished.sweep(log)
        #expect(!scratch.exists(name))
        #expect(scratch.exists("root/out/mine"))
        #expect(Kernel.names(in: unfinished.folder).filter { !$0.hasPrefix(".") } == ["9-9"])
        // An attempt that ended leaves none.
        unfinished.add(first)
        unfinished.remove(first)
        try scratch.file(name)
        unfinished.sweep(log)
        #expect(scratch.exists(name))
    }
}
