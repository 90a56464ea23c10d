// Encodes Codable types directly to a tree. A caller keeps filling a container after the encoder has returned it; so both share
// a node, and the tree is built from the nodes at the end. Single-threaded: a node never leaves its encoding.

extension JSONValue {
    /// Encodes a Codable value to a tree; throws the errors of its encoding, usually an EncodingError.
    public init(coding value: some Encodable) throws {
        let node = JSONNode()
        try node.encode(value, at: [])
        guard let tree = node.value else {
            throw EncodingError.invalidValue(
                value,
                .init(
                    codingPath: [],
                    debugDescription: "Top-level \(type(of: value)) did not encode any values."))
        }
        self = tree
    }
}

/// One value that is being encoded.
final class JSONNode {
    private enum State {
        case none
        case value(JSONValue)
        case array([JSONNode])
        case object([(name: String, node: JSONNode)])
    }

    private var state = State.none

    /// The encoded tree; nil if nothing was encoded.
    var value: JSONValue? {
        switch state {
        case .none: return nil
        case .value(let value): return value
        case .array(let nodes): return .array(nodes.map { $0.value ?? .empty })
        case .object(let members):
            var object = JSONObject()
            for (name, node) in members { object.append(name, node.value ?? .empty) }
            return .object(object)
        }
    }

    func set(_ value: JSONValue) { state = .value(value) }

    /// Makes it an object, unless it is one.
    func beginObject() {
        if case .object = state { return }
        state = .object([])
    }

    /// Makes it an array, unless it is one.
    func beginArray() {
        if case .array = state { return }
        state = .array([])
    }

    func member(_ name: String) -> JSONNode {
        let node = JSONNode()
        if case .object(var members) = state {
            state = .none
            members.append((name, node))
            state = .object(members)
        }
        return node
    }

    var count: Int {
        guard case .array(let nodes) = state else { return 0 }
        return nodes.count
    }

    func element() -> JSONNode {
        let node = JSONNode()
        if case .array(var nodes) = state {
            state = .none
            nodes.append(node)
            state = .array(nodes)
        }
        return node
    }

    func encode<Value: Encodable>(_ value: Value, at path: [any CodingKey]) throws {
        if Value.self == JSONValue.self, let tree = value as? JSONValue { return set(tree) }
        try value.encode(to: JSONTreeEncoder(node: self, codingPath: path))
    }
}

/// An encoder of one value.
struct JSONTreeEncoder: Encoder, SingleValueEncodingContainer {
    let node: JSONNode
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.beginObject()
        return KeyedEncodingContainer(JSONMemberEncoding<Key>(node: node, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.beginArray()
        return JSONElementEncoding(node: node, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() { node.set(.null) }
    func encode(_ value: Bool) { node.set(.bool(value)) }
    func encode(_ value: String) { node.set(.string(value)) }
    func encode(_ value: Double) throws { try encode(number: value, isFinite: value.isFinite) }
    func encode(_ value: Float) throws { try encode(number: value, isFinite: value.isFinite) }
    func encode(_ value: Int) { encode(integer: value) }
    func encode(_ value: Int8) { encode(integer: value) }
    func encode(_ value: Int16) { encode(integer: value) }
    func encode(_ value: Int32) { encode(integer: value) }
    func encode(_ value: Int64) { encode(integer: value) }
    func encode(_ value: UInt) { encode(integer: value) }
    func encode(_ value: UInt8) { encode(integer: value) }
    func encode(_ value: UInt16) { encode(integer: value) }
    func encode(_ value: UInt32) { encode(integer: value) }
    func encode(_ value: UInt64) { encode(integer: value) }
    func encode<T: Encodable>(_ value: T) throws { try node.encode(value, at: codingPath) }

    private func encode(integer value: some FixedWidthInteger) {
        node.set(Int64(exactly: value).map { .int($0) } ?? .double(Double(value)))
    }

    /// A number whose text has no decimals and no exponent is an integer, as JSON has one number type.
    private func encode(number value: some BinaryFloatingPoint & LosslessStringConvertible, isFinite: Bool)
        throws
    {
        guard isFinite else {
            throw EncodingError.invalidValue(
                value,
                .init(
                    codingPath: codingPath,
                    debugDescription: "Unable to encode \(type(of: value)).\(value) directly in JSON."))
        }
        let text = value.description
        if text.hasSuffix(".0"), let integer = Int64(text.dropLast(2)) { return node.set(.int(integer)) }
        node.set(.double(Double(text) ?? Double(value)))
    }
}

// Keyed and unkeyed encoding containers over a tree. Their content is stored in their node.
/// The members of an object.
struct JSONMemberEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: JSONNode
    let codingPath: [any CodingKey]

    private func member(_ key: some CodingKey) -> JSONTreeEncoder {
        JSONTreeEncoder(node: node.member(key.stringValue), codingPath: codingPath + [key])
    }

    func encodeNil(forKey key: Key) { member(key).encodeNil() }
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        guard T.self is any FlatCodable.Type else { return try member(key).encode(value) }
        try value.encode(to: JSONTreeEncoder(node: node, codingPath: codingPath))
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { member(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        member(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { member(JSONKey("super")) }
    func superEncoder(forKey key: Key) -> any Encoder { member(key) }
}

/// The elements of an array.
struct JSONElementEncoding: UnkeyedEncodingContainer {
    let node: JSONNode
    let codingPath: [any CodingKey]
    var count: Int { node.count }

    private func element() -> JSONTreeEncoder {
        let index = JSONIndex(node.count)
        return JSONTreeEncoder(node: node.element(), codingPath: codingPath + [index])
    }

    func encodeNil() { element().encodeNil() }
    func encode<T: Encodable>(_ value: T) throws { try element().encode(value) }

    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        element().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { element().unkeyedContainer() }
    func superEncoder() -> any Encoder { element() }
}
