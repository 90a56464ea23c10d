// HandBrake's preset files, as its programs export them: a tree of folders and presets, or a single preset. Parses text; opens and
// writes no file.
internal import FoundationEssentials
internal import Media
internal import Text

/// Reads preset files of HandBrake's.
public enum HandBrakePresets {
    /// The deepest folder of presets that is read.
    private static let deepest = 32

    /// All presets of a file, in its order; throws if it is none of HandBrake's.
    public static func read(_ bytes: [UInt8]) throws(ListFault) -> [ImportedPreset] {
        let root = try JSONValue(list: bytes)
        let nodes: [JSONValue]
        if let list = root.given("PresetList")?.array ?? root.array {
            nodes = list
        } else if root.given("PresetName") != nil {
            nodes = [root]
        } else {
            throw ListFault(root.line, "there is no PresetList: this is no file of HandBrake's presets")
        }
        var presets: [ImportedPreset] = []
        for node in nodes { try walk(node, [], &presets) }
        guard !presets.isEmpty else { throw ListFault(root.line, "there is no preset in it") }
        var taken: Set<String> = []
        for index in presets.indices {
            guard let id = presets[index].preset?.id else { continue }
            presets[index].preset?.id = free(id, &taken)
        }
        return presets
    }

    private static func walk(
        _ node: JSONValue, _ folders: [String], _ presets: inout [ImportedPreset]
    ) throws(ListFault) {
        guard node.object != nil else { throw ListFault(node.line, "\(node.kind) is not a preset") }
        let name = node.given("PresetName")?.string ?? "preset of line \(node.line)"
        // Folders are objects of the same shape.
        let isFolder = node.given("Folder")?.content == .bool(true)
        if isFolder || node.given("VideoEncoder") == nil, let children = node.given("ChildrenArray")?.array {
            guard folders.count < deepest else {
                throw ListFault(node.line, "the folders are nested too deep")
            }
            for child in children { try walk(child, folders + [name], &presets) }
            return
        }
        guard !isFolder else { return }
        presets.append(preset(node, name, folders))
    }

    private static func preset(_ node: JSONValue, _ name: String, _ folders: [String]) -> ImportedPreset {
        var imported = ImportedPreset(name: (folders + [name]).joined(separator: "/"), line: node.line)
        var settings = HandBrakeSettings(node)
        settings.pass(settled)
        let types = fileTypes(&settings)
        let video = settings.video()
        settings.filters()
        let audio = settings.audio(fileType: types[0])
        subtitles(&settings)
        let isOptimized = ["Mp4HttpOptimize", "Optimize"].map { settings.flag($0) }.contains(true)
        if isOptimized { settings.carry("the index before the media") }
        for key in settings.unread.sorted() {
            settings.leaveOut(key, "trimd does not know this setting")
        }
        imported.reason = video.reason
        imported.notes =
            ImportedPreset.Treatment.allCases.flatMap { treatment in
                settings.notes.filter { $0.treatment == treatment }
            }
        guard let video = video.settings else { return imported }
        imported.preset = Preset(
            id: identifier(name), name: name, appleName: nil, fileTypes: types, video: video, audio: audio,
            alwaysEncodes: true, optimizeForNetwork: isOptimized)
        do throws(MediaError) {
            if let preset = imported.preset { try check(preset) }
        } catch {
            (imported.preset, imported.reason) = (nil, error.message)
        }
        return imported
    }

    /// Settings of HandBrake's window, and others that change no output of trimd's.
    private static let settled = [
        "PresetName", "PresetDescription", "PresetDisabled", "Default", "Type", "Folder", "FolderOpen",
        "ChildrenArray", "UsesPictureFilters", "VideoHWDecode", "VideoQSVDecode", "VideoQSVAsyncDepth",
        "VideoScaler", "x264Option", "x264UseAdvancedOptions", "InlineParameterSets", "AlignAVStart",
        "VideoColorRange", "VideoPasshtruHDRDynamicMetadata",
    ]

    private static func fileTypes(_ settings: inout HandBrakeSettings) -> [String] {
        if settings.flag("Mp4iPodCompatible") {
            settings.leaveOut("Mp4iPodCompatible", "the box of players of before 2009 is not written")
        }
        return switch settings.text("FileFormat") {
        case "av_mkv", "mkv": ["mkv"]
        case "av_webm", "webm": ["webm", "mkv"]
        case "av_mov", "mov": ["mov", "mkv"]
        default: ["mp4", "mkv"]
        }
    }

    private static func subtitles(_ settings: inout HandBrakeSettings) {
        settings.pass([
            "SubtitleAddCC", "SubtitleAddForeignAudioSearch", "SubtitleAddForeignAudioSubtitle",
            "SubtitleBurnBDSub", "SubtitleBurnDVDSub", "SubtitleLanguageList", "SubtitleTrackNamePassthru",
        ])
        switch settings.text("SubtitleTrackSelectionBehavior") {
        case "none"?:
            settings.approximate(
                "SubtitleTrackSelectionBehavior",
                "text subtitles are kept where the file type holds them; --subtitles none leaves them out")
        case "first"?:
            settings.approximate("SubtitleTrackSelectionBehavior", "all text subtitles are kept")
        default: break
        }
        if let burned = settings.text("SubtitleBurnBehavior"), burned != "none" {
            settings.leaveOut("SubtitleBurnBehavior", "subtitles are not burned in")
        }
        let hasMetadata = ["MetadataPassthrough", "MetadataPassthru"].map { settings.flag($0) }.contains(true)
        if !hasMetadata { settings.leaveOut("MetadataPassthrough", "--strip-metadata leaves metadata out") }
        if !settings.flag("ChapterMarkers") { settings.leaveOut("ChapterMarkers", "chapters are kept") }
    }

    /// The reason for which a preset's file would be refused.
    private static func check(_ preset: Preset) throws(MediaError) {
        guard let json = try? JSONValue(coding: preset) else {
            throw MediaError(.invalidPreset, "its settings cannot be written as JSON")
        }
        _ = try PresetCatalogue.preset(json: Data(json.encoded))
    }

    /// A name on the command line: `Fast 1080p30` is `fast-1080p30`.
    private static func identifier(_ name: String) -> String {
        let letters = name.lowercased().unicodeScalars.map { letter in
            letter.isASCII && (letter.properties.isAlphabetic || letter.properties.numericType != nil)
                || letter == "." ? Character(letter) : "-"
        }
        let words = String(letters).split(separator: "-").joined(separator: "-")
        return words.isEmpty ? "preset" : String(words.prefix(56))
    }

    private static func free(_ id: String, _ taken: inout Set<String>) -> String {
        var (name, number) = (id, 2)
        while !taken.insert(name).inserted { (name, number) = ("\(id)-\(number)", number + 1) }
        return name
    }
}
