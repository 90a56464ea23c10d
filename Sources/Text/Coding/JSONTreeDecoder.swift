// Decodes Codable types directly from a tree. Errors are DecodingErrors with the wording of Foundation's decoder, which our
// messages quote; only a number that does not fit its type has a message of our own with its key, and carries a
// JSONNumberFault. Pure.

extension JSONValue {
    /// Decodes a Codable value; throws the errors of the type's initializer, usually a DecodingError.
    public func value<Value: Decodable>(of type: Value.Type) throws -> Value {
        try JSONTreeDecoder(value: self, codingPath: []).decoded(type)
    }
}

/// A decoder of one value of a tree.
struct JSONTreeDecoder: Decoder, SingleValueDecodingContainer {
    let value: JSONValue
    let codingPath: [any CodingKey]
    /// Collects the keys that are asked for, where an unknown one is an error; nil elsewhere.
    var asked: AskedKeys?
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let object) = value.content else {
            throw mismatch([String: Any].self, "keyed decoding container")
        }
        return KeyedDecodingContainer(
            JSONTreeMembers<Key>(object: object, codingPath: codingPath, asked: asked))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let values) = value.content else {
            throw mismatch([Any].self, "unkeyed decoding container")
        }
        return JSONTreeElements(values: values, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    /// Decodes a type, or returns the tree itself.
    func decoded<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if Value.self == JSONValue.self, let value = value as? Value { return value }
        guard let object = value.object, Value.self is any StrictDecodable.Type else {
            do {
                return try Value(from: self)
            } catch DecodingError.dataCorrupted(let context) {
                throw DecodingError.dataCorrupted(wrongChoice(type) ?? context)
            }
        }
        let asked = AskedKeys()
        do {
            let value = try JSONTreeDecoder(value: self.value, codingPath: codingPath, asked: asked)
                .unchecked(type)
            try asked.check(object, at: codingPath)
            return value
        } catch DecodingError.keyNotFound(let key, let context) {
            // What is missing is most often there, misspelled.
            try asked.checkSpelling(of: key.stringValue, in: object, at: codingPath)
            throw DecodingError.keyNotFound(key, context)
        } catch let error as InvalidValue {
            throw DecodingError.dataCorrupted(
                .init(codingPath: codingPath + [error.key], debugDescription: error.reason))
        }
    }

    /// Decodes a value that `asked` validates once all keys are known to be right.
    fileprivate func unchecked<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value = try Value(from: self)
        if let strict = value as? any StrictDecodable { asked?.values.append(strict) }
        return value
    }

    /// The error for a text that is none of an enumeration's; nil: it is not that.
    private func wrongChoice(_ type: Any.Type) -> DecodingError.Context? {
        guard let text = value.string, let choices = type as? any CaseIterable.Type else { return nil }
        let words = JSONTreeDecoder.words(choices)
        guard !words.isEmpty, !words.contains(text) else { return nil }
        let near = words.count > 12 ? nearestNames(to: text, in: words).first : nil
        let rule =
            near.map { "did you mean '\($0)'?" }
            ?? "it must be \(words.dropLast().joined(separator: ", ")) or \(words.last ?? "")"
        return .init(codingPath: codingPath, debugDescription: "is '\(text)'; \(rule)")
    }

    /// The texts of an enumeration; none if its values are no texts.
    private static func words<Choice: CaseIterable>(_: Choice.Type) -> [String] {
        Choice.allCases.compactMap { ($0 as? any RawRepresentable)?.rawValue as? String }
    }

    func decodeNil() -> Bool { value.content == .null }

    func decode(_ type: Bool.Type) throws -> Bool {
        guard case .bool(let value) = value.content else { throw mismatch(type) }
        return value
    }

    func decode(_ type: String.Type) throws -> String {
        guard let text = value.string else { throw mismatch(type) }
        return text
    }

    func decode(_ type: Double.Type) throws -> Double {
        try number { number in Double(number).flatMap { $0.isFinite ? $0 : nil } }
    }

    func decode(_ type: Float.Type) throws -> Float {
        try number { number in Float(number).flatMap { $0.isFinite ? $0 : nil } }
    }

    func decode(_ type: Int.Type) throws -> Int { try integer() }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer() }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer() }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer() }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer() }
    func decode(_ type: UInt.Type) throws -> UInt { try integer() }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoded(type) }

    /// An integer; 1.0 and 1e2 are integers.
    private func integer<T: FixedWidthInteger>() throws -> T {
        try number { number in T(number) ?? Double(number).flatMap { T(exactly: $0) } }
    }

    private func number<T>(_ read: (String) -> T?) throws -> T {
        let text: String
        switch value.content {
        case .int(let value): text = String(value)
        case .double(let value): text = "\(value)"
        case .decimal(let digits): text = digits
        default: throw mismatch(T.self)
        }
        if let number = read(text) { return number }
        throw DecodingError.dataCorrupted(
            .init(
                codingPath: codingPath, debugDescription: "the number \(text) does not fit",
                underlyingError: JSONNumberFault(number: text, type: "\(T.self)")))
    }

    /// The error for a value of the wrong type; `null` is a missing value.
    private func mismatch(_ wanted: Any.Type, _ container: String? = nil) -> DecodingError {
        let found: String
        switch value.content {
        case .null:
            let what = container ?? "value of type \(wanted)"
            return .valueNotFound(
                wanted,
                .init(
                    codingPath: codingPath, debugDescription: "Cannot get \(what) -- found null value instead"
                ))
        case .bool: found = "bool"
        case .int, .double, .decimal: found = "number"
        case .string: found = "a string"
        case .array: found = "an array"
        case .object: found = "a dictionary"
        }
        return .typeMismatch(
            wanted,
            .init(
                codingPath: codingPath,
                debugDescription: "Expected to decode \(wanted) but found \(found) instead."
            ))
    }
}

