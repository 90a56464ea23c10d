// Reads a whole Matroska file (RFC 9559) element by element, without Export: whether its SeekHead and its index point to the right
// elements.
import FoundationEssentials
import Testing

/// A walk through a Matroska file.
struct MatroskaWalk {
    struct Element {
        var id: UInt64, offset: Int
        var body: Range<Int>
    }

    private let bytes: [UInt8]
    /// Where the segment's content begins: positions are relative to it.
    private let begin: Int
    /// The elements of the segment, in their order.
    let elements: [Element]

    init(_ file: String) throws {
        bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
        let top = try Self.list(bytes, 0..<bytes.count)
        let segment = try #require(top.first { $0.id == 0x1853_8067 })
        // A segment that ended too early would leave something behind it.
        try #require(top.map(\.id) == [0x1A45_DFA3, 0x1853_8067], "\(file)")
        begin = segment.body.lowerBound
        elements = try Self.list(bytes, segment.body)
    }

    private static func list(_ bytes: [UInt8], _ range: Range<Int>) throws -> [Element] {
        var (at, found) = (range.lowerBound, [Element]())
        func number(_ at: inout Int, keepsMark: Bool) throws -> UInt64 {
            try #require(at < range.upperBound && bytes[at] != 0, "no element at \(at)")
            let width = bytes[at].leadingZeroBitCount + 1
            try #require(at + width <= range.upperBound)
            let value = bytes[at..<(at + width)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            at += width
            return keepsMark ? value : value & (1 << (7 * UInt64(width)) - 1)
        }
        while at < range.upperBound {
            let offset = at
            let id = try number(&at, keepsMark: true)
            let size = Int(try number(&at, keepsMark: false))
            try #require(
                at + size <= range.upperBound, "the element at \(offset) is longer than what it is in")
            found.append(Element(id: id, offset: offset, body: at..<(at + size)))
            at += size
        }
        return found
    }

    private func parts(_ element: Element) throws -> [Element] { try Self.list(bytes, element.body) }

    private func number(_ id: UInt64, _ parts: [Element]) -> Int? {
        parts.first { $0.id == id }.map { bytes[$0.body].reduce(0) { $0 << 8 | Int($1) } }
    }

    private var cues: Element? { elements.first { $0.id == 0x1C53_BB6B } }

    /// Whether the index lies before the first cluster.
    var hasIndexFirst: Bool {
        guard let cues, let cluster = elements.first(where: { $0.id == 0x1F43_B675 }) else { return false }
        return cues.offset < cluster.offset
    }

    /// Number of positions in the index.
    func points() throws -> Int { try cues.map { try parts($0).filter { $0.id == 0xBB }.count } ?? 0 }

    /// All that does not lead to where it should.
    func faults() throws -> [String] { try seekFaults() + cueFaults() }

    private func seekFaults() throws -> [String] {
        let seeks = try elements.filter { $0.id == 0x114D_9B74 }.flatMap { try parts($0) }
        var faults: [String] = []
        var listed: Set<UInt64> = []
        for seek in seeks where seek.id == 0x4DBB {
            let facts = try parts(seek)
            let id = UInt64(number(0x53AB, facts) ?? 0), offset = (number(0x53AC, facts) ?? 0) + begin
            listed.insert(id)
            if !elements.contains(where: { $0.id == id && $0.offset == offset }) {
                faults.append("no element \(id) at \(offset)")
            }
        }
        // Info, Tracks, Tags, Chapters, Attachments, Cues.
        let wanted: Set<UInt64> = [
            0x1549_A966, 0x1654_AE6B, 0x1254_C367, 0x1043_A770, 0x1941_A469, 0x1C53_BB6B,
        ]
        for element in elements where wanted.contains(element.id) && !listed.contains(element.id) {
            faults.append("the element \(element.id) is not in the SeekHead")
        }
        return faults
    }

    private func cueFaults() throws -> [String] {
        guard let cues else { return ["no index"] }
        var faults: [String] = []
        for point in try parts(cues) where point.id == 0xBB {
            let facts = try parts(point)
            let time = try #require(number(0xB3, facts))
            for target in facts where target.id == 0xB7 {
                let spot = try parts(target)
                let track = try #require(number(0xF7, spot))
                let offset = try #require(number(0xF1, spot)) + begin
                guard let cluster = elements.first(where: { $0.id == 0x1F43_B675 && $0.offset == offset })
                else {
                    faults.append("no cluster at \(offset)")
                    continue
                }
                let inside = try parts(cluster)
                let base = try #require(number(0xE7, inside))
                let blocks = try inside.flatMap { $0.id == 0xA0 ? try parts($0) : [$0] }
                    .filter { $0.id == 0xA3 || $0.id == 0xA1 }
                let isThere = blocks.contains { block in
                    let head = Array(bytes[block.body].prefix(3))
                    let later = Int16(bitPattern: UInt16(head[1]) << 8 | UInt16(head[2]))
                    return Int(head[0] & 0x7F) == track && base + Int(later) == time
                }
                if !isThere {
                    faults.append("no block of track \(track) at \(time) in the cluster at \(offset)")
                }
                if let inner = number(0xF0, spot),
                    !inside.contains(where: { $0.offset == cluster.body.lowerBound + inner })
                {
                    faults.append("nothing begins at \(inner) of the cluster at \(offset)")
                }
            }
        }
        return faults
    }
}
