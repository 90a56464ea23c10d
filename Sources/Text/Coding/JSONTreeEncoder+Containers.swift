// Keyed and unkeyed encoding containers over a tree. Their content is stored in their node.

/// The members of an object.
struct JSONMemberEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: JSONNode
    let codingPath: [any CodingKey]

    private func member(_ key: some CodingKey) -> JSONTreeEncoder {
        JSONTreeEncoder(node: node.member(key.stringValue), codingPath: codingPath + [key])
    }

    func encodeNil(forKey key: Key) { member(key).encodeNil() }
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try member(key).encode(value) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { member(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        member(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { member(JSONSuperKey()) }
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
