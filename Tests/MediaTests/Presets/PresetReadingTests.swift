// The permitted contents of a preset file, and the errors for the rest, which name it by its key, or by its line.
import Media
import MediaTime
import Testing

struct PresetReadingTests {
    /// One way to spoil a preset, and what its message must say.
    struct Spoilt: CustomTestStringConvertible, Sendable {
        var old: String, new: String
        var says: [String]
        init(_ old: String, _ new: String, says: String...) {
            (self.old, self.new, self.says) = (old, new, says)
        }
        var testDescription: String { "\(old) → \(new)" }
    }

    /// The message a text is refused with.
    private func refusal(_ text: String) throws -> String {
        let error = try #require(throws: MediaError.self) { _ = try preset(text) }
        #expect(error.code == .invalidPreset)
        #expect(error.code.exitCode == 2)
        return error.message
    }

    @Test func aWholeOneIsReadAsItStands() throws {
        let own = try preset(PresetText.whole)
        #expect(own.id == "own")
        #expect(own.name == "My own")
        #expect(own.appleName == nil)
        #expect(own.fileTypes == ["mp4", "mov"])
        #expect(own.video?.maxFrameRate == Ratio(30_000, 1001))
        #expect(own.video?.crf == 21)
        #expect(own.audio?.maxSampleRate == 48_000)
        #expect(try roundTrip(own) == own)
    }

    @Test func itMayNameASchemaForEditors() throws {
        #expect(try preset(PresetText.with(#""version": 1"#, #""$schema": "x", "version": 1"#)).id == "own")
    }

    @Test func videoOrAudioMayBeLeftOutButNotBoth() throws {
        let head = #"{"version": 1, "id": "own", "name": "My own", "fileTypes": ["m4a"]"#
        let audio =
            #""audio": {"codec": "aac", "encoder": "aac", "maxChannels": 2, "maxSampleRate": 48000}"#
        #expect(try preset("\(head), \(audio)}").video == nil)
        #expect(try refusal(head + "}").contains("key video: is missing, and so is audio"))
    }

