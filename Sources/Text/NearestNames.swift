// Suggestions for names that were misspelled. Pure.

/// The names nearest to a mistyped one, best first: at most a third of the letters wrong, or one a prefix of the other.
public func nearestNames(to name: String, in names: some Sequence<String>) -> [String] {
    let wanted = name.lowercased()
    return names.compactMap { candidate -> (String, Int)? in
        let other = candidate.lowercased()
        let beyond = abs(max(0, wanted.utf8.count - compared) - max(0, other.utf8.count - compared))
        let distance =
            editDistance(Array(wanted.utf8.prefix(compared)), Array(other.utf8.prefix(compared))) + beyond
        let isPart =
            wanted.count >= 3
            && (other.hasPrefix(wanted) || (other.count >= 3 && wanted.hasPrefix(other))
                || other.hasSuffix(wanted))
        guard isPart || distance <= max(2, min(compared, max(wanted.count, other.count)) / 3) else {
            return nil
        }
        return (candidate, isPart ? min(distance, 2) : distance)
    }
    .sorted { ($0.1, $0.0) < ($1.1, $1.0) }
    .map(\.0)
}

/// So many bytes are compared; of longer names, the rest only by its length.
private let compared = 64

/// Insertions, removals and replacements from one to the other.
private func editDistance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var row = Array(0...b.count)
    for (i, x) in a.enumerated() {
        var diagonal = row[0]
        row[0] = i + 1
        for (j, y) in b.enumerated() {
            let cost = min(row[j] + 1, row[j + 1] + 1, diagonal + (x == y ? 0 : 1))
            diagonal = row[j + 1]
            row[j + 1] = cost
        }
    }
    return row[b.count]
}
