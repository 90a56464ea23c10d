// The rehearsal of a fork server does all that it is for: a step that failed would only make workers slower, and nobody would see it.
import FoundationEssentials
import Libav
import Media
import MediaTime
import Testing

@testable import Export

@Suite(.timeLimit(.minutes(10))) struct ExportRehearsalTests {
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

    /// A copy on one thread is the copy that workers make.
    @Test func aFilmIsCopied() throws {
        let source = try scratch.source(bytes: ExportRehearsal.film, name: "a.mp4")
        let (here, usual) = (scratch.name("mp4"), scratch.name("mp4"))
        #expect(ExportRehearsal.copy(source, output: try scratch.output(here)))
        _ = try Exporter(source, ExportRehearsal.copying).run(
            output: try scratch.output(usual), progress: { _ in }, log: { _ in })
        let bytes = try Data(contentsOf: URL(filePath: here))
        #expect(try bytes == Data(contentsOf: URL(filePath: usual)) && bytes.count > 1000)
    }

    @Test func aTruncatedFilmFails() throws {
        let bytes = Array(ExportRehearsal.film.dropLast(600))
        #expect(
            !ExportRehearsal.copy(
                try scratch.source(bytes: bytes, name: "a.mp4"),
                output: try scratch.output(scratch.name("mp4"))))
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
