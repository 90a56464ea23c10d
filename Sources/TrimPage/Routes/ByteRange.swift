// A part of a file, as a Range header names it. Pure.

/// A range of bytes that lies in a file.
struct ByteRange: Hashable {
    let first: UInt64
    let count: UInt64

    /// Reads `bytes=A-B`, `bytes=A-` or `bytes=-N`; nil: it names several parts, or none of the file.
    init?(_ header: String, size: UInt64) {
        guard header.hasPrefix("bytes="), size > 0 else { return nil }
        let ends = header.dropFirst(6).split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        if ends[0].isEmpty {
            guard let tail = UInt64(ends[1]), tail > 0 else { return nil }
            first = size - min(tail, size)
            count = size - first
            return
        }
        guard let first = UInt64(ends[0]), first < size else { return nil }
        let last = ends[1].isEmpty ? size - 1 : UInt64(ends[1]).map { min($0, size - 1) }
        guard let last, last >= first else { return nil }
        self.first = first
        count = last - first + 1
    }
}
