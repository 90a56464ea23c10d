// Presets that extend others: what is said counts, what is not is the other's; files that cannot are named and say why.
import FoundationEssentials
import Media
import MediaTime
import Testing

struct PresetInheritanceTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func catalogue(_ files: [String: String], in folder: String = "own") throws -> PresetCatalogue {
        for (name, text) in files { _ = try scratch.write(text, to: name + ".json", in: folder) }
        return PresetCatalogue(folders: [builtInFolder(), scratch.path + "/" + folder])
    }

    @Test func whatIsNotSaidIsTheBases() throws {
        let all = try catalogue([
            "web":
                #"{"extends": "m4v720", "name": "Web", "video": {"crf": 26.5}, "optimizeForNetwork": true}"#
        ])
        #expect(all.problems.isEmpty)
        let (web, base) = (try all.preset("web"), try all.preset("m4v720"))
        #expect(web.id == "web")
        #expect(web.name == "Web")
        #expect(web.appleName == nil, "a preset that is not Apple's has no name of Apple's")
        #expect(web.video?.crf == 26.5)
        #expect(web.optimizeForNetwork)
        #expect(web.video?.maxBitRate == base.video?.maxBitRate)
        #expect(web.audio == base.audio)
        #expect(web.fileTypes == base.fileTypes)
    }

    @Test func nullTakesAKeyAway() throws {
        let all = try catalogue([
            "silent": #"{"extends": "m4v720", "audio": null, "audioOnlyFileTypes": null}"#,
            "free": #"{"extends": "m4v720", "video": {"maxFrameRate": null}}"#,
        ])
        #expect(try all.preset("silent").audio == nil)
        #expect(try all.preset("free").video?.maxFrameRate == nil)
    }

    @Test func aChainIsFollowedAndOneOfTheSameNameExtendsTheEarlier() throws {
        let all = try catalogue([
            "a": #"{"extends": "b", "video": {"crf": 30}}"#,
            "b": #"{"extends": "m4v720", "video": {"speed": "fast"}}"#,
            "m4v720": #"{"extends": "m4v720", "video": {"crf": 25}}"#,
        ])
        #expect(all.problems.isEmpty)
        #expect(try all.preset("m4v720").video?.crf == 25)
        let a = try all.preset("a")
        #expect(a.video?.crf == 30)
        #expect(a.video?.speed == "fast")
        #expect(a.video?.level == "3.1")
    }

    @Test(arguments: [
        (
            #"{"extends": "m4v7200"}"#,
            ["key extends: there is no preset 'm4v7200'", "did you mean 'm4v720'?"]
        ),
        (#"{"extends": 7}"#, ["key extends: is not the id of a preset"]),
        (
            #"{"extends": "wrong"}"#,
            ["key extends: 'wrong' leads back to 'wrong' itself", "there is no preset"]
        ),
        (#"{"extends": "m4v720", "vidoe": {}}"#, ["key vidoe: is not a known key; did you mean 'video'?"]),
        (#"{"extends": "m4v720", "video": {"crff": 1}}"#, ["key video.crff: ", "did you mean 'crf'?"]),
        (#"{"extends": "m4v720", "video": {"crf": 99}}"#, ["key video.crf: is 99"]),
        (#"{"extends": "m4v720", "id": "other"}"#, ["key id: is 'other'"]),
    ]) func whatIsWrongIsNamed(_ text: String, _ says: [String]) throws {
        let all = try catalogue(["wrong": text, "right": #"{"extends": "m4v720"}"#])
        #expect(try all.preset("right").video?.crf == 21, "it takes no other with it")
        let problem = try #require(all.problems.first)
        #expect(all.problems.count == 1)
        #expect(says.contains { problem.message.contains($0) }, "\(problem.message)")
        if says.count > 1, !text.contains("wrong") { #expect(problem.message.contains(says[1])) }
    }

    @Test func aRingIsFound() throws {
        let all = try catalogue(["a": #"{"extends": "b"}"#, "b": #"{"extends": "a"}"#])
        #expect(all.problems.count == 2)
        #expect(all.problems.allSatisfy { $0.message.contains("leads back") })
    }

    @Test func presetsOfElsewhereAreExtendedWhereTheyAreGiven() throws {
        let folder = try scratch.write(
            #"{"extends": "m4v720", "video": {"crf": 30}}"#, to: "mine.json", in: "own")
        let alone = PresetCatalogue(folders: [folder])
        #expect(alone.unresolved == ["m4v720"])
        let base = try PresetCatalogue(folders: [builtInFolder()]).preset("m4v720")
        let both = PresetCatalogue(folders: [folder], extending: [base])
        #expect(both.unresolved.isEmpty)
        #expect(try both.preset("mine").video?.crf == 30)
        #expect(
            try PresetCatalogue([base]).preset(json: Data(#"{"extends": "m4v720", "id": "x"}"#.utf8)).id
                == "x")
    }
}
