// Decodes JSON that people write by hand: an unknown key is an error that names the nearest known key. It reads keyed
// containers only, and keeps no state.

/// A keyed container in which every key must be known.
package struct StrictKeys<Key: CodingKey & CaseIterable> {
    private let values: KeyedDecodingContainer<Key>

    /// Opens the decoder's object and rejects unknown keys.
    package init(_ decoder: any Decoder, _: Key.Type) throws {
        values = try decoder.container(keyedBy: Key.self)
        let known = Key.allCases.map(\.stringValue)
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

/// The names nearest to a mistyped one, best first: at most a third of the letters wrong, or one a prefix of the other.
public func nearestNames(to name: String, in names: some Sequence<String>) -> [String] {
    let wanted = name.lowercased()
    return names.compactMap { candidate -> (String, Int)? in
        let other = candidate.lowercased()
        let distance = editDistance(Array(wanted.utf8.prefix(64)), Array(other.utf8.prefix(64)))
        let isPart =
            wanted.count >= 3
            && (other.hasPrefix(wanted) || wanted.hasPrefix(other) || other.hasSuffix(wanted))
        guard isPart || distance <= max(2, max(wanted.count, other.count) / 3) else { return nil }
        return (candidate, isPart ? min(distance, 2) : distance)
    }
    .sorted { ($0.1, $0.0) < ($1.1, $1.0) }
    .map(\.0)
}

/// Insertions, removals and replacements from one to the other.
private func editDistance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var row = Array(0...b.count)
    for (i, x) in a.enumerated() {
        var diagonal = row[0]
        row[0] = i + 1
        for (j, y) in b.enumerated() {
            let cost = min(row[j] + 1, row[j + 1] + 1, diagonal + (x == y ? 0 : 1))
            diagonal = row[j + 1]
            row[j + 1] = cost
        }
    }
    return row[b.count]
}
