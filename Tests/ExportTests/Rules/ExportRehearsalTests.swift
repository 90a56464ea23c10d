// The rehearsal of a fork server does all that it is for: a step that failed would only make workers slower, and nobody would see it.
import Export
import Libav
import Media
import MediaTime
import Testing

@Suite(.timeLimit(.minutes(60))) struct ExportRehearsalTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func request(_ id: String) throws -> ExportRequest {
        var request = ExportRequest(
            input: "/a.wav", output: OutputTarget(folder: "/", name: nil, stem: "a"), preset: try preset(id))
        request.range.start = .time(Time(1, 1))
        return request
    }

    @Test(arguments: ["m4v720", "passthrough"]) func allOfItSucceeds(_ id: String) throws {
        let source = try scratch.source(bytes: ExportRehearsal.file, name: "a.wav")
        #expect(ExportRehearsal.run(on: source, try request(id)))
    }

    @Test func anotherFileFails() throws {
        let bytes = Array(ExportRehearsal.file.dropLast(8000))
        #expect(
            !ExportRehearsal.run(on: try scratch.source(bytes: bytes, name: "a.wav"), try request("m4v720")))
        #expect(
            !ExportRehearsal.run(
                on: try scratch.source(bytes: [1, 2, 3], name: "a.wav"), try request("m4v720")))
    }
}
