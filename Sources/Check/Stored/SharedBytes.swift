// SharedBytes: the bytes of an output that are blocks of its source, on a file system with shared extents. A value.
internal import Media

/// The bytes that an output shares with its source.
struct SharedBytes: Hashable, Sendable {
    /// In order, apart.
    let ranges: [Range<Int64>]

    /// None, or those of an export's result; ranges that are no order of their own count as none.
    init(_ clones: [ClonedRange] = []) {
        var ranges: [Range<Int64>] = []
        for clone in clones {
            let (end, isTooFar) = clone.output.addingReportingOverflow(clone.length)
            guard !isTooFar, clone.length > 0, clone.output >= ranges.last?.upperBound ?? 0 else {
                self.ranges = []
                return
            }
            ranges.append(clone.output..<end)
        }
        self.ranges = ranges
    }

    /// Whether some of these bytes are shared.
    func overlaps(_ bytes: Range<Int64>) -> Bool {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = low + (high - low) / 2
            if ranges[middle].upperBound > bytes.lowerBound { high = middle } else { low = middle + 1 }
        }
        return low < ranges.count && ranges[low].lowerBound < bytes.upperBound
    }
}
