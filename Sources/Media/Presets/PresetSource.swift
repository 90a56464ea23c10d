// A preset file before it is a preset: its JSON, which may extend another preset. What the file does not say is the other
// preset's; objects are joined key by key, and null takes a key away. Reads text only; it checks nothing else.
internal import FoundationEssentials

/// JSON as a tree.
indirect enum PresetSource: Codable {
    case object([String: PresetSource])
    case array([PresetSource])
    case text(String)
    case whole(Int)
    case number(Double)
    case truth(Bool)
    case null

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let truth = try? value.decode(Bool.self) {
            self = .truth(truth)
        } else if let whole = try? value.decode(Int.self) {
            self = .whole(whole)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let array = try? value.decode([PresetSource].self) {
            self = .array(array)
        } else {
            self = .object(try value.decode([String: PresetSource].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .object(let object): try value.encode(object)
        case .array(let array): try value.encode(array)
        case .text(let text): try value.encode(text)
        case .whole(let whole): try value.encode(whole)
        case .number(let number): try value.encode(number)
        case .truth(let truth): try value.encode(truth)
        case .null: try value.encodeNil()
        }
    }

    /// The id of the preset it extends, where it does; an error where that is no name.
    var extended: String? {
        get throws(MediaError) {
            guard case .object(let keys) = self, let name = keys["extends"] else { return nil }
            guard case .text(let id) = name, !id.isEmpty else {
                throw MediaError(.invalidPreset, "key extends: is not the id of a preset")
            }
            return id
        }
    }

    /// This, with an id where it says none.
    func named(_ id: String) -> PresetSource {
        guard case .object(var keys) = self, keys["id"] == nil else { return self }
        keys["id"] = .text(id)
        return .object(keys)
    }

    /// This, where a base preset says what this does not.
    func extending(_ base: Preset) -> PresetSource? {
        let bytes = try? JSONEncoder().encode(base)
        guard let bytes, let tree = try? JSONDecoder().decode(PresetSource.self, from: bytes),
            case .object(var mine) = self
        else { return nil }
        mine["extends"] = nil
        // A preset that is not Apple's has no name of Apple's.
        if mine["appleName"] == nil { mine["appleName"] = .null }
        return PresetSource.object(mine).over(tree)
    }

    private func over(_ base: PresetSource) -> PresetSource {
        guard case .object(let mine) = self, case .object(var all) = base else { return self }
        for (key, value) in mine {
            if case .null = value {
                all[key] = nil
            } else {
                all[key] = all[key].map { value.over($0) } ?? value
            }
        }
        return .object(all)
    }
}
