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
}
