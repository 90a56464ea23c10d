// Bytes of an output that are blocks of its source, which file systems with shared extents let it have without a copy. Values.

/// Bytes that a file has from another one.
public struct ClonedBytes: Hashable, Sendable {
    /// Where they begin in the file that has them.
    public var output: Int64
    /// Where they begin in the file they are from.
    public var source: Int64
    /// Their number.
    public var length: Int64

    /// Creates bytes from their places.
    public init(output: Int64, source: Int64, length: Int64) {
        (self.output, self.source, self.length) = (output, source, length)
    }

    /// The offset past their end in the file that has them.
    public var end: Int64 { output + length }
}

/// Another file, in which some bytes of a file are read until that file has them itself.
public struct Lender: Hashable, Sendable {
    /// Open for reading.
    let descriptor: Int32
    /// In the order of the output, apart.
    let ranges: [ClonedBytes]

    /// A lender of these bytes, in the order of the output.
    public init(_ source: SourceFile, _ ranges: [ClonedBytes]) {
        descriptor = source.descriptor
        self.ranges = ranges
    }

    /// Where the bytes at an offset are read instead; nil: in the file itself. Lowers `count` to what has one answer.
    func place(of offset: Int64, _ count: inout Int) -> Int64? {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = low + (high - low) / 2
            if ranges[middle].end > offset { high = middle } else { low = middle + 1 }
        }
        guard low < ranges.count else { return nil }
        let range = ranges[low]
        guard range.output <= offset else {
            count = Int(min(Int64(count), range.output - offset))
            return nil
        }
        count = Int(min(Int64(count), range.end - offset))
        return range.source + (offset - range.output)
    }
}
