// Paths in parameters and answers: as they are, or as URLs of files where a name is not UTF-8.
import Media
import MediaTime
import Testing
import Text

@testable import Wire

@Suite struct PathParameterTests {
    private let path = PathBytes.text(Array("/films/caf".utf8) + [0xE9] + Array(".mp4".utf8))
    private let url = JSONValue.string("file:///films/caf%E9.mp4")

    private func check<Params: Codable>(_ params: Params, _ keys: String...) throws {
        let json = try JSONValue(encoding: params)
        for key in keys { #expect(json[key] == url, "\(key)") }
        let again = try JSONValue(encoding: try json.decode(as: Params.self))
        #expect(again == json)
    }

    @Test func everyPathOfAMethodIsSpelled() throws {
        var submit = SubmitParams(input: path)
        submit.output = path
        submit.metadata = MetadataRequest(artwork: path)
        var options = ExportOptions()
        options.burnSubtitles = path
        submit.options = options
        try check(submit, "input", "output")
        #expect(try JSONValue(encoding: submit)["metadata"]?["artwork"] == url)
        #expect(try JSONValue(encoding: submit)["options"]?["burnSubtitles"] == url)
        try check(ProbeParams(path: path), "path")
        try check(CheckParams(path: path), "path")
        var frame = FrameParams(path: path, at: .time(Time(1, 1)))
        frame.picture = path
        try check(frame, "path", "output")
        var sheet = SheetParams(path: path)
        sheet.picture = path
        try check(sheet, "path", "output")
        var verify = VerifyParams(path: path, output: path)
        verify.picture = path
        try check(verify, "path", "output", "picture")
        var job = JobReport(
            id: 1, status: .waiting, preset: "p", render: .auto, input: path, output: path,
            created: Moment(milliseconds: 0), user: 1)
        (job.artwork, job.subtitles) = (path, path)
        try check(job, "input", "output", "artwork", "subtitles")
    }

    @Test func aUrlIsTakenForItsPath() throws {
        let json: JSONValue = ["input": "file:///films/caf%E9.mp4", "output": "file:///films/a%20b.m4v"]
        let params = try json.decode(as: SubmitParams.self)
        #expect(params.input == path)
        #expect(params.output == "/films/a b.m4v")
        let wrong: JSONValue = ["input": "file://elsewhere/a.mp4"]
        let error = #expect(throws: WireError.self) { try wrong.decode(as: SubmitParams.self) }
        #expect(error.map { "\($0)" }?.contains("input") == true)
    }

    @Test func aPathThatIsNotGivenIsNotWritten() throws {
        let json = try JSONValue(encoding: SubmitParams(input: "/a"))
        #expect(json == ["input": "/a"])
    }
}
