// `trimctl presets import`: files are written for the presets of others, and none is replaced unasked.
import FoundationEssentials
import Media
import Testing
import Text

@testable import trimctl

@Suite struct PresetsImportTests {
    private static let preset = """
        {"PresetList": [{"PresetName": "Mine 540p", "FileFormat": "av_mkv", "VideoEncoder": "x265", "VideoQualityType": 2,
        "VideoQualitySlider": 22, "VideoPreset": "slow", "PictureWidth": 960, "PictureHeight": 540, "PictureCropMode": 0,
        "AudioList": [{"AudioEncoder": "opus", "AudioBitrate": 96, "AudioMixdown": "stereo"}]}]}
        """

    private func rig() throws -> Rig {
        let rig = try Rig()
        try Data(Self.preset.utf8).write(to: URL(filePath: rig.folder + "/hb.json"))
        return rig
    }

    @Test func aPresetIsWrittenAndKnown() throws {
        let rig = try rig()
        #expect(rig.run(["presets", "import", "hb.json"]) == 0, "\(rig.err)")
        let path = rig.folder + "/.config/trimd/presets/mine-540p.json"
        #expect(rig.out.contains("Mine 540p: \(path)") && rig.out.contains("left out      PictureCropMode=0"))
        let own = OwnPresets(rig.surroundings).catalogue
        #expect(own.problems.isEmpty && own.presets.map(\.id) == ["mine-540p"])
        #expect(own.presets.first?.video?.encoder == "libx265" && own.presets.first?.alwaysEncodes == true)
        // Again: nothing is replaced unasked.
        let before = FileManager.default.contents(atPath: path)
        #expect(
            rig.run(["presets", "import", "hb.json"]) == 1 && rig.out.contains("--overwrite replaces it"))
        #expect(FileManager.default.contents(atPath: path) == before)
        #expect(rig.run(["presets", "import", "hb.json", "--overwrite"]) == 0)
    }

    @Test func anotherFolderAndJSON() throws {
        let rig = try rig()
        #expect(rig.run(["presets", "import", "hb.json", "--output-dir", "new/folder", "--json"]) == 0)
        let answer = try rig.lastJSON()
        #expect(answer["file"]?.string == rig.folder + "/new/folder/mine-540p.json")
        #expect(answer["preset"]?["id"] == "mine-540p" && answer["notes"]?.array?.isEmpty == false)
    }

    @Test(arguments: [
        (["presets", "import"], 2), (["presets", "import", "none.json"], 1),
        (["presets", "import", "hb.json", "--socket", "/s"], 2), (["presets", "m4v720", "m4a"], 2),
        (["presets", "m4v720", "--overwrite"], 2), (["presets", "import", "other.json"], 2),
    ])
    func mistakes(words: [String], code: Int) throws {
        let rig = try rig()
        try Data("{\"cutSegments\": []}".utf8).write(to: URL(filePath: rig.folder + "/other.json"))
        #expect(rig.run(words) == Int32(code), "\(rig.err)")
        #expect(!rig.err.isEmpty && !FileManager.default.fileExists(atPath: rig.folder + "/.config"))
    }
}
