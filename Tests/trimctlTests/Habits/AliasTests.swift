// Names of other programs: one that means one thing is accepted, one that may mean several is answered with those.
import Foundation
import Media
import MediaTime
import Testing

@testable import trimctl

@Suite struct AliasTests {
    private func error(_ words: [String]) throws -> MediaError {
        try #require(throws: MediaError.self) { _ = try Arguments.parse(words) }
    }

    private func parse(_ words: [String]) throws -> Arguments {
        guard case .run(let arguments) = try Arguments.parse(words) else {
            throw MediaError(.unknown, "no command")
        }
        return arguments
    }

    /// The commands and options that a hint names exist.
    private func check(_ hint: String) {
        let options = Set(CommandTable.entries.flatMap(\.allOptions).map(\.name))
        for name in hint.split(whereSeparator: { !($0.isLetter || $0 == "-") }) where name.hasPrefix("--") {
            #expect(options.contains(String(name.dropFirst(2))), "\(name) in: \(hint)")
        }
        for command in hint.split(separator: "trimctl ").dropFirst() {
            let name = command.prefix { $0.isLetter }
            #expect(CommandTable.entry(String(name)) != nil, "\(name) in: \(hint)")
        }
    }

    @Test(arguments: CommandAlias.all) func everyNameOfACommandIsAnswered(row: CommandAlias) throws {
        #expect(CommandTable.entry(row.word) == nil && (row.command == nil) != (row.hint == nil))
        #expect(CommandAlias.all.filter { $0.word == row.word }.count == 1)
        if let name = row.command {
            let entry = try #require(CommandTable.entry(name))
            #expect(try Arguments.parse(["help", row.word]) == .help(entry))
        } else {
            let answer = try error([row.word, "5"])
            #expect(answer.code.exitCode == 2 && answer.remedy == row.hint)
            check(row.hint ?? "")
        }
    }

    @Test(arguments: OptionAlias.all) func everyNameOfAnOptionIsAnswered(row: OptionAlias) throws {
        #expect(row.spelling.hasPrefix("--") && (row.option == nil) != (row.hint == nil))
        #expect(OptionAlias.all.filter { $0.spelling == row.spelling }.count == 1)
        let entry = CommandTable.export
        guard let name = row.option else {
            let answer = try error(["export", "in", row.spelling, "5"])
            #expect(answer.code.exitCode == 2 && answer.remedy == row.hint)
            return check(row.hint ?? "")
        }
        let option = try #require(entry.allOptions.first { $0.name == name }, "export has no --\(name)")
        #expect(!entry.allOptions.contains { $0.spellings.contains(row.spelling) })
        let value = option.takesValue && row.value == nil ? [option.choices?.first ?? "5"] : []
        let same = value.map { row.prefix + $0 } + [row.value].compactMap(\.self)
        let plain = try parse(["export", "in", "--\(name)"] + same)
        #expect(try parse(["export", "in", row.spelling] + value) == plain)
        #expect(try parse(["export", row.spelling] + value + ["in"]) == plain)
        if row.value != nil {
            #expect(throws: MediaError.self) { try parse(["export", "in", "\(row.spelling)=x"]) }
        }
    }

    /// The words that people were seen to type.
    @Test(
        arguments: [
            (["trim", "in"], "export"), (["cut", "in"], "export"), (["info", "in"], "probe"),
            (["queue"], "list"),
            (["ps"], "list"), (["resume", "5"], "release"), (["pause", "5"], "hold"),
            (["rm", "5"], "remove"),
        ] as [([String], String)])
    func whatMeansOneThingIsDone(words: [String], name: String) throws {
        #expect(try parse(words).entry.name == name)
    }

    @Test(
        arguments: [
            (["stop", "5"], "cancel"), (["split", "in"], "batch"),
            (["export", "in", "--format", "mkv"], "-o out.mkv"),
            (["export", "in", "--volume", "2"], "--loudness"),
        ] as [([String], String)])
    func whatMayMeanSeveralIsAskedBack(words: [String], remedy: String) throws {
        #expect(try error(words).remedy?.contains(remedy) == true)
    }

    @Test func anOptionOfOneCommandStaysItsOwn() throws {
        #expect(try parse(["convert", "l.csv", "--to", "edl"]).given(.toFormat) == "edl")
        #expect(try parse(["export", "in", "--to", "20"]).time(.end) == .decimal(Time(20, 1)))
    }

    /// The built-in presets by other names.
    @Test(
        arguments: [
            ("copy", "passthrough"), ("Copy", "passthrough"), ("aac", "m4a"), ("h264", "highest"),
            ("H.265", "hevc-highest"), ("prores", "prores422"),
            ("AVAssetExportPresetHighestQuality", "highest"),
        ])
    func aPresetHasOtherNames(name: String, id: String) throws {
        #expect(try catalogue.preset(name).id == id)
    }

    @Test(
        arguments: [
            ("720p", "m4v720"), ("mp4", "extension"), ("lossless", "passthrough"),
            ("Fast 1080p30", "presets import"),
            ("Fast 1080p30", "m4v1080"), ("m4v721", "m4v720"),
        ])
    func aPresetThatIsNoneIsAnsweredByItsMeaning(name: String, remedy: String) throws {
        let answer = try #require(throws: MediaError.self) { try catalogue.preset(name) }
        #expect(answer.code == .presetNotFound && answer.remedy?.contains(remedy) == true, "\(answer)")
    }

    @Test(arguments: PresetAlias.all) func everyNameOfAPresetIsAnswered(row: PresetAlias) throws {
        #expect(!catalogue.presets.contains { $0.id == row.name } && (row.id == nil) != (row.hint == nil))
        #expect(
            PresetAlias.all.filter { $0.name == row.name }.count == 1 && row.name == row.name.lowercased())
        if let id = row.id { #expect(try catalogue.preset(row.name).id == id) }
    }

    private var catalogue: PresetCatalogue {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Presets")
        return PresetCatalogue(folders: [folder.path()])
    }
}
