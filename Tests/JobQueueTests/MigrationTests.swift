// Queues of released versions, kept as they were written, are opened by this one with nothing lost.
import FoundationEssentials
import Media
import MediaTime
import Testing

@testable import JobQueue

@Suite struct MigrationTests {
    /// Held by the suite, so that it stays as long as the test.
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func copyFixture(_ version: Int) throws {
        let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let file = fixtures.appending(path: "Fixtures/queue-\(version).db").path
        let data = try #require(
            FileManager.default.contents(atPath: file), "no fixture of version \(version)")
        try data.write(to: URL(filePath: scratch.file))
    }

    /// A job completed, one failed, one was exporting when its daemon was killed, one was cancelled, one waited.
    @Test(arguments: 1..<Schema.current) func anOldQueueIsOpened(_ version: Int) throws {
        try copyFixture(version)
        let store = try scratch.store()
        let jobs = try store.jobs(for: .all, limit: 9).reversed().map(\.self)
        #expect(jobs.map(\.id) == [1, 2, 3, 4, 5])
        #expect(jobs.map(\.state) == [.completed, .failed, .running, .cancelled, .waiting])
        #expect(jobs.allSatisfy { $0.priority == 50 && $0.crashes == 0 && $0.due == nil })
        #expect(jobs[0].result?.tracks.count == 1)
        #expect(jobs[0].request.key == "clip-1")
        #expect(jobs[1].error?.code == .fileFailedToParse)
        #expect(jobs[4].request.start == .frame(250))
        // It goes on as if it had always been of this version.
        #expect(try store.takeOver().map(\.id) == [3])
        #expect(try store.interrupt(3, attempt: 1, counted: true).state == .waiting)
        #expect(try store.claim(worker: worker)?.id == 3)
        #expect(try store.retry(2, source: source).state == .waiting)
        #expect(try store.job(key: "clip-1", of: jobs[0].user)?.id == 1)
        #expect(try store.submit(jobs[0].request, source: source, user: jobs[0].user).isNew == false)
        #expect(try scratch.store().jobs(for: .all, limit: 9).count == 5)
    }
}
