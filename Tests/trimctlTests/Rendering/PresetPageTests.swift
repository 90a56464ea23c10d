// `trimctl presets ID` shows every key of a preset file: a preset that differs in one key has another page.
import FoundationEssentials
import Media
import Testing
import Text
import Wire

@testable import trimctl

struct PresetPageTests {
    /// Other values of each key, by the object it is in; a key of the schema without one fails the test.
    private static let other: [String: [String: String]] = [
        "Preset": [
            "name": #""B""#, "appleName": #""AVB""#, "fileTypes": #"["mov"]"#,
            "audioOnlyFileTypes": #"["m4a"]"#,
            "alwaysEncode": "true", "optimizeForNetwork": "true", "id": #""b""#,
        ],
        "VideoSettings": [
            "codec": #""h264""#, "encoder": #""libx264""#, "profile": #""main""#, "level": #""5.0""#,
            "tier": #""high""#, "maxFrameRate": #""25""#, "crf": "30", "bitRate": "1000000",
            "maxBitRate": "9000000", "bufferSize": "7000000", "speed": #""slow""#,
            "keyframeInterval": #""3""#,
            "pixelFormat": #""yuv422p10le""#, "alphaPixelFormat": #""yuva420p""#,
            "options": #"{"tune": "grain"}"#, "twoPass": "false",
            "alternatives": #"[{"maxWidth": 64, "maxHeight": 64, "maxFrameRate": "24"}]"#,
        ],
        "AudioSettings": [
            "codec": #""ac3""#, "encoder": #""libfdk_aac""#, "bitRate": "96000", "surroundBitRate": "400000",
            "trackBitRate": "112000",
            "maxChannels": "1", "maxSampleRate": "32000", "maxBits": "24",
        ],
    ]
    /// Keys that are not settings, and pairs that are shown together.
    private static let apart: Set<String> = [
        "$schema", "version", "extends", "video", "audio", "passthrough", "maxWidth", "maxHeight",
    ]

    private let base: JSONObject
    private let schema: JSONValue

    init(_ here: String = #filePath) throws {
        let names = here.split(separator: "/", omittingEmptySubsequences: false)
        let root = names.dropLast(4).joined(separator: "/")
        func read(_ path: String) throws -> JSONValue {
            try JSONValue(parsing: Array(Data(contentsOf: URL(filePath: "\(root)/\(path)"))))
        }
        base = try #require(try read("Presets/hevc1080.json").object)
        schema = try read("Presets/schema/preset.schema.json")
    }

    private func page(_ preset: JSONObject) throws -> String {
        PresetText.page(try PresetCatalogue.preset(json: Data(JSONValue(.object(preset)).encoded)))
    }

    @Test(arguments: [("Preset", nil), ("VideoSettings", "video"), ("AudioSettings", "audio")])
    func everyKeyIsShown(_ part: String, _ member: String?) throws {
        let properties = try #require(
            (part == "Preset" ? schema : schema["$defs"]?[part])?["properties"]?.object)
        let values = try #require(PresetPageTests.other[part])
        let whole = try page(base)
        for key in properties.names where !PresetPageTests.apart.contains(key) {
            let text = try #require(values[key], "no other value of \(part).\(key) is known to this test")
            let value = try JSONValue(parsing: Array(text.utf8))
            var preset = base
            if let member {
                var inner = try #require(preset[member]?.object)
                inner[key] = value
                // An average rate excludes a constant quality, and two passes need one.
                if key == "bitRate" || key == "twoPass", part == "VideoSettings" {
                    inner["crf"] = nil
                    if key == "twoPass" { inner["bitRate"] = 1_000_000 }
                }
                preset[member] = JSONValue(.object(inner))
            } else {
                preset[key] = value
            }
            #expect(try page(preset) != whole, "\(part).\(key) is not shown")
        }
    }

    @Test func copyingIsShown() throws {
        var preset = base
        (preset["video"], preset["audio"], preset["passthrough"]) = (nil, nil, true)
        #expect(try page(preset).contains("copied as they are stored"))
    }

    /// A key that the page has no phrase for.
    @Test func aNewKeyIsShownByItsName() {
        struct Settings: Encodable { let codec = "h264", grain = 7, film: String? = nil }
        #expect(PresetText.others(Settings(), but: ["codec"]) == "grain 7")
        #expect(PresetText.others(Settings(), but: ["codec", "grain"]) == "")
    }
}
