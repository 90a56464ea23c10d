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

/// A value whose keys are among those of the value that it is a member of.
public protocol FlatCodable: Codable {}

/// A value that is out of its range.
public struct InvalidValue: Error {
    /// Its key.
    public let key: any CodingKey
    /// What it is and must be, as the end of a sentence that begins with the key.
    public let reason: String

    /// Creates an error.
    public init(_ key: any CodingKey, _ reason: String) {
        self.key = key
        self.reason = reason
    }

    /// Throws unless a number is in its range; nil is.
    public static func check<Number: Comparable>(
        _ key: any CodingKey, _ number: Number?, in range: ClosedRange<Number>, _ unit: String = ""
    ) throws(InvalidValue) {
        guard let number, !range.contains(number) else { return }
        throw InvalidValue(
            key, "is \(number), and must be \(range.lowerBound) to \(range.upperBound)\(unit)")
    }
}

/// The keys of an object that a type has asked for: those that it knows.
final class AskedKeys {
    private(set) var names: [String] = []

    func insert(_ name: String) {
        if !names.contains(name) { names.append(name) }
    }

    /// Throws for a member that nobody asked for.
    func check(_ object: JSONObject, at path: [any CodingKey]) throws {
        guard let name = unknown(in: object).first else { return }
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

/// A key by its name.
public struct JSONKey: CodingKey {
    /// The name.
    public let stringValue: String
    /// Names alone are keys.
    public var intValue: Int? { nil }

    /// Creates a key.
    public init(_ name: String) { stringValue = name }

    /// Creates a key.
    public init?(stringValue: String) { self.init(stringValue) }

    /// There is none.
    public init?(intValue: Int) { nil }
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
