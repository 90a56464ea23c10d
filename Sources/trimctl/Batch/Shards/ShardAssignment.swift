// Which line of a list belongs to which shard: a pure function of the list, so that all shards agree whatever happens to its files
// meanwhile. The longest lines are assigned first, each to the shard that has the least.
internal import Lists
internal import Media
internal import MediaTime

/// Divides lists.
enum ShardAssignment {
    /// The shard of each export of a list, from 1.
    static func shards(of list: ExportList, count: Int) -> [Int] {
        shards(of: list.exports.map(\.listedLength), count: count)
    }

    /// The shard of each line, from 1. A line of unknown length counts as much as the known ones on average.
    ///
    /// The loads of two shards differ by the length of one line at most. Equal loads: the shard with fewer lines, then the
    /// lower number.
    static func shards(of lengths: [Int64?], count: Int) -> [Int] {
        let known = lengths.compactMap { $0.map(bounded) }
        let average = known.isEmpty ? 1 : bounded(known.reduce(0, +) / Int64(known.count))
        let weights = lengths.map { $0.map(bounded) ?? average }
        // A heap: the least loaded shard is its first.
        var heap = (1...max(count, 1)).map { Load(weight: 0, lines: 0, shard: $0) }
        var result = [Int](repeating: 1, count: lengths.count)
        for line in weights.indices.sorted(by: { (weights[$1], $0) < (weights[$0], $1) }) {
            result[line] = heap[0].shard
            heap[0].weight += weights[line]
            heap[0].lines += 1
            sink(&heap)
        }
        return result
    }

    private struct Load: Comparable {
        var weight: Int64, lines: Int
        let shard: Int

        static func < (a: Load, b: Load) -> Bool {
            (a.weight, a.lines, a.shard) < (b.weight, b.lines, b.shard)
        }
    }

    /// Moves the first of a heap down to its place.
    private static func sink(_ heap: inout [Load]) {
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count && heap[child] < heap[least]
            {
                least = child
            }
            guard least != index else { return }
            heap.swapAt(index, least)
            index = least
        }
    }

    /// From a millisecond to a year, so that no sum overflows.
    private static func bounded(_ length: Int64) -> Int64 { min(max(length, 1), 31_536_000_000) }
}

extension ListedExport {
    /// The length of film that the line asks for, in milliseconds, as far as the list says; nil: it does not. Frames of unknown
    /// rate count as 25 a second: this decides no cut.
    var listedLength: Int64? {
        if let duration, case .fromStart(let length)? = position(duration) { return length }
        guard let keep else { return length(start, end) }
        var sum: Int64 = 0
        for part in keep {
            guard let length = length(part.start, part.end) else { return nil }
            sum += length
        }
        return sum
    }

    private enum Position {
        case fromStart(Int64), fromEnd(Int64)
    }

    private func length(_ start: TimeSpelling?, _ end: TimeSpelling?) -> Int64? {
        if let length = end?.lengthAfterStart, case .fromStart(let length)? = position(length) {
            return length
        }
        guard let from = position(start ?? .time(.zero)), let to = position(end ?? .end) else { return nil }
        return switch (from, to) {
        case (.fromStart(let a), .fromStart(let b)): b - a
        case (.fromEnd(let a), .fromEnd(let b)): a - b
        default: nil
        }
    }

    private func position(_ spelling: TimeSpelling) -> Position? {
        switch spelling {
        case .time(let time), .decimal(let time): milliseconds(time).map(Position.fromStart)
        case .fromEnd(let time), .decimalFromEnd(let time): milliseconds(time).map(Position.fromEnd)
        case .end: .fromEnd(0)
        case .percent, .afterStart: nil
        case .frame(let number):
            milliseconds(Time(1, 25).multiplied(by: number, over: 1)).map(Position.fromStart)
        case .frameFromEnd(let number):
            milliseconds(Time(1, 25).multiplied(by: number, over: 1)).map(Position.fromEnd)
        case .timecode(let hours, let minutes, let seconds, let frames, _):
            .fromStart(
                Int64((hours * 60 + minutes) * 60 + seconds) * 1000
                    + Int64(Double(frames) * 1000 / (rate?.value ?? 25)))
        }
    }

    private func milliseconds(_ time: Time) -> Int64? {
        let scaled = time.converted(to: 1000)
        guard scaled.isNumeric, scaled.value.magnitude < 1 << 50 else { return nil }
        return scaled.value
    }
}
