// Tells players that know no edit lists where the sound of an .m4a begins and ends: the item iTunSMPB, with the samples of
// the encoder's delay, those that fill the last packet, and those between. FFmpeg's muxer cannot write it; it is added to
// the finished index, which must be the last box of the file. Works on the output's descriptor; syncs nothing.
internal import CFFmpeg
internal import Glibc

/// Where the sound of one track begins and ends, in samples.
public struct GaplessNote: Hashable, Sendable {
    /// Samples before the first that is heard, and after the last.
    public var priming: Int64, padding: Int64
    /// Samples that are heard.
    public var length: Int64

    /// A note from its parts.
    public init(priming: Int64, padding: Int64, length: Int64) {
        self.priming = priming
        self.padding = padding
        self.length = length
    }

    /// As iTunes writes it.
    public var text: String {
        func hex(_ value: Int64, _ digits: Int) -> String {
            let text = String(value, radix: 16, uppercase: true)
            return String(repeating: "0", count: max(0, digits - text.count)) + text
        }
        let zeros = [String](repeating: hex(0, 8), count: 8).joined(separator: " ")
        return " \(hex(0, 8)) \(hex(priming, 8)) \(hex(padding, 8)) \(hex(length, 16)) \(zeros)"
    }

    private var item: [UInt8] {
        let nothing = [UInt8](repeating: 0, count: 4)
        let mean = GaplessNote.box("mean", nothing + Array("com.apple.iTunes".utf8))
        let name = GaplessNote.box("name", nothing + Array("iTunSMPB".utf8))
        let data = GaplessNote.box("data", [0, 0, 0, 1] + nothing + Array(text.utf8))
        return GaplessNote.box("----", mean + name + data)
    }

    private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        number(content.count + 8) + Array(type.utf8) + content
    }

    private static func number(_ value: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
    }

    /// An index with the note among its items; nil where it has no items.
    func added(to index: [UInt8]) -> [UInt8]? {
        var index = index
        var range = 0..<index.count
        var heads: [Int] = []
        for type in ["moov", "udta", "meta", "ilst"] {
            guard let place = GaplessNote.find(type, in: index, range) else { return nil }
            heads.append(place.lowerBound)
            // `meta` has four bytes of version before its boxes.
            range = place.lowerBound + (type == "meta" ? 12 : 8)..<place.upperBound
        }
        let item = item
        for head in heads {
            let size = index[head..<head + 4].reduce(0) { $0 << 8 | Int($1) } + item.count
            index.replaceSubrange(head..<head + 4, with: GaplessNote.number(size))
        }
        index.insert(contentsOf: item, at: range.upperBound)
        return index
    }

    private static func find(_ type: String, in bytes: [UInt8], _ range: Range<Int>) -> Range<Int>? {
        var at = range.lowerBound
        while at + 8 <= range.upperBound {
            let size = bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
            guard size >= 8, at + size <= range.upperBound else { return nil }
            if bytes[at + 4..<at + 8].elementsEqual(type.utf8) { return at..<at + size }
            at += size
        }
        return nil
    }
}
