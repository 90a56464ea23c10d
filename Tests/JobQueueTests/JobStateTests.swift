// The table of states as a table: what is in it, and what must not be.
import Media
import Testing

@testable import JobQueue

@Suite struct JobStateTests {
    @Test(arguments: JobState.allCases) func everyStateIsInTheTable(_ state: JobState) {
        #expect(JobState.transitions[state] != nil)
        #expect(!state.mayBecome(state))
        #expect(state.isFinal == state.status.isFinal)
    }

    @Test func anEndIsFollowedByAnotherAttemptAtMost() {
        #expect(JobState.transitions[.completed] == [])
        #expect(JobState.transitions[.failed] == [.waiting])
        #expect(JobState.transitions[.cancelled] == [.waiting])
    }

    @Test func completedComesOnlyAfterPublishing() {
        #expect(JobState.completed.predecessors == [.publishing])
        #expect(JobState.publishing.predecessors == [.running])
        #expect(JobState.running.predecessors == [.waiting])
    }

    @Test func whatIsPublishedCannotBeCancelled() {
        #expect(JobState.cancelled.predecessors == [.waiting, .held, .running])
    }

    @Test func everyStateCanBeReached() {
        var reached: Set<JobState> = [.waiting]
        while true {
            let next = reached.union(reached.flatMap { JobState.transitions[$0] ?? [] })
            if next == reached { break }
            reached = next
        }
        #expect(reached == Set(JobState.allCases))
    }
}
