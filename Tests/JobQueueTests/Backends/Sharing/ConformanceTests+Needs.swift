// The promises of any back end about jobs that only some nodes can do.
import JobQueue
import Media
import Platform
import Testing

extension ConformanceTests {
    private func node(_ tags: [String], name: String = "n") -> QueueNode {
        var node = QueueNode(name: name, version: "1")
        node.tags = tags
        return node
    }

    private func submit(_ queue: any JobQueue, _ needs: [String], of user: UInt32 = 1) throws -> Int64 {
        try queue.submit(
            request(), source: source, user: user, priority: 50, limit: nil, name: nil,
            start: StartCondition(needs: needs)
        ).job.id
    }

    @Test(arguments: Backend.all) func aJobWaitsForANodeThatHasWhatItNeeds(_ backend: Backend) throws {
        var queue = try open(backend)
        let first = try submit(queue, ["gpu", "fast", "gpu"])
        let second = try submit(queue, [])
        #expect(try queue.job(first).needs.words == ["fast", "gpu"])
        #expect(try queue.job(first).report().needs == ["fast", "gpu"])
        #expect(try queue.job(second).report().needs == nil)
        // The older one is passed over, and is nothing to start.
        #expect(try queue.claim(worker: worker)?.id == second)
        #expect(try queue.claim(worker: worker) == nil)
        _ = try queue.end(second, attempt: 1, .cancelled)
        try queue.describe(node(["gpu"]))
        #expect(try queue.claim(worker: worker) == nil)
        #expect(try queue.job(first).state == .waiting)
        // Another run, with other settings.
        queue = try open(backend, of: "second")
        try queue.describe(node(["gpu", "slow", "fast"]))
        #expect(try queue.availability().isReady)
        #expect(try queue.claim(worker: worker)?.id == first)
        _ = try queue.end(first, attempt: 1, .cancelled)
        #expect(
            try queue.retry(first, source: source, request: nil, limit: nil).needs.words == ["fast", "gpu"])
        try queue.describe(node([]))
        #expect(try queue.claim(worker: worker) == nil)
    }

    /// A job that nobody can do keeps nobody from the others.
    @Test(arguments: Backend.all) func turnsAreAmongJobsThatCanStart(_ backend: Backend) throws {
        let queue = try open(backend)
        try queue.describe(node(["a"]))
        for _ in 0..<3 { _ = try submit(queue, ["b"], of: 1) }
        let mine = [try submit(queue, ["a"], of: 1), try submit(queue, [], of: 1)]
        let yours = [try submit(queue, ["a"], of: 2), try submit(queue, ["a"], of: 2)]
        let order = try (0..<4).map { _ in try #require(try queue.claim(worker: worker)).id }
        #expect(order == [mine[0], yours[0], mine[1], yours[1]])
        #expect(try queue.claim(worker: worker) == nil)
    }

    /// A job that waits for another and for a node starts when it has both.
    @Test(arguments: Backend.all) func needsAndDependenciesAreBothWaitedFor(_ backend: Backend) throws {
        let queue = try open(backend)
        let first = try submit(queue, [])
        let second = try queue.submit(
            request(), source: source, user: 1, priority: 50, limit: nil, name: nil,
            start: StartCondition(after: [first], needs: ["gpu"])
        ).job.id
        #expect(try queue.claim(worker: worker)?.id == first)
        try queue.describe(node(["gpu"]))
        #expect(try queue.claim(worker: worker) == nil)
        try queue.describe(node([]))
        try queue.publish(
            first, attempt: 1, Publication(device: 1, inode: 2, name: "x.m4a"), result: result())
        _ = try queue.complete(first, attempt: 1)
        #expect(try queue.claim(worker: worker) == nil)
        try queue.describe(node(["gpu"]))
        #expect(try queue.claim(worker: worker)?.id == second)
    }
}
