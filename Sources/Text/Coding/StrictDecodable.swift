// Values that people write as JSON: an unknown key is an error that names the nearest known one, since an option that is silently
// ignored gives a wrong export. The decoder of our trees sees to it, so that these types need no coding of their own; another
// decoder neither looks for unknown keys nor validates. Pure.

/// A value of which every key must be known and every value in its range.
public protocol StrictDecodable: Decodable {
    /// Throws for the first value that is out of its range.
    func validate() throws(InvalidValue)
}

extension StrictDecodable {
    /// Every value is valid.
    public func validate() throws(InvalidValue) {}
}

/// A value whose keys are among those of the value that it is a member of, which is strict if this one is.
public protocol FlatCodable: Codable {}

/// The keys of an object that its type has asked for, which are those that it knows, and what was made of them.
final class AskedKeys {
    private(set) var names: [String] = []
    /// Values to validate: those whose keys are among the object's, then the object's own.
    var values: [any StrictDecodable] = []

    func insert(_ name: String) {
        if !names.contains(name) { names.append(name) }
    }

    /// Throws for a member that was not asked for, then for a value that is out of its range: a misspelled key may be why it is.
    func check(_ object: JSONObject, at path: [any CodingKey]) throws {
        guard let name = unknown(in: object).first else {
            for value in values { try value.validate() }
            return
        }
        let near = nearestNames(to: name, in: names)
        let hint =
            near.isEmpty ? "known are \(names.joined(separator: ", "))" : "did you mean '\(near[0])'?"
        throw AskedKeys.fault(name, hint, at: path)
    }

    /// Throws for a member that may be a misspelling of a missing one.
    func checkSpelling(of missing: String, in object: JSONObject, at path: [any CodingKey]) throws {
        guard let name = unknown(in: object).first(where: { !nearestNames(to: $0, in: [missing]).isEmpty })
        else { return }
        throw AskedKeys.fault(name, "did you mean '\(missing)'?", at: path)
    }

    /// Editors read "$schema"; JSON files commonly have it.
    private func unknown(in object: JSONObject) -> [String] {
        object.members.map(\.name).filter { $0 != "$schema" && !names.contains($0) }
    }

    private static func fault(_ name: String, _ hint: String, at path: [any CodingKey]) -> DecodingError {
        .dataCorrupted(
            .init(codingPath: path + [JSONKey(name)], debugDescription: "is not a known key; \(hint)"))
    }
}

extension JSONValue {
    /// The keys that a type asks for, in its order.
    /// - Precondition: this is a value of the type; otherwise the keys are those up to the first that is missing or wrong.
    public func keys<Value: Decodable>(knownTo type: Value.Type) -> [String] {
        let asked = AskedKeys()
        _ = try? Value(from: JSONTreeDecoder(value: self, codingPath: [], asked: asked))
        return asked.names
    }
}
