// The NAL units of H.264 and HEVC samples, where they lie. Pure; damaged bytes end the sequence, and trap nowhere.

/// How NAL units follow each other in a sample.
enum NALFraming: Hashable, Sendable {
    /// Each after its length, in so many bytes.
    case lengthPrefixed(Int)
    /// Each after a start code, 00 00 01.
    case annexB

    /// The framing that a decoder's initialisation data tells: avcC and hvcC begin with their version, 1.
    init(extradata: [UInt8], codec: String) {
        let place = codec == "hevc" ? 21 : 4
        self =
            extradata.first == 1 && extradata.count > place
            ? .lengthPrefixed(Int(extradata[place] & 3) + 1) : .annexB
    }
}

/// The NAL units of a sample, as slices of its bytes.
struct NALUnits: Sequence, IteratorProtocol {
    private let bytes: [UInt8]
    private let framing: NALFraming
    private var at = 0

    init(_ bytes: [UInt8], _ framing: NALFraming) {
        self.bytes = bytes
        self.framing = framing
        if framing == .annexB { at = NALUnits.startCode(bytes, from: 0)?.upperBound ?? bytes.count }
    }

    mutating func next() -> ArraySlice<UInt8>? {
        switch framing {
        case .lengthPrefixed(let count):
            guard at + count <= bytes.count else { return nil }
            let size = bytes[at..<(at + count)].reduce(0) { $0 << 8 | Int($1) }
            guard size > 0, size <= bytes.count - at - count else { return nil }
            defer { at += count + size }
            return bytes[(at + count)..<(at + count + size)]
        case .annexB:
            guard at < bytes.count else { return nil }
            let code = NALUnits.startCode(bytes, from: at)
            var end = code?.lowerBound ?? bytes.count
            // Zeros before a start code belong to it, and a NAL unit never ends with one.
            while end > at, bytes[end - 1] == 0 { end -= 1 }
            defer { at = code?.upperBound ?? bytes.count }
            return end > at ? bytes[at..<end] : nil
        }
    }

    private static func startCode(_ bytes: [UInt8], from: Int) -> Range<Int>? {
        var index = from
        while index + 3 <= bytes.count {
            if bytes[index + 2] > 1 {
                index += 3
            } else if bytes[index] == 0, bytes[index + 1] == 0, bytes[index + 2] == 1 {
                return index..<(index + 3)
            } else {
                index += 1
            }
        }
        return nil
    }

    /// NAL units, each after its length in four bytes.
    static func lengthPrefixed(_ units: some Sequence<ArraySlice<UInt8>>) -> [UInt8] {
        units.reduce(into: []) { bytes, unit in
            bytes += (0..<4).reversed().map { UInt8(truncatingIfNeeded: unit.count >> ($0 * 8)) }
            bytes += unit
        }
    }
}
