// The rehearsal of a worker's messages goes through all of them: a message whose type has changed would be left out.
import Media
import Testing

@testable import Wire

struct WorkerRehearsalTests {
    @Test func everyMessageIsReadAndWritten() throws {
        #expect(try WorkerRehearsal.run() > 2000)
        #expect(WorkerRehearsal.request?.preset.id == "a")
    }
}
