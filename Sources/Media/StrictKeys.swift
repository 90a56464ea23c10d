// Decodes JSON that people write by hand: an unknown key is an error that names the nearest known key. It reads keyed
// containers only, and keeps no state.
internal import Text

/// A keyed container in which every key must be known.
package struct StrictKeys<Key: CodingKey & CaseIterable> {
    private let values: KeyedDecodingContainer<Key>

    /// Opens the decoder's object and rejects unknown keys; `others` are known besides, such as those of a `RangeRequest`.
    package init(_ decoder: any Decoder, _: Key.Type, others: [any CodingKey] = []) throws {
        values = try decoder.container(keyedBy: Key.self)
        let known = Key.allCases.map(\.stringValue) + others.map(\.stringValue)
        for key in try decoder.container(keyedBy: AnyKey.self).allKeys where !known.contains(key.stringValue)
        {
            // Editors read "$schema"; JSON files commonly have it.
            if key.stringValue == "$schema" { continue }
            let near = nearestNames(to: key.stringValue, in: known)
            let hint =
                near.isEmpty ? "known are \(known.joined(separator: ", "))" : "did you mean '\(near[0])'?"
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath + [key], debugDescription: "is not a known key; \(hint)")
            )
        }
    }

    /// The value of a required key.
    package func need<T: Decodable>(_ key: Key, _: T.Type) throws -> T {
        try values.decode(T.self, forKey: key)
    }

    /// The value of an optional key.
    package func may<T: Decodable>(_ key: Key, _: T.Type) throws -> T? {
        try values.decodeIfPresent(T.self, forKey: key)
    }

    /// The error of a value that is not valid.
    package func wrong(_ key: Key, _ why: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: values.codingPath + [key], debugDescription: why))
    }

    /// Any key, to list the keys present.
    private struct AnyKey: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
