// The promises of any back end about names, keys and numbers.
import JobQueue
import Media
import MediaTime
import Testing

extension ConformanceTests {
    private func submit(_ queue: any JobQueue, as name: OutputName) throws -> Job {
        var request = try request()
        request.output = OutputTarget(folder: "/o", name: nil, stem: "a")
        if case .named(_, let name, _) = name { request.output.name = name }
        return try queue.submit(request, source: source, user: 1, priority: 50, limit: nil, name: name).job
    }

    private func code(_ body: () throws -> Void) -> ErrorCode? {
        #expect(throws: MediaError.self) { try body() }?.code
    }

    /// No two unfinished jobs have one name, numbered or not; an end gives it back.
    @Test(arguments: Backend.all) func aNameIsForOneUnfinishedJob(_ backend: Backend) throws {
        let queue = try open(backend)
        let named = OutputName.named(folder: "/o", name: "a.m4a", replaces: false)
        let numbered = OutputName.numbered(folder: "/o", stem: "a", free: [1, 2, 3], fileTypes: ["m4a"])
        let first = try submit(queue, as: named)
        #expect(code { _ = try submit(queue, as: named) } == .fileAlreadyExists)
        let second = try submit(queue, as: numbered)
        #expect(second.request.output.number == 2)
        #expect(try queue.takenNumbers("/o", "a").isSuperset(of: [2]))
        #expect(
            code { _ = try submit(queue, as: .named(folder: "/o", name: "a-2.mp4", replaces: false)) }
                == .fileAlreadyExists)
        _ = try queue.cancel(first.id)
        let third = try submit(queue, as: numbered)
        #expect(third.request.output.number == nil)
        // Its name is taken now.
        #expect(throws: MediaError.self) {
            try queue.retry(first.id, source: source, request: nil, limit: nil)
        }
        #expect(try queue.job(first.id).state == .cancelled)
    }

    /// A key is the user's until the job is removed; a number is given once.
    @Test(arguments: Backend.all) func keysAreFreedAndNumbersAreNot(_ backend: Backend) throws {
        let queue = try open(backend)
        let first = try submit(queue, key: "a").job.id
        var other = try request(key: "a")
        other.strict.toggle()
        #expect(
            code {
                _ = try queue.submit(other, source: source, user: 1, priority: 50, limit: nil, name: nil)
            } == .invalidRequest)
        _ = try queue.cancel(first)
        #expect(try !submit(queue, key: "a").isNew)
        _ = try queue.remove(first)
        let second = try submit(queue, key: "a")
        #expect(second.isNew && second.job.id == first + 1)
        let events = try queue.lastEvent()
        try queue.skipNumbers(jobs: 100, events: events + 50)
        try queue.skipNumbers(jobs: 3, events: 1)
        #expect(try submit(queue).job.id == 101)
        #expect(try queue.lastEvent() == events + 51)
    }
}
