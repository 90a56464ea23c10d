// Several folders of preset files: each file stands for itself, and a later folder wins.
import FoundationEssentials
import Media
import Testing

struct PresetCatalogueTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func own(_ id: String, name: String = "My own") throws -> String {
        try PresetText.with(#""id": "own""#, #""id": "\#(id)""#).replacing("My own", with: name)
    }

    @Test func aWrongFileIsLeftOutAndOnlyIt() throws {
        let folder = try scratch.write(try own("a"), to: "a.json", in: "presets")
        _ = try scratch.write(
            try PresetText.with(#""maxWidth""#, #""maxwidth""#), to: "broken.json", in: "presets")
        _ = try scratch.write(try own("c"), to: "c.json", in: "presets")
        _ = try scratch.write("not a preset", to: "readme.txt", in: "presets")
        let catalogue = PresetCatalogue(folders: [folder])
        #expect(catalogue.presets.map(\.id) == ["a", "c"])
        let problem = try #require(catalogue.problems.first)
        #expect(catalogue.problems.count == 1)
        #expect(problem.file == folder + "/broken.json")
        #expect(problem.message.contains("video.maxwidth"))
    }

    @Test func askedForByItsNameAWrongFileSaysWhatIsWrong() throws {
        let folder = try scratch.write("{", to: "mine.json", in: "presets")
        let error = try #require(throws: MediaError.self) {
            try PresetCatalogue(folders: [folder]).preset("mine")
        }
        #expect(error.code == .invalidPreset)
        #expect(error.message.contains(folder + "/mine.json"))
    }

    @Test func theNameOfTheFileIsTheId() throws {
        let folder = try scratch.write(try own("a"), to: "b.json", in: "presets")
        let catalogue = PresetCatalogue(folders: [folder])
        #expect(catalogue.presets.isEmpty)
        #expect(catalogue.problems.map(\.file) == [folder + "/b.json"])
        #expect(try #require(catalogue.problems.first).message.contains("a.json"))
    }

    @Test func aFileThatCannotBeReadIsAProblem() throws {
        let folder = try scratch.write(try own("a"), to: "a.json", in: "presets")
        try FileManager.default.createSymbolicLink(
            atPath: folder + "/gone.json", withDestinationPath: folder + "/nowhere")
        let catalogue = PresetCatalogue(folders: [folder])
        #expect(catalogue.presets.map(\.id) == ["a"])
        #expect(catalogue.problems.map(\.file) == [folder + "/gone.json"])
    }

    @Test func aLaterFolderWins() throws {
        let first = try scratch.write(try own("a", name: "first"), to: "a.json", in: "first")
        _ = try scratch.write(try own("b", name: "first"), to: "b.json", in: "first")
        let second = try scratch.write(try own("a", name: "second"), to: "a.json", in: "second")
        let names = { (folders: [String]) in PresetCatalogue(folders: folders).presets.map(\.name) }
        #expect(names([first, second]) == ["second", "first"])
        #expect(names([second, first]) == ["first", "first"])
        #expect(
            names([first, scratch.path + "/none", second]) == ["second", "first"], "a missing folder is none")
    }

    @Test func aWrongFileOfALaterFolderLeavesTheEarlierPreset() throws {
        let first = try scratch.write(try own("a", name: "first"), to: "a.json", in: "first")
        let second = try scratch.write("{", to: "a.json", in: "second")
        let catalogue = PresetCatalogue(folders: [first, second])
        #expect(catalogue.problems.count == 1)
        #expect(try catalogue.preset("a").name == "first")
    }

    @Test(arguments: [
        ("m4v72", "m4v720"), ("M4V720", "m4v720"), ("mv4720", "m4v720"), ("1280×720", "1280x720"),
        ("m4", "m4a"),
        ("AppleM4A", "AVAssetExportPresetAppleM4A"), ("1080", "m4v1080"),
    ]) func aMistypedPresetIsRefusedWithTheNearest(_ typed: String, _ meant: String) throws {
        let catalogue = PresetCatalogue(folders: [builtInFolder()])
        let error = try #require(throws: MediaError.self) { try catalogue.preset(typed) }
        #expect(error.code == .presetNotFound)
        #expect(error.code.exitCode == 2)
        #expect(error.message.contains("'\(typed)'"))
        #expect(error.remedy?.contains("'\(meant)'") == true, "\(error)")
    }

    @Test func whereNothingIsNearTheListIsNamed() throws {
        let error = try #require(throws: MediaError.self) {
            try PresetCatalogue(folders: [builtInFolder()]).preset("holographic-recording")
        }
        #expect(error.remedy?.contains("trimctl presets") == true)
    }
}
