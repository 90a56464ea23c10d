// The JSON of a preset file, which may extend another preset. Missing keys come from the base; objects are merged key by key,
// and null removes a key. Parses text only; it checks nothing else.
internal import FoundationEssentials
internal import Text

/// The JSON of a preset.
struct PresetSource {
    let json: JSONValue

    private init(_ json: JSONValue) { self.json = json }

    /// Parses a file's text; the error names the line.
    init(_ text: Data) throws(MediaError) {
        do throws(JSONFault) {
            json = try JSONValue(parsing: Array(text), as: .file)
        } catch {
            throw MediaError(.invalidPreset, "line \(error.line): is not valid JSON")
        }
    }

    /// The ID of the preset it extends, if any; throws if that is not a valid ID.
    var extended: String? {
        get throws(MediaError) {
            guard let name = json["extends"] else { return nil }
            guard let id = name.string, !id.isEmpty else {
                throw MediaError(.invalidPreset, "key extends: is not the id of a preset")
            }
            return id
        }
    }

    /// Keys of video settings that no stored film can be shown to satisfy.
    private static let encodingKeys = [
        "encoder", "crf", "bitRate", "twoPass", "speed", "keyframeInterval", "options",
    ]

    /// Whether the file itself says how video is encoded. Then a film that fits the preset is encoded all the same, unless
    /// `alwaysEncode` is given: otherwise a quality that somebody wrote down would be ignored in silence.
    var saysEncoding: Bool {
        json["alwaysEncode"] == nil
            && PresetSource.encodingKeys.contains { key in
                json["video"]?[key].map { $0 != .null } ?? false
            }
    }

    /// A copy, with this ID if it has none.
    func named(_ id: String) -> PresetSource {
        guard var keys = json.object, keys["id"] == nil else { return self }
        keys["id"] = .string(id)
        return PresetSource(.object(keys))
    }

    /// A copy with missing keys taken from a base preset.
    func extending(_ base: Preset) -> PresetSource? {
        guard let tree = try? JSONValue(coding: base), var mine = json.object else { return nil }
        mine["extends"] = nil
        // Only Apple's presets have an Apple name.
        if mine["appleName"] == nil { mine["appleName"] = .null }
        return PresetSource(Self.join(.object(mine), over: tree))
    }

    private static func join(_ value: JSONValue, over base: JSONValue) -> JSONValue {
        guard let mine = value.object, var all = base.object else { return value }
        for (key, value) in mine.members {
            if value == .null {
                all[key] = nil
            } else {
                all[key] = all[key].map { join(value, over: $0) } ?? value
            }
        }
        return .object(all)
    }

    /// The decoded preset, if it extends none; the error names the key.
    func preset() throws(MediaError) -> Preset {
        do {
            return try json.value(of: Preset.self)
        } catch {
            throw MediaError(.invalidPreset, Self.explain(error))
        }
    }

    /// The decoded preset of somebody's own.
    func ownPreset() throws(MediaError) -> Preset {
        var preset = try preset()
        if saysEncoding { preset.alwaysEncodes = true }
        return preset
    }

    private static func explain(_ error: any Error) -> String {
        func at(_ path: [any CodingKey]) -> String {
            let keys = path.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
            return keys.isEmpty ? "" : "key \(keys.joined(separator: ".")): "
        }
        return switch error {
        case let DecodingError.keyNotFound(key, context): at(context.codingPath + [key]) + "is missing"
        case let DecodingError.typeMismatch(type, context):
            at(context.codingPath) + "is not \(jsonTypeName(type))"
        case let DecodingError.valueNotFound(type, context):
            at(context.codingPath) + "is null, not \(jsonTypeName(type))"
        case let DecodingError.dataCorrupted(context): at(context.codingPath) + context.debugDescription
        default: "is not a preset: \(error)"
        }
    }
}
