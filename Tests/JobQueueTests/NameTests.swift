// Names of outputs: each unfinished job has one of its own from the moment it is accepted, and it is free when the job has ended.
import Media
import Testing

@testable import JobQueue

@Suite struct NameTests {
    /// Held by the suite, so that it stays as long as the test.
    let scratch: Scratch
    let store: JobStore

    init() throws {
        scratch = try Scratch()
        store = try scratch.store()
    }

    private func submit(
        _ name: String? = nil, free: [Int] = Array(1...9), user: UInt32 = 1, replaces: Bool = false
    ) throws -> Job {
        var request = try request()
        request.output.name = name
        request.output.overwrite = replaces
        let kept: OutputName =
            name.map { .named(folder: "/films", name: $0, replaces: replaces) }
            ?? .numbered(folder: "/films", stem: "film-trim", free: free, fileTypes: ["m4a", "mov"])
        return try store.submit(request, source: source, user: user, name: kept).job
    }

    private func refusal(_ body: () throws -> Job) -> MediaError? {
        #expect(throws: MediaError.self) { try body() }
    }

    private func end(_ job: Job, _ code: ErrorCode = .decodeFailed) throws {
        let claimed = try #require(try store.claim(worker: worker))
        #expect(claimed.id == job.id)
        _ = try store.fail(job.id, attempt: claimed.attempts, MediaError(code, "no"))
    }

    @Test func numbersAreGivenWhenJobsAreAcceptedAndShown() throws {
        let jobs = try (0..<3).map { _ in try submit() }
        #expect(jobs.map { $0.report().output } == ["", "-2", "-3"].map { "/films/film-trim\($0).m4a" })
        #expect(try store.takenNumbers("/films", "film-trim") == [1, 2, 3])
        #expect(try store.takenNumbers("/films", "film").isEmpty)
        // Names that lie on the disk are not offered.
        #expect(try submit(free: [5, 6]).report().output == "/films/film-trim-5.m4a")
    }

    @Test func aNameIsFreeWhenItsJobHasEnded() throws {
        let first = try submit()
        try end(first)
        #expect(try submit().request.output.number == nil)
        // Of one that is tried again later it is not.
        let second = try submit()
        #expect(second.request.output.number == 2)
        _ = try store.cancel(second.id)
        #expect(try submit().request.output.number == 2)
    }

    @Test func numbersThatAreAllTakenAreAnError() throws {
        _ = try submit()
        #expect(refusal { try submit(free: [1]) }?.code == .fileAlreadyExists)
    }

    @Test func aNameOfOnesOwnIsRefusedWhileAnotherJobHasIt() throws {
        let first = try submit("out.m4a")
        let mine = refusal { try submit("out.m4a") }
        #expect(mine?.code == .fileAlreadyExists)
        #expect(mine?.message.contains("job \(first.id)") == true)
        // Not even the ID of another user's job is given.
        #expect(refusal { try submit("out.m4a", user: 2) }?.message.contains("\(first.id)") == false)
        #expect(try submit("out.m4a", replaces: true).request.output.name == "out.m4a")
        #expect(try submit("out.mov").request.output.name == "out.mov")
    }

    @Test func numberedNamesAndNamesOfOnesOwnAreApart() throws {
        _ = try submit("film-trim.mov")
        #expect(try submit().request.output.number == 2)
        #expect(refusal { try submit("film-trim-2.m4a") }?.code == .fileAlreadyExists)
    }

    @Test func aJobThatIsTriedAgainGetsItsNameOrTheNext() throws {
        let first = try submit()
        _ = try store.cancel(first.id)
        #expect(try store.retry(first.id, source: source).request.output.number == nil)
        _ = try store.cancel(first.id)
        _ = try submit()
        let again = try store.retry(first.id, source: source)
        #expect(again.request.output.number == 2)
        #expect(again.report().output == "/films/film-trim-2.m4a")
        let named = try submit("out.m4a")
        _ = try store.cancel(named.id)
        _ = try submit("out.m4a")
        #expect(refusal { try store.retry(named.id, source: source) }?.code == .fileAlreadyExists)
    }

    @Test func aNameThatAnotherJobIsToHaveIsNotPublished() throws {
        let first = try submit()
        let second = try submit()
        _ = try store.claim(worker: worker)
        func publish(_ name: String) throws {
            try store.publish(
                first.id, attempt: 1, Publication(device: 1, inode: 2, name: name), result: result())
        }
        #expect(throws: MediaError.self) { try publish("film-trim-2.m4a") }
        #expect(try store.job(first.id).state == .running)
        try publish("film-trim-3.m4a")
        #expect(try store.takenNumbers("/films", "film-trim") == [2, 3])
        #expect(try submit(free: [3, 4]).request.output.number == 4)
        #expect(try store.job(second.id).request.output.number == 2)
    }

    @Test func aHundredThousandEventsCostAUserNothing() throws {
        var words = ""
        try scratch.withDatabase { database in
            let plan = try Statement(
                database,
                "EXPLAIN QUERY PLAN SELECT id FROM events WHERE id > 5 AND user = 7 ORDER BY id LIMIT 9", [])
            while try plan.step() { words += plan.text(3) ?? "" }
        }
        #expect(words.contains("USING COVERING INDEX events_by_user (user=? AND id>?)"), "\(words)")
    }
}
