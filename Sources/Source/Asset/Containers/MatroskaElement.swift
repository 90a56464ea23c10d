// An element of a Matroska file: parsed, changed, serialised. In untrusted files it parses only the track list.

/// An EBML element (RFC 8794).
package struct MatroskaElement: Hashable, Sendable {
    /// The element ids used.
    package enum Name {
        package static let header: [UInt8] = [0x1A, 0x45, 0xDF, 0xA3]
        package static let segment: [UInt8] = [0x18, 0x53, 0x80, 0x67]
        package static let seekHead: [UInt8] = [0x11, 0x4D, 0x9B, 0x74]
        package static let seek: [UInt8] = [0x4D, 0xBB]
        package static let seekID: [UInt8] = [0x53, 0xAB]
        package static let seekPosition: [UInt8] = [0x53, 0xAC]
        package static let info: [UInt8] = [0x15, 0x49, 0xA9, 0x66]
        package static let duration: [UInt8] = [0x44, 0x89]
        package static let tags: [UInt8] = [0x12, 0x54, 0xC3, 0x67]
        package static let tag: [UInt8] = [0x73, 0x73]
        package static let targets: [UInt8] = [0x63, 0xC0]
        package static let tagTrackUID: [UInt8] = [0x63, 0xC5]
        package static let simpleTag: [UInt8] = [0x67, 0xC8]
        package static let tagName: [UInt8] = [0x45, 0xA3]
        package static let tagString: [UInt8] = [0x44, 0x87]
        package static let tracks: [UInt8] = [0x16, 0x54, 0xAE, 0x6B]
        package static let trackEntry: [UInt8] = [0xAE]
        package static let trackNumber: [UInt8] = [0xD7]
        package static let trackUID: [UInt8] = [0x73, 0xC5]
        package static let trackType: [UInt8] = [0x83]
        package static let codec: [UInt8] = [0x86]
        package static let encodings: [UInt8] = [0x6D, 0x80]
        package static let encoding: [UInt8] = [0x62, 0x40]
        package static let encryption: [UInt8] = [0x50, 0x35]
        package static let languageBCP47: [UInt8] = [0x22, 0xB5, 0x9D]
        package static let codecDelay: [UInt8] = [0x56, 0xAA]
        package static let cluster: [UInt8] = [0x1F, 0x43, 0xB6, 0x75]
        package static let simpleBlock: [UInt8] = [0xA3]
        package static let blockGroup: [UInt8] = [0xA0]
        package static let block: [UInt8] = [0xA1]
        package static let discardPadding: [UInt8] = [0x75, 0xA2]
        package static let cues: [UInt8] = [0x1C, 0x53, 0xBB, 0x6B]
        package static let cuePoint: [UInt8] = [0xBB]
        package static let cueTrackPositions: [UInt8] = [0xB7]
        package static let cueClusterPosition: [UInt8] = [0xF1]
        package static let void: [UInt8] = [0xEC]
        package static let checksum: [UInt8] = [0xBF]
    }

    /// Its id, including the length marker.
    package let id: [UInt8]
    /// Its content.
    package var body: [UInt8]

    /// An element with a binary value.
    package init(_ id: [UInt8], _ body: [UInt8]) {
        self.id = id
        self.body = body
    }

    /// An element with an unsigned integer, in as few bytes as possible.
    package init(_ id: [UInt8], number: UInt64) {
        let width = max(1, (71 - number.leadingZeroBitCount) / 8)
        self.init(id, (0..<width).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) })
    }

    /// An element with children and their CRC-32 element, which Matroska puts first.
    package init(_ id: [UInt8], children: [MatroskaElement], hasChecksum: Bool) {
        let inside = children.filter { $0.id != Name.checksum }.flatMap(\.bytes)
        let sum = MatroskaElement.checksum(of: inside)
        let little = (0..<4).map { UInt8(truncatingIfNeeded: sum >> ($0 * 8)) }
        self.init(id, (hasChecksum ? MatroskaElement(Name.checksum, little).bytes : []) + inside)
    }

    /// A Void element; the shortest has two bytes.
    package init?(void count: Int) {
        guard count >= 2 else { return nil }
        // Bytes of id and size: with an 8-byte size any total is possible.
        let head = count < 10 ? 2 : 9
        self.init(Name.void, [UInt8](repeating: 0, count: count - head))
        wantsLongSize = head == 9
    }

    /// Its size is written in eight bytes.
    private var wantsLongSize = false

    /// Its bytes, including the header.
    package var bytes: [UInt8] { id + MatroskaElement.size(body.count, isLong: wantsLongSize) + body }

    /// Its content as an unsigned integer.
    package var number: UInt64 { body.reduce(0) { $0 << 8 | UInt64($1) } }

    /// The element with changed children, where they fill it.
    package func changed(_ change: (inout [MatroskaElement]) -> Void) -> MatroskaElement {
        guard var inside = children else { return self }
        let hasChecksum = inside.first?.id == Name.checksum
        change(&inside)
        return MatroskaElement(id, children: inside, hasChecksum: hasChecksum)
    }

    /// The child elements; nil if they do not fill it.
    package var children: [MatroskaElement]? { MatroskaElement.list(body[...]) }

    /// The elements that fill some bytes; nil if they do not fit.
    package static func list(_ bytes: ArraySlice<UInt8>) -> [MatroskaElement]? {
        var rest = bytes
        var elements: [MatroskaElement] = []
        while !rest.isEmpty {
            guard let head = Head(rest), let size = head.size, size <= rest.count - head.length else {
                return nil
            }
            elements.append(
                MatroskaElement(head.id, Array(rest.dropFirst(head.length).prefix(Int(size)))))
            rest = rest.dropFirst(head.length + Int(size))
        }
        return elements
    }

    /// An element's id and size.
    package struct Head {
        package let id: [UInt8]
        /// Bytes of both.
        package let length: Int
        /// Size of the content in bytes; nil: unknown.
        package let size: Int64?

        /// Parses it; nil if there is none.
        package init?(_ bytes: ArraySlice<UInt8>) {
            guard let first = bytes.first, first >= 0x10 else { return nil }
            let width = first.leadingZeroBitCount + 1
            let rest = bytes.dropFirst(width)
            guard bytes.count > width, let lead = rest.first, lead > 0 else { return nil }
            let wide = lead.leadingZeroBitCount + 1
            guard rest.count >= wide else { return nil }
            let all = rest.prefix(wide).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let most = UInt64(1) << (7 * wide)
            let value = all & (most - 1)
            id = Array(bytes.prefix(width))
            length = width + wide
            size = value == most - 1 ? nil : Int64(value)
        }
    }

    /// A size in EBML encoding.
    package static func size(_ count: Int, isLong: Bool = false) -> [UInt8] {
        var width = isLong ? 8 : 1
        while width < 8, UInt64(count) >= UInt64(1) << (7 * width) - 1 { width += 1 }
        let value = UInt64(1) << (7 * width) | UInt64(count)
        return (0..<width).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    /// IEEE 802.3 CRC-32, as RFC 8794 requires.
    package static func checksum(of bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~UInt32(0)) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { bits, _ in bits >> 1 ^ (bits & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
    }
}
