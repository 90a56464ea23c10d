// One key, one request: the same request again is the same job, another one is an error that says what differs.
import Media
import MediaTime
import Testing
import Text

@testable import JobQueue

@Suite struct KeyTests {
    /// Held by the suite, so that it stays as long as the test.
    let scratch: Scratch
    let store: JobStore

    init() throws {
        scratch = try Scratch()
        store = try scratch.store()
    }

    private func submit(_ change: (inout ExportRequest) throws -> Void = { _ in }) throws
        -> JobSubmission
    {
        var asked = try request(key: "k")
        try change(&asked)
        return try store.submit(asked, source: source, user: 1)
    }

    @Test func theSameRequestIsTheSameJob() throws {
        let first = try submit()
        // The daemon's own findings are no part of the request.
        let again = try submit {
            $0.output.number = 4
            $0.output.place = "1:2:3:4:755"
        }
        #expect(first.isNew && !again.isNew)
        #expect(first.job.id == again.job.id)
    }

    private typealias Change = (name: String, body: (inout ExportRequest) throws -> Void)

    private var changes: [Change] {
        [
            ("input", { $0.input = "/other.mov" }),
            ("sources", { $0.sources = [SourcePart("/films/film.mov"), SourcePart("/other.mov")] }),
            ("output", { $0.output.stem = "other" }),
            ("output", { $0.output.name = "film-trim" }),
            ("output", { $0.output.folder = "/" }),
            ("overwrite", { $0.output.overwrite = true }),
            ("start", { $0.start = .time(Time(11, 1)) }),
            ("start", { $0.start = nil }),
            ("end", { $0.end = .frame(9) }),
            ("duration", { $0.duration = .time(Time(1, 1)) }),
            ("preset", { $0.preset.id = "other" }),
            ("preset", { $0.preset.optimizeForNetwork = true }),
            ("render", { $0.render = .copy }),
            ("snap", { $0.snap = .frame }),
            ("round", { $0.round = .down }),
            ("strict", { $0.strict = true }),
            ("keep", { $0.keep = [RangeSpelling(start: nil, end: .end)] }),
            ("remove", { $0.remove = [RangeSpelling(start: nil, end: .end)] }),
            ("remove", { $0.remove = [RangeSpelling(.interstitials)] }),
            ("toleranceBefore", { $0.toleranceBefore = Time(1, 2) }),
            ("toleranceAfter", { $0.toleranceAfter = .positiveInfinity }),
            ("noHidden", { $0.noHidden = true }),
            ("options", { $0.options = ExportOptions() }),
            ("chapters", { $0.chapters = ChapterRequest(first: 1) }),
            ("metadata", { $0.metadata = MetadataRequest(items: ["title": "x"]) }),
        ]
    }

    @Test func anotherRequestIsAnErrorThatNamesTheDifference() throws {
        let id = try submit().job.id
        for change in changes {
            let error = #expect(throws: MediaError.self) { try submit(change.body) }
            #expect(error?.code == .invalidRequest)
            let head = "the key 'k' belongs to job \(id), whose \(change.name) is "
            #expect(error?.message.hasPrefix(head) == true, "\(change.name): \(error?.message ?? "")")
        }
        #expect(try store.counts() == [.waiting: 1])
        // Somebody else's key is another one.
        #expect(try store.submit(request("other", key: "k"), source: source, user: 2).isNew)
    }

    @Test func theDifferenceItselfIsShown() throws {
        _ = try submit()
        let start = #expect(throws: MediaError.self) { try submit { $0.start = .time(Time(11, 1)) } }
        #expect(start?.message.contains("whose start is 10, not 11") == true, "\(start?.message ?? "")")
        let preset = #expect(throws: MediaError.self) { try submit { $0.preset.optimizeForNetwork = true } }
        #expect(
            preset?.message.contains(#""optimizeForNetwork":false"#) == true
                && preset?.message.contains(#""optimizeForNetwork":true"#) == true, "\(preset?.message ?? "")"
        )
    }

    /// A member that is added to requests is compared, or known not to be.
    @Test func everyMemberOfARequestIsCompared() throws {
        var own = Set(Mirror(reflecting: try request()).children.compactMap(\.label))
        #expect(own.remove("range") != nil)
        own.formUnion(JSONValue.empty.keys(knownTo: RangeRequest.self))
        let compared = Set(try request().members.map(\.name))
        // When a request was accepted, with which groups, and which version of its files was there, is no part of what is asked for.
        #expect(
            own.subtracting(compared) == [
                "key", "reader", "sourceBytes", "sourceIdentities", "subtitlesIdentity",
            ])
    }
}
