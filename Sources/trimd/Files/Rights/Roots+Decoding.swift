// The roots in trimd.json: two lists of paths, `read` and `write`, each of which may give names instead; and names on their own, which are
// both read and written.
internal import FoundationEssentials
internal import Media
internal import Text
internal import Wire

extension Roots {
    /// Decodes and validates.
    init(from decoder: any Decoder) throws {
        let all = try decoder.container(keyedBy: AnyKey.self)
        // Another key whose value is a text is a name.
        let names = all.allKeys.filter { key in
            CodingKeys(stringValue: key.stringValue) == nil && key.stringValue != "$schema"
                && (try? all.decode(String.self, forKey: key)) != nil
        }
        let values = try StrictKeys(decoder, CodingKeys.self, others: names)
        self.init()
        for key in names { try name(key.stringValue, try all.decode(String.self, forKey: key), values, nil) }
        let both = named.sorted { $0.key < $1.key }.map(\.value)
        for key in CodingKeys.allCases {
            var list = both
            if let pairs = try? values.may(key, [String: String].self) {
                for (word, path) in pairs.sorted(by: { $0.key < $1.key }) {
                    try name(word, path, values, key)
                    list.append(path)
                }
            } else {
                list += try values.may(key, [String].self) ?? []
            }
            if let path = list.first(where: { !$0.isAbsolutePath || $0.pathNames.contains("..") }) {
                throw values.wrong(key, "names '\(path)', and each must be an absolute path without '..'")
            }
            if key == .read { read = list } else { write = list }
        }
    }

    /// Gives a path a name.
    private mutating func name(
        _ word: String, _ path: String, _ values: StrictKeys<CodingKeys>, _ key: CodingKeys?
    ) throws {
        let key = key ?? .read
        guard NodeTag.isValid(word) else {
            throw values.wrong(key, "has the name '\(word)'; \(NodeTag.rule)")
        }
        guard named[word] == nil || named[word] == path else {
            throw values.wrong(
                key, "has the name '\(word)' for '\(path)', which is the name of another folder")
        }
        named[word] = path
    }

    /// Any key.
    private struct AnyKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
