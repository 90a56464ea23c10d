// The NAL units of a packet.

/// The NAL units of a packet, as slices of it. Iteration of a damaged packet ends at the damage.
package struct NALUnits: Sequence {
    private let bytes: ArraySlice<UInt8>
    private let framing: NALFraming

    package init(_ bytes: ArraySlice<UInt8>, framing: NALFraming) {
        self.bytes = bytes
        self.framing = framing
    }

    package func makeIterator() -> Iterator { Iterator(bytes, framing) }

    /// Whether the units fill the packet to its last byte.
    package var isWhole: Bool {
        var iterator = makeIterator()
        while iterator.next() != nil {}
        return iterator.rest.isEmpty
    }

    /// Iterates over the units.
    package struct Iterator: IteratorProtocol {
        /// The unread rest. Not empty at the end where the packet is damaged.
        package private(set) var rest: ArraySlice<UInt8>
        private let framing: NALFraming

        package init(_ bytes: ArraySlice<UInt8>, _ framing: NALFraming) {
            rest = bytes
            self.framing = framing
            if framing == .annexB, let start = Iterator.startCode(rest) { rest = rest[start...] }
        }

        package mutating func next() -> ArraySlice<UInt8>? {
            switch framing {
            case .lengthPrefixed(let size): nextPrefixed(size)
            case .annexB: nextStarted()
            }
        }

        private mutating func nextPrefixed(_ size: Int) -> ArraySlice<UInt8>? {
            while (1...4).contains(size), rest.count >= size {
                let length = rest.prefix(size).reduce(0) { $0 << 8 | Int($1) }
                guard length <= rest.count - size else { return nil }
                let unit = rest.dropFirst(size).prefix(length)
                rest = rest.dropFirst(size + length)
                // Some writers pad with empty units.
                if !unit.isEmpty { return unit }
            }
            return nil
        }

        private mutating func nextStarted() -> ArraySlice<UInt8>? {
            while rest.count > 3, rest[rest.startIndex] == 0, rest[rest.startIndex + 1] == 0,
                rest[rest.startIndex + 2] == 1
            {
                let body = rest.dropFirst(3)
                let end = Iterator.startCode(body) ?? body.endIndex
                rest = body[end...]
                // Zeros before a start code belong to it: a NAL unit never ends in one.
                var last = end
                while last > body.startIndex, body[last - 1] == 0 { last -= 1 }
                if last > body.startIndex { return body[body.startIndex..<last] }
            }
            if rest.allSatisfy({ $0 == 0 }) || rest.elementsEqual([0, 0, 1]) {
                rest = rest[rest.endIndex...]
            }
            return nil
        }

        /// The index of the next 00 00 01.
        private static func startCode(_ bytes: ArraySlice<UInt8>) -> Int? {
            var index = bytes.startIndex
            while index < bytes.endIndex - 2 {
                let third = bytes[index + 2]
                if third > 1 {
                    index += 3
                } else if third == 1, bytes[index] == 0, bytes[index + 1] == 0 {
                    return index
                } else {
                    index += 1
                }
            }
            return nil
        }
    }
}
