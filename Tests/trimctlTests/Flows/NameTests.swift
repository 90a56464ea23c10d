// Names of files on the command line, on the disk, on the console and in reports: bytes, which need not be UTF-8, and may hold
// what steers a terminal.
import FoundationEssentials
import Media
import Platform
import Testing
import Text
import Wire

@testable import trimctl

@Suite struct NameTests {
    private let name = PathBytes.text(Array("caf".utf8) + [0xE9] + Array(".mp4".utf8))

    @Test func onlyNamesOfFilesAreBytes() throws {
        #expect(try ValueKind.inputFile.read(name, for: "INPUT") == .text(name))
        #expect(try ValueKind.outputFile.read(name, for: "--output") == .text(name))
        for kind in [ValueKind.text, .preset, .chapter, .fileType, .time] {
            let error = #expect(throws: MediaError.self) { try kind.read(name, for: "--x") }
            #expect(error?.code == .invalidRequest && error?.message == "--x: 'caf%E9.mp4' is not UTF-8")
        }
    }

    @Test func aUrlIsAPath() throws {
        #expect(try ValueKind.inputFile.read("file:///a/caf%E9.mp4", for: "INPUT") == .text("/a/\(name)"))
        #expect(throws: MediaError.self) { try ValueKind.inputFile.read("file://host/a", for: "INPUT") }
    }

    @Test func filesAreFoundByTheirBytes() throws {
        let rig = try Rig()
        let path = rig.folder + "/" + name
        try FileSystem.write(Array("film".utf8), to: path)
        #expect(FileSystem.exists(path) && !FileSystem.isFolder(path))
        #expect(try FileSystem.contents(path) == Array("film".utf8))
        #expect(FileSystem.names(in: rig.folder) == [name])
        #expect(BatchNames.size(path) == 4)
        try FileSystem.makeFolder(path + ".d/e")
        #expect(FileSystem.isFolder(path + ".d/e"))
        #expect(!FileSystem.exists(rig.folder + "/caf%E9.mp4"))
        #expect(throws: SystemError.self) { try FileSystem.contents(rig.folder + "/none") }
    }

    @Test func aReportSpellsThem() throws {
        var request = SubmitParams(input: "/films/" + name)
        request.output = "/films/\u{9B}31m\u{202E}" + name
        let item = BatchItem(
            index: 1, line: 2, label: "a\u{202E}b\u{9B}c\u{7F}", request: request, preset: "m4v720")
        let report = BatchReport(
            list: "/lists/" + name, started: .now, ended: .now, items: [item], faults: [], interrupted: false)
        let json = try JSONValue(encoding: report)
        #expect(json["list"] == "file:///lists/caf%E9.mp4")
        #expect(json["exports"]?.array?.first?["output"] == "file:///films/%C2%9B31m%E2%80%AEcaf%E9.mp4")
        let text = String(decoding: json.encoded, as: UTF8.self)
        for words in [text, report.junit, report.markdown] {
            #expect(!words.unicodeScalars.contains { $0.isSteering && $0 != "\n" }, "\(words)")
            #expect(PathBytes.isText(words))
        }
        #expect(report.junit.contains("a&#x202E;b&#x9B;c&#x7F;"))
        #expect(text.contains(#"a\u202eb\u009bc\u007f"#))
    }
}
