// Hidden files that an earlier run of a shard left beside an output: its own trimd was killed with it, on a host whose queue this run does
// not have, so that no other trimd removes them.
internal import Media
internal import Platform
internal import Text

/// Finds unfinished files of trimd.
enum ShardStrays {
    /// Removes the unfinished files of an output. Only for an output that no trimd works at.
    static func remove(of output: String) {
        let folder = BatchNames.folder(of: output), name = BatchNames.last(output)
        for other in FileSystem.names(in: folder) where isUnfinished(other, of: name) {
            try? Kernel.remove("\(folder)/\(other)")
        }
    }

    /// Whether a name is that of an unfinished file of an output: `.NAME.trimd-JOB-ATTEMPT.part`, or `-uUNIT-CLAIM` instead
    /// of the attempt. A long name is cut there.
    static func isUnfinished(_ other: String, of name: String) -> Bool {
        guard other.hasPrefix("."), other.hasSuffix(".part"),
            let mark = other.range(of: ".trimd-", in: other.index(after: other.startIndex))
        else { return false }
        let stem = other[other.index(after: other.startIndex)..<mark.lowerBound]
        let numbers = other[mark.upperBound...].dropLast(5).split(
            separator: "-", omittingEmptySubsequences: false)
        guard numbers.count >= 2, !stem.isEmpty,
            stem == name || (stem.utf8.count > 200 && name.hasPrefix(stem)),
            isNumber(numbers[0])
        else { return false }
        guard numbers[1].hasPrefix("u") else { return numbers.count == 2 && isNumber(numbers[1]) }
        // Those of older versions have no claims.
        return isNumber(numbers[1].dropFirst()) && numbers.count <= 3
            && numbers.dropFirst(2).allSatisfy(isNumber)
    }

    private static func isNumber(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { 0x30...0x39 ~= $0 }
    }
}

extension String {
    /// The last place of a text behind a position.
    fileprivate func range(of text: String, in start: Index) -> Range<Index>? {
        var end = endIndex
        while end > start {
            if self[start..<end].hasSuffix(text) { return index(end, offsetBy: -text.count)..<end }
            formIndex(before: &end)
        }
        return nil
    }
}
