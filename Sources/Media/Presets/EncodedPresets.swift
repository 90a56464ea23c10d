// EncodedPresets: presets as they travel to a worker beside a request. Only an error reads them, which names those that would do: so
// they are text, which whoever passes it on need not understand. An immutable value.
internal import Text

/// Presets that are decoded by whoever needs them.
public struct EncodedPresets: Hashable, Codable, Sendable {
    private let json: String

    /// None.
    public static let none = EncodedPresets([])

    /// Encodes presets.
    public init(_ presets: [Preset]) {
        guard !presets.isEmpty, let tree = try? JSONValue(coding: presets) else {
            json = ""
            return
        }
        json = String(decoding: tree.encoded, as: UTF8.self)
    }

    /// Takes the text.
    public init(from decoder: any Decoder) throws {
        json = try decoder.singleValueContainer().decode(String.self)
    }

    /// Gives the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(json)
    }

    /// Whether there are none.
    public var isEmpty: Bool { json.isEmpty }

    /// The presets; none of a text that is not theirs.
    public var presets: [Preset] {
        guard !isEmpty, let tree = try? JSONValue(parsing: Array(json.utf8), as: .message) else { return [] }
        return (try? tree.value(of: [Preset].self)) ?? []
    }
}