// Keyed and unkeyed decoding containers over a tree. Values; any thread.
/// The coding key of an element: its index.
struct JSONIndex: CodingKey {
    let index: Int
    var stringValue: String { "Index \(index)" }
    var intValue: Int? { index }
    init(_ index: Int) { self.index = index }
    init?(intValue: Int) { self.init(intValue) }
    init?(stringValue: String) { nil }
}

/// The members of an object.
struct JSONTreeMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let object: JSONObject
    let codingPath: [any CodingKey]
    let asked: AskedKeys?

    var allKeys: [Key] { object.members.compactMap { Key(stringValue: $0.name) } }

    func contains(_ key: Key) -> Bool {
        asked?.insert(key.stringValue)
        return object[key.stringValue] != nil
    }

    private func member(_ key: some CodingKey) throws -> JSONTreeDecoder {
        asked?.insert(key.stringValue)
        guard let value = object[key.stringValue] else {
            throw DecodingError.keyNotFound(
                key,
                .init(
                    codingPath: codingPath,
                    debugDescription: "No value associated with key \(key) (\"\(key.stringValue)\")."))
        }
        return JSONTreeDecoder(value: value, codingPath: codingPath + [key])
    }

    func decodeNil(forKey key: Key) throws -> Bool { try member(key).decodeNil() }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        guard T.self is any FlatCodable.Type else { return try member(key).decoded(type) }
        return try JSONTreeDecoder(value: .object(object), codingPath: codingPath, asked: asked)
            .unchecked(type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { try member(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try member(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { superDecoder(of: JSONKey("super")) }
    func superDecoder(forKey key: Key) throws -> any Decoder { superDecoder(of: key) }

    private func superDecoder(of key: some CodingKey) -> JSONTreeDecoder {
        JSONTreeDecoder(value: object[key.stringValue] ?? .null, codingPath: codingPath + [key])
    }
}

/// The elements of an array, in order.
struct JSONTreeElements: UnkeyedDecodingContainer {
    let values: [JSONValue]
    let codingPath: [any CodingKey]
    private(set) var currentIndex = 0

    init(values: [JSONValue], codingPath: [any CodingKey]) {
        self.values = values
        self.codingPath = codingPath
    }

    var count: Int? { values.count }
    var isAtEnd: Bool { currentIndex >= values.count }

    private func element(_ wanted: Any.Type) throws -> JSONTreeDecoder {
        let path = codingPath + [JSONIndex(currentIndex)]
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                wanted, .init(codingPath: path, debugDescription: "Unkeyed container is at end."))
        }
        return JSONTreeDecoder(value: values[currentIndex], codingPath: path)
    }

    mutating func decodeNil() throws -> Bool {
        guard try element(Never.self).decodeNil() else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let value = try element(type).decoded(type)
        currentIndex += 1
        return value
    }

    mutating func nestedContainer<Key: CodingKey>(
        keyedBy type: Key.Type
    ) throws -> KeyedDecodingContainer<Key> {
        let container = try element(KeyedDecodingContainer<Key>.self).container(keyedBy: type)
        currentIndex += 1
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try element((any UnkeyedDecodingContainer).self).unkeyedContainer()
        currentIndex += 1
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = try element((any Decoder).self)
        currentIndex += 1
        return decoder
    }
}
