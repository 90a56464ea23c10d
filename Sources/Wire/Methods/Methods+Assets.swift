// Parameters and results of the methods about assets and presets: `asset.probe`, `asset.check`, `preset.list`. Pure values.
public import Media
public import Text

/// The parameters of `asset.probe`.
public struct ProbeParams: Hashable, Codable, StrictDecodable, Sendable {
    /// The file's absolute path.
    @SpelledPath public var path: String
    /// Whether to list the keyframes of every video track.
    public var keyframes: Bool?
    /// The requested properties; nil: the usual ones. Each is returned as loaded or failed.
    public var properties: [AssetProperty]?
    /// The quality to read of a playlist of several, as in ``VariantChoice``; nil: the highest.
    public var variant: String?

    /// Creates parameters.
    public init(path: String, keyframes: Bool? = nil, properties: [AssetProperty]? = nil) {
        self.path = path
        self.keyframes = keyframes
        self.properties = properties
    }

    /// Throws for the first value that is out of its range.
    public func validate() throws(InvalidValue) {
        try VariantChoice.check(variant, CodingKeys.variant)
    }
}

/// The parameters of `asset.check`.
public struct CheckParams: Ranged, Hashable, Codable, StrictDecodable, Sendable {
    /// The file's absolute path.
    @SpelledPath public var path: String
    /// The preset to check, by ID or in full; nil: all.
    public var preset: PresetReference?
    /// The client's presets to check besides the daemon's if `preset` is nil.
    public var presets: [Preset]?
    /// The extension of the output.
    public var type: String?
    /// The range.
    public var range = RangeRequest()
    /// Options beyond the preset.
    public var options: ExportOptions?

    /// Creates parameters.
    public init(path: String, preset: PresetReference? = nil, presets: [Preset]? = nil, type: String? = nil) {
        self.path = path
        self.preset = preset
        self.presets = presets
        self.type = type
    }
}

/// A preset by its ID, or in full.
public enum PresetReference: Hashable, Codable, Sendable {
    case id(String)
    case preset(Preset)

    /// Decodes a string or an object.
    public init(from decoder: any Decoder) throws {
        if let id = try? decoder.singleValueContainer().decode(String.self) {
            self = .id(id)
        } else {
            self = .preset(try decoder.singleValueContainer().decode(Preset.self))
        }
    }

    /// Encodes a string or an object.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .id(let id):
            var value = encoder.singleValueContainer()
            try value.encode(id)
        case .preset(let preset): try preset.encode(to: encoder)
        }
    }
}

/// The answer of `preset.list`.
public struct PresetListResult: Hashable, Codable, Sendable {
    /// The presets, by ID.
    public var presets: [Preset]
    /// Files that could not be loaded.
    public var problems: [PresetProblem]

    /// Creates an answer.
    public init(presets: [Preset], problems: [PresetProblem]) {
        self.presets = presets
        self.problems = problems
    }
}
