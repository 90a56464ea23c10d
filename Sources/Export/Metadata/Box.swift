// A box of an ISO or QuickTime movie that trimd itself has written: parsed, changed, serialised. Not for untrusted files:
// MovieBoxes reads those.

/// A box.
struct Box: Hashable, Sendable {
    /// Its type, four bytes.
    let type: [UInt8]
    /// Its content, where its children are not parsed.
    var body: [UInt8]
    /// The parsed child boxes, if any.
    var children: [Box]?

    private static let containers: Set<String> = ["moov", "trak", "mdia", "minf", "stbl", "udta"]

    /// A box with a type name; `©` is one character.
    init(_ name: String, _ body: [UInt8]) {
        self.init(type: name.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }, body)
    }

    /// A box whose type is four bytes of any value.
    init(type: [UInt8], _ body: [UInt8]) {
        self.type = type
        self.body = body
    }

    /// A box that holds boxes.
    init(_ name: String, children: [Box]) {
        self.init(name, [])
        self.children = children
    }

    /// Its type as text.
    var name: String { String(String.UnicodeScalarView(type.map { Unicode.Scalar($0) })) }

    /// Parses a box with its header; nil if it is incomplete.
    init?(parsing bytes: ArraySlice<UInt8>) {
        guard bytes.count >= 8 else { return nil }
        let at = bytes.startIndex
        self.init(type: Array(bytes[(at + 4)..<(at + 8)]), [])
        let inside = bytes.dropFirst(8)
        guard Box.containers.contains(name) else {
            body = Array(inside)
            return
        }
        guard let children = Box.list(inside) else { return nil }
        self.children = children
    }

    /// The boxes that fill some bytes; nil if they do not fit.
    static func list(_ bytes: ArraySlice<UInt8>) -> [Box]? {
        var rest = bytes
        var boxes: [Box] = []
        while !rest.isEmpty {
            guard rest.count >= 8 else { return nil }
            let size = Int(rest.prefix(4).reduce(0) { $0 << 8 | UInt64($1) })
            guard size >= 8, size <= rest.count, let box = Box(parsing: rest.prefix(size)) else { return nil }
            boxes.append(box)
            rest = rest.dropFirst(size)
        }
        return boxes
    }

    /// Its bytes, including the header.
    var bytes: [UInt8] {
        let inside = children.map { $0.flatMap(\.bytes) } ?? body
        return Box.number(UInt32(inside.count + 8)) + type + inside
    }

    /// The first child of this type.
    subscript(_ name: String) -> Box? {
        get { children?.first { $0.name == name } }
        set {
            guard let place = children?.firstIndex(where: { $0.name == name }) else {
                if let newValue { children?.append(newValue) }
                return
            }
            if let newValue { children?[place] = newValue } else { children?.remove(at: place) }
        }
    }

    /// Four bytes, big-endian.
    static func number(_ value: UInt32) -> [UInt8] {
        [UInt8(value >> 24), UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
    }
}
