// Updates the index of a movie ("moov"), which stores the file offsets of samples (stco, co64), when the media moves. Offsets
// that exceed 32 bits take 64, which enlarges the index, which may move the media further. Pure: bytes in, bytes out. For movies
// that trimd itself has written.

/// The index of a movie, with its header.
public struct MovieIndex {
    private let bytes: [UInt8]

    /// An index from its bytes.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Boxes that hold the offset tables, directly or nested.
    private static let containers: Set<String> = ["moov", "trak", "mdia", "minf", "stbl"]

    /// An offset table.
    private struct Table {
        /// Number of offsets.
        var count: Int
        /// The last offset in the moved part of the file; nil: none.
        var last: Int64?
        var isWide: Bool

        /// Whether it needs 64 bits once its offsets have moved.
        func mustWiden(by distance: Int64) -> Bool {
            !isWide && last.map { $0 + distance > Int64(UInt32.max) } ?? false
        }
    }

    /// The index after the media past an offset has moved.
    /// - Parameters:
    ///   - limit: data at or before this offset stays.
    ///   - distance: by how many bytes the media moves for an index of this size; must be monotonic.
    public func moved(beyond limit: Int64, by distance: (_ size: Int) -> Int64) -> [UInt8] {
        let tables = tables(in: bytes[...], beyond: limit)
        var size = bytes.count
        // Each iteration widens at least one table.
        while true {
            let growth = tables.filter { $0.mustWiden(by: distance(size)) }.reduce(0) { $0 + 4 * $1.count }
            guard bytes.count + growth != size else { break }
            size = bytes.count + growth
        }
        return rebuilt(bytes[...], beyond: limit, by: distance(size))
    }

    private func tables(in boxes: ArraySlice<UInt8>, beyond limit: Int64) -> [Table] {
        var tables: [Table] = []
        BoxHeader.forEach(in: boxes) { name, content, box in
            if MovieIndex.containers.contains(name) {
                tables += self.tables(in: content, beyond: limit)
            } else if let offsets = MovieIndex.offsets(name, box) {
                tables.append(
                    Table(
                        count: offsets.count, last: offsets.filter { $0 > limit }.max(),
                        isWide: name == "co64")
                )
            }
        }
        return tables
    }

    private func rebuilt(
        _ boxes: ArraySlice<UInt8>, beyond limit: Int64, by distance: Int64
    ) -> [UInt8] {
        var all: [UInt8] = []
        all.reserveCapacity(boxes.count)
        let read = BoxHeader.forEach(in: boxes) { name, content, box in
            if MovieIndex.containers.contains(name) {
                let inside = rebuilt(content, beyond: limit, by: distance)
                all += MovieIndex.header(name, inside.count) + inside
            } else if let offsets = MovieIndex.offsets(name, box) {
                let moved = offsets.map { $0 > limit ? $0 + distance : $0 }
                let isWide = name == "co64" || moved.contains { $0 > Int64(UInt32.max) }
                let width = isWide ? 8 : 4
                all += MovieIndex.header(isWide ? "co64" : "stco", 8 + width * moved.count)
                all += box.dropFirst(8).prefix(4) + BigEndian.bytes(Int64(moved.count), 4)
                for offset in moved { all += BigEndian.bytes(offset, width) }
            } else {
                all += box
            }
        }
        return all + boxes.dropFirst(read)
    }

    /// The offsets in a box; nil if it is not an offset table.
    private static func offsets(_ name: String, _ box: ArraySlice<UInt8>) -> [Int64]? {
        guard name == "stco" || name == "co64", box.count >= 16 else { return nil }
        let width = name == "stco" ? 4 : 8
        let from = box.startIndex + 16
        let count = min(Int(BigEndian.value(box[(from - 4)..<from])), (box.count - 16) / width)
        return (0..<count).map {
            Int64(clamping: BigEndian.value(box[(from + $0 * width)..<(from + ($0 + 1) * width)]))
        }
    }

    private static func header(_ name: String, _ inside: Int) -> [UInt8] {
        BigEndian.bytes(inside + 8, 4) + Array(name.utf8)
    }
}