    @Test(arguments: [
        Spoilt(#""maxWidth""#, #""maxwidth""#, says: "key video.maxwidth:", "did you mean 'maxWidth'?"),
        Spoilt(
            #""maxChannels""#, #""maxChanels""#, says: "key audio.maxChanels:", "did you mean 'maxChannels'?"),
        Spoilt(#""fileTypes""#, #""filetypes""#, says: "key filetypes:", "did you mean 'fileTypes'?"),
        Spoilt(
            #""name": "My own""#, #""name": "My own", "zzzzzzzz": 1"#, says: "key zzzzzzzz:",
            "known are version, id"),
    ]) func anUnknownKeyIsNamedWithItsNearest(_ spoilt: Spoilt) throws {
        let message = try refusal(PresetText.with(spoilt.old, spoilt.new))
        for part in spoilt.says { #expect(message.contains(part), "\(message)") }
    }

    @Test(arguments: [
        Spoilt(#""maxWidth": 1280"#, #""maxWidth": "wide""#, says: "key video.maxWidth: is not a"),
        Spoilt(#""name": "My own""#, #""name": 7"#, says: "key name: is not a string"),
        Spoilt(#"["mp4", "mov"]"#, #"["mp4", 7]"#, says: "fileTypes", "is not a string"),
        Spoilt(#"["mp4", "mov"]"#, #""mp4""#, says: "key fileTypes: is not a"),
        Spoilt(#""crf": 21"#, #""crf": [21]"#, says: "key video.crf: is not a"),
        Spoilt(#""name": "My own""#, #""name": null"#, says: "key name: is null"),
        Spoilt(
            #""maxFrameRate": "30000/1001""#, #""maxFrameRate": "fast""#, says: "key video.maxFrameRate:",
            "fast"),
        Spoilt(#""maxFrameRate": "30000/1001""#, #""maxFrameRate": 30"#, says: "key video.maxFrameRate:"),
    ]) func aWrongTypeIsNamedWithItsKey(_ spoilt: Spoilt) throws {
        let message = try refusal(PresetText.with(spoilt.old, spoilt.new))
        for part in spoilt.says { #expect(message.contains(part), "\(message)") }
    }

    @Test(arguments: [
        Spoilt(#""version": 1"#, #""version": 2"#, says: "key version: is 2"),
        Spoilt(#""id": "own""#, #""id": """#, says: "key id:"),
        Spoilt(#""id": "own""#, #""id": "../own""#, says: "key id:"),
        Spoilt(#""id": "own""#, #""id": "öwn""#, says: "key id:"),
        Spoilt(#"["mp4", "mov"]"#, "[]", says: "key fileTypes: must name at least one"),
        Spoilt(#"["mp4", "mov"]"#, #"["wmv"]"#, says: "key fileTypes: names 'wmv'", "mp4, m4v, m4a, m4b"),
        Spoilt(
            #""fileTypes""#, #""audioOnlyFileTypes": ["wmv"], "fileTypes""#,
            says: "key audioOnlyFileTypes: names 'wmv'"),
        Spoilt(
            #""maxWidth": 1280"#, #""maxWidth": 15"#,
            says: "key video.maxWidth: is 15, and must be 16 to 16384"),
        Spoilt(#""maxWidth": 1280,"#, "", says: "key video.maxWidth: is missing: a box has"),
        Spoilt(#""level": "3.1""#, #""level": "3.3""#, says: "key video.level: is '3.3'; known are 1, 1.1"),
        Spoilt(
            #""maxBitRate": 5000000"#, #""maxBitRate": 17500001"#,
            says: "key video.maxBitRate: is 17500001, and level 3.1 allows 17500000"),
        Spoilt(#""level""#, #""tier": "low", "level""#, says: "key video.tier: is 'low'"),
        Spoilt(#""maxChannels": 2"#, #""maxChannels": 2, "maxBits": 20"#, says: "key audio.maxBits: is 20"),
        Spoilt(#""maxHeight": 720"#, #""maxHeight": 16385"#, says: "key video.maxHeight: is 16385"),
        Spoilt(#""maxHeight": 720"#, #""maxHeight": -720"#, says: "key video.maxHeight: is -720"),
        Spoilt(#""crf": 21"#, #""crf": 64"#, says: "key video.crf: is 64"),
        Spoilt(
            #""crf": 21"#, #""crf": 21, "twoPass": true"#,
            says: "key video.twoPass: is true, and without bitRate"),
        Spoilt(#""crf": 21,"#, "", says: "key video.crf: is missing, and so is bitRate"),
        Spoilt(#""maxBitRate": 5000000"#, #""maxBitRate": 999"#, says: "key video.maxBitRate: is 999"),
        Spoilt(
            #""bufferSize": 10000000"#, #""bufferSize": 1000000001"#,
            says: "key video.bufferSize: is 1000000001"),
        Spoilt(#""bufferSize": 10000000,"#, "", says: "key video.bufferSize: is missing beside maxBitRate"),
        Spoilt(
            #""maxFrameRate": "30000/1001""#, #""maxFrameRate": "0""#, says: "key video.maxFrameRate: is 0"),
        Spoilt(
            #""maxFrameRate": "30000/1001""#, #""maxFrameRate": "1001""#,
            says: "key video.maxFrameRate: is 1001"),
        Spoilt(
            #""keyframeInterval": "2""#, #""keyframeInterval": "1/11""#,
            says: "key video.keyframeInterval: is 1/11"),
        Spoilt(#""keyframeInterval": "2","#, "", says: "key video.keyframeInterval: is missing"),
        Spoilt(#""bitRate": 160000"#, #""bitRate": 7999"#, says: "key audio.bitRate: is 7999"),
        Spoilt(#""maxChannels": 2"#, #""maxChannels": 0"#, says: "key audio.maxChannels: is 0"),
        Spoilt(
            #""maxSampleRate": 48000"#, #""maxSampleRate": 7999"#, says: "key audio.maxSampleRate: is 7999"),
    ]) func aNumberOutOfRangeIsNamedWithItsKey(_ spoilt: Spoilt) throws {
        let message = try refusal(PresetText.with(spoilt.old, spoilt.new))
        for part in spoilt.says { #expect(message.contains(part), "\(message)") }
    }

    @Test(arguments: [
        Spoilt(#""maxWidth": 1280"#, #""maxWidth": 16"#, says: ""),
        Spoilt(#""maxWidth": 1280"#, #""maxWidth": 16384"#, says: ""),
        Spoilt(#""crf": 21"#, #""crf": 0"#, says: ""),
        Spoilt(#""crf": 21"#, #""bitRate": 1000"#, says: ""),
        Spoilt(#""maxFrameRate": "30000/1001""#, #""maxFrameRate": "1000""#, says: ""),
        Spoilt(#""keyframeInterval": "2""#, #""keyframeInterval": "1/10""#, says: ""),
        Spoilt(#""maxChannels": 2"#, #""maxChannels": 64"#, says: ""),
    ]) func theEndsOfTheRangesAreAllowed(_ spoilt: Spoilt) throws {
        #expect(throws: Never.self) { try preset(PresetText.with(spoilt.old, spoilt.new)) }
    }

    @Test(arguments: [
        ("\"name\": \"My own\",", 5), ("\"encoder\": \"libx264\",", 9), ("\"maxChannels\": 2,", 25),
    ])
    func aSyntaxErrorNamesItsLine(_ line: String, _ number: Int) throws {
        // Without its comma, a line makes the next one wrong.
        let message = try refusal(PresetText.with(line, String(line.dropLast())))
        #expect(message == "line \(number): is not valid JSON")
    }

    @Test(arguments: [
        "", "{", "[]", "7", "null", "{\"version\": 1}", "\u{0}\u{1}\u{2}", "{\"version\": 1e999}",
    ])
    func whatIsNoPresetIsRefused(_ text: String) throws {
        #expect(try !refusal(text).isEmpty)
    }
}
