// The settings of one HandBrake preset as its JSON has them, and the notes on what becomes of them. It knows the spelling of the
// values, not their meaning. A value.
internal import FoundationEssentials
internal import MediaTime
internal import Text

/// The settings of a preset, or of one of its audio tracks.
struct HandBrakeSettings {
    private let json: JSONValue
    private(set) var notes: [ImportedPreset.Note] = []
    /// The settings that somebody has asked for.
    private var read: Set<String> = []

    init(_ json: JSONValue) { self.json = json }

    /// The text of a setting, a number as it is written; nil if it is missing, null or empty.
    mutating func text(_ key: String) -> String? {
        read.insert(key)
        let value = json.given(key)
        guard let text = value?.string ?? value?.number, !text.isEmpty else { return nil }
        return text
    }

    /// A number, also one that is written as a text.
    mutating func number(_ key: String) -> Double? {
        text(key).flatMap(Double.init).flatMap { $0.isFinite ? $0 : nil }
    }

    /// A whole number above zero and below a million.
    mutating func count(_ key: String) -> Int? {
        number(key).flatMap { 1..<1e6 ~= $0 ? Int($0) : nil }
    }

    /// Whether a setting is on.
    mutating func flag(_ key: String) -> Bool {
        read.insert(key)
        return switch json.given(key)?.content {
        case .bool(let isOn): isOn
        case .decimal(let digits): digits != "0"
        default: false
        }
    }

    /// The objects of a list.
    mutating func list(_ key: String) -> [JSONValue] {
        read.insert(key)
        return json.given(key)?.array ?? []
    }

    /// Looks at no value of these: they have no effect on the output.
    mutating func pass(_ keys: [String]) { read.formUnion(keys) }

    /// The settings that nobody has asked for, and that are set to something.
    var unread: [String] {
        (json.object?.members.map(\.name) ?? []).filter { key in
            guard !read.contains(key), let value = json.given(key) else { return false }
            switch value.content {
            case .bool(let isOn): return isOn
            case .string(let text): return !text.isEmpty
            case .array(let values): return !values.isEmpty
            case .decimal(let digits): return Double(digits) != 0
            default: return true
            }
        }
    }

    mutating func carry(_ text: String) {
        notes.append(ImportedPreset.Note(treatment: .carried, setting: nil, text: text))
    }

    mutating func approximate(_ key: String, _ text: String) {
        notes.append(ImportedPreset.Note(treatment: .approximated, setting: spelled(key), text: text))
    }

    mutating func leaveOut(_ key: String, _ text: String) {
        notes.append(ImportedPreset.Note(treatment: .leftOut, setting: spelled(key), text: text))
    }

    /// Takes over the notes on a part of the preset.
    mutating func take(_ others: [ImportedPreset.Note]) { notes += others }

    private func spelled(_ key: String) -> String {
        guard let value = json.given(key) else { return key }
        switch value.content {
        case .bool(let isOn): return "\(key)=\(isOn)"
        case .string(let text): return "\(key)=\(text)"
        case .decimal(let digits): return "\(key)=\(digits)"
        default: return key
        }
    }
}

extension Ratio {
    /// A frame rate as HandBrake writes it: `29.97` is 30000/1001. Nil if it is none, or out of range.
    init?(handBrake text: String) {
        guard let rate = Double(text), 1...1000 ~= rate,
            let thousandths = Int64(exactly: (rate * 1000).rounded())
        else { return nil }
        let whole = rate.rounded(.up)
        let slowed = whole * 1000 / 1001
        if abs(slowed - rate) < 0.005, whole != rate {
            self.init(Int64(whole) * 1000, 1001)
        } else {
            self.init(thousandths, 1000)
        }
    }
}
