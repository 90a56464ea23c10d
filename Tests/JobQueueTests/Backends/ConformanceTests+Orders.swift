// The promises of any back end about orders about single jobs.
import JobQueue
import Media
import Testing

extension ConformanceTests {
    @Test(arguments: Backend.all) func aPriorityIsChangedUntilTheEnd(_ backend: Backend) throws {
        let queue = try open(backend)
        let ids = try (0..<3).map { _ in try submit(queue).job.id }
        let events = try queue.lastEvent()
        #expect(try queue.modify(ids[2], priority: 90).priority == 90)
        #expect(try queue.modify(ids[0], priority: 10).priority == 10)
        #expect(try queue.lastEvent() == events)
        #expect(try (0..<3).map { _ in try queue.claim(worker: worker)?.id } == [ids[2], ids[1], ids[0]])
        // That of a running job counts when it has to start again.
        #expect(try queue.modify(ids[1], priority: 95).state == .running)
        for id in ids { _ = try queue.interrupt(id, attempt: 1, counted: false) }
        #expect(try queue.claim(worker: worker)?.id == ids[1])
        _ = try queue.cancel(ids[1], attempt: 2)
        #expect(
            #expect(throws: MediaError.self) { try queue.modify(ids[1], priority: 1) }?.code
                == .jobStateNotValid)
        #expect(try queue.job(ids[1]).priority == 95)
        #expect(#expect(throws: MediaError.self) { try queue.modify(99, priority: 1) }?.code == .jobNotFound)
    }

    /// Every option of a job that has not begun, and no other job's.
    @Test(arguments: Backend.all) func aJobThatWaitsIsChanged(_ backend: Backend) throws {
        let queue = try open(backend)
        let (first, id) = (try submit(queue).job.id, try submit(queue).job.id)
        var changed = try queue.job(id).request
        (changed.strict, changed.noHidden) = (true, true)
        changed.output.name = "another.m4a"
        let name = OutputName.named(folder: changed.output.folder, name: "another.m4a", replaces: false)
        let start = StartCondition(after: [first])
        func change(_ id: Int64, priority: Int? = 70) throws -> Job {
            try queue.modify(
                id, JobChange(request: changed, source: source, name: name, priority: priority, start: start))
        }
        let job = try change(id)
        #expect(
            job.request.strict && job.request.noHidden == true && job.priority == 70 && job.after == [first])
        #expect(job.request.output.name == "another.m4a" && job.state == .waiting && job.id == id)
        #expect(try !queue.job(first).request.strict)
        // It waits for the other, whatever its priority; and its name is its own.
        #expect(try queue.claim(worker: worker)?.id == first)
        #expect(try queue.claim(worker: worker) == nil)
        #expect(try change(id, priority: nil).priority == 70, "its own name is no obstacle")
        let other = try submit(queue).job.id
        #expect(throws: MediaError.self) { try change(other) }
        // One that runs keeps what it has begun with.
        #expect(#expect(throws: MediaError.self) { try change(first) }?.code == .jobStateNotValid)
        #expect(#expect(throws: MediaError.self) { try change(99) }?.code == .jobNotFound)
        _ = try queue.hold(id)
        #expect(try change(id).state == .held)
    }
}
