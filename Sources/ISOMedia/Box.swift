// A box of an ISO or QuickTime movie that trimd itself has written: parsed, changed, serialised. Not for untrusted files,
// whose boxes may nest without end.

/// A box.
public struct Box: Hashable, Sendable {
    /// Its type, four bytes.
    public let type: [UInt8]
    /// Its content, where its children are not parsed.
    public var body: [UInt8]
    /// The parsed child boxes, if any.
    public var children: [Box]?

    private static let containers: Set<String> = ["moov", "trak", "mdia", "minf", "stbl", "udta"]

    /// A box with a type name; `©` is one character.
    public init(_ name: String, _ body: [UInt8]) {
        self.init(type: name.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }, body)
    }

    /// A box whose type is four bytes of any value.
    public init(type: [UInt8], _ body: [UInt8]) {
        self.type = type
        self.body = body
    }

    /// A box that holds boxes.
    public init(_ name: String, children: [Box]) {
        self.init(name, [])
        self.children = children
    }

    /// Its type as text.
    public var name: String { String(String.UnicodeScalarView(type.map { Unicode.Scalar($0) })) }

    /// Parses a box with its header; nil if it is incomplete.
    public init?(parsing bytes: ArraySlice<UInt8>) {
        guard let header = BoxHeader(bytes, at: 0), header.size <= bytes.count else { return nil }
        self.init(type: Array(bytes.dropFirst(4).prefix(4)), [])
        let inside = bytes.prefix(Int(header.size)).dropFirst(Int(header.length))
        guard Box.containers.contains(name) else {
            body = Array(inside)
            return
        }
        guard let children = Box.list(inside) else { return nil }
        self.children = children
    }

    /// The boxes that fill some bytes; nil if they do not fit.
    public static func list(_ bytes: ArraySlice<UInt8>) -> [Box]? {
        var boxes: [Box?] = []
        let read = BoxHeader.forEach(in: bytes) { _, _, whole in boxes.append(Box(parsing: whole)) }
        guard read == bytes.count, !boxes.contains(nil) else { return nil }
        return boxes.compactMap(\.self)
    }

    /// Its bytes, including the header.
    public var bytes: [UInt8] {
        let inside = children.map { $0.flatMap(\.bytes) } ?? body
        return BigEndian.bytes(inside.count + 8, 4) + type + inside
    }

    /// The first child of this type.
    public subscript(_ name: String) -> Box? {
        get { children?.first { $0.name == name } }
        set {
            guard let index = children?.firstIndex(where: { $0.name == name }) else {
                if let newValue { children?.append(newValue) }
                return
            }
            if let newValue { children?[index] = newValue } else { children?.remove(at: index) }
        }
    }

    /// A box of `size` bytes that readers skip; nothing for a size of 0.
    /// - Parameter size: 0, or 8 and more.
    public static func free(_ size: Int) -> [UInt8] {
        size == 0 ? [] : Box("free", [UInt8](repeating: 0, count: size - 8)).bytes
    }
}
