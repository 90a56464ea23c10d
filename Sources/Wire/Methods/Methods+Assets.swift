// Parameters and results of the methods about assets and presets: `asset.probe`, `asset.check`, `preset.list`. Pure values.
public import Media

/// The parameters of `asset.probe`.
public struct ProbeParams: Hashable, Codable, Sendable {
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

    enum CodingKeys: String, CodingKey, CaseIterable { case path, keyframes, properties, variant }

    /// Decodes; an unknown key is an error.
    public init(from decoder: any Decoder) throws {
        let values = try StrictKeys(decoder, CodingKeys.self)
        path = try values.path(.path)
        keyframes = try values.may(.keyframes, Bool.self)
        properties = try values.may(.properties, [AssetProperty].self)
        variant = try values.variant(.variant)
    }
}

extension StrictKeys {
    /// The quality to read of a playlist; throws if it is none of the spellings.
    func variant(_ key: Key) throws -> String? {
        let text = try may(key, String.self)
        if let text, VariantChoice(text) == nil {
            throw wrong(key, "is '\(text)', and must be highest, lowest, a number or a size")
        }
        return text
    }
}

/// The parameters of `asset.check`.
public struct CheckParams: Ranged, Hashable, Codable, Sendable {
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
    public var options: RenderOptions?

    /// Creates parameters.
    public init(path: String, preset: PresetReference? = nil, presets: [Preset]? = nil, type: String? = nil) {
        self.path = path
        self.preset = preset
        self.presets = presets
        self.type = type
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case path, preset, presets, type, options
    }

    /// Decodes; an unknown key is an error.
    public init(from decoder: any Decoder) throws {
        let values = try StrictKeys(decoder, CodingKeys.self, others: RangeRequest.CodingKeys.allCases)
        path = try values.path(.path)
        preset = try values.may(.preset, PresetReference.self)
        presets = try values.may(.presets, [Preset].self)
        type = try values.may(.type, String.self)
        range = try RangeRequest(from: decoder)
        options = try values.may(.options, RenderOptions.self)
    }

    /// Encodes, with the range's keys among the others.
    public func encode(to encoder: any Encoder) throws {
        try range.encode(to: encoder)
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(_path, forKey: .path)
        try values.encodeIfPresent(preset, forKey: .preset)
        try values.encodeIfPresent(presets, forKey: .presets)
        try values.encodeIfPresent(type, forKey: .type)
        try values.encodeIfPresent(options, forKey: .options)
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
            self = .preset(try Preset(from: decoder))
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
