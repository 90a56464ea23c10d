// A preset: the format of an output. A pure value with one JSON schema, version 1; decoding checks every key and number, so a
// decoded preset is usable. PresetCatalogue finds and reads the files.

/// The format of an output: container, video and audio.
public struct Preset: Hashable, Codable, Sendable {
    /// The version of the JSON schema.
    public static let currentVersion = 1
    /// The ID of the preset of a request that names none: samples as they are stored.
    public static let unnamed = "passthrough"
    /// The ID of the preset for assets that cannot be cut so.
    public static let unnamedFallback = "highest"

    /// The version of the JSON schema it was written in.
    public var version: Int
    /// Its ID on the command line: lower-case letters, digits, `-` and `x`.
    public var id: String
    /// Its display name.
    public var name: String
    /// AVFoundation's name, such as `AVAssetExportPresetAppleM4V720pHD`; nil if there is none.
    public var appleName: String?
    /// Extensions the output may have; the first is the default.
    public var fileTypes: [String]
    /// Extensions for an asset without video; nil: an asset without video is not valid for this preset.
    public var audioOnlyFileTypes: [String]?
    /// The video settings; nil for an audio preset.
    public var video: VideoSettings?
    /// The audio settings; nil for a silent preset.
    public var audio: AudioSettings?
    /// Whether samples are copied as stored; then there are no video or audio settings.
    public var isPassthrough: Bool
    /// Whether an asset that already conforms is encoded all the same.
    public var alwaysEncodes: Bool
    /// Whether the index precedes the media ("fast start").
    public var optimizeForNetwork: Bool

    /// Creates a preset.
    public init(
        id: String, name: String, appleName: String?, fileTypes: [String],
        audioOnlyFileTypes: [String]? = nil,
        video: VideoSettings?, audio: AudioSettings?, isPassthrough: Bool = false,
        alwaysEncodes: Bool = false, optimizeForNetwork: Bool = false
    ) {
        version = Preset.currentVersion
        self.id = id
        self.name = name
        self.appleName = appleName
        self.fileTypes = fileTypes
        self.audioOnlyFileTypes = audioOnlyFileTypes
        self.video = video
        self.audio = audio
        self.isPassthrough = isPassthrough
        self.alwaysEncodes = alwaysEncodes
        self.optimizeForNetwork = optimizeForNetwork
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case version, id, name, appleName, fileTypes, audioOnlyFileTypes, video, audio
        case isPassthrough = "passthrough"
        case alwaysEncodes = "alwaysEncode"
        case optimizeForNetwork
    }

    /// Decodes and checks; an unknown key or a number out of range is an error that names it.
    public init(from decoder: any Decoder) throws {
        let values = try StrictKeys(decoder, CodingKeys.self)
        version = try values.need(.version, Int.self)
        guard version == Preset.currentVersion else {
            throw values.wrong(
                .version, "is \(version), and this trimd reads version \(Preset.currentVersion)")
        }
        id = try values.need(.id, String.self)
        guard !id.isEmpty, id.count <= 64,
            id.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) })
        else { throw values.wrong(.id, "must be letters, digits, '-', '_' and '.', at most 64") }
        name = try values.need(.name, String.self)
        appleName = try values.may(.appleName, String.self)
        fileTypes = try values.need(.fileTypes, [String].self)
        audioOnlyFileTypes = try values.may(.audioOnlyFileTypes, [String].self)
        video = try values.may(.video, VideoSettings.self)
        audio = try values.may(.audio, AudioSettings.self)
        isPassthrough = try values.may(.isPassthrough, Bool.self) ?? false
        alwaysEncodes = try values.may(.alwaysEncodes, Bool.self) ?? false
        optimizeForNetwork = try values.may(.optimizeForNetwork, Bool.self) ?? false
        guard !fileTypes.isEmpty else { throw values.wrong(.fileTypes, "must name at least one extension") }
        for (key, types) in [
            (CodingKeys.fileTypes, fileTypes), (.audioOnlyFileTypes, audioOnlyFileTypes ?? []),
        ] {
            if let unknown = types.first(where: { FileType(rawValue: $0) == nil }) {
                let known = FileType.allCases.map(\.rawValue)
                throw values.wrong(key, "names '\(unknown)'; known are \(known.joined(separator: ", "))")
            }
        }
        if isPassthrough, video != nil || audio != nil {
            throw values.wrong(.isPassthrough, "is true, and then there are no settings for video and audio")
        }
        guard isPassthrough || video != nil || audio != nil else {
            throw values.wrong(.video, "is missing, and so is audio")
        }
    }
}
