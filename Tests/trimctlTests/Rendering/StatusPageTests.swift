// The page of `trimctl status`.
import Media
import Testing
import Wire

@testable import trimctl

@Suite struct StatusPageTests {
    @Test func statusNamesTheBudget() {
        var status = StatusResult(
            version: "1", pid: 1, user: 2, since: .now, workers: 1, jobs: [:], state: "/s", freeBytes: 1,
            socket: "/t")
        #expect(!StatusCommand.page(status, now: .now).contains("memory"))
        status.memoryBytes = 8_000_000_000
        #expect(StatusCommand.page(status, now: .now).contains("memory    8000 MB\n"))
        status.reservedMemoryBytes = 512_000_000
        #expect(StatusCommand.page(status, now: .now).contains("memory    512.0 MB reserved of 8000 MB\n"))
    }
}
