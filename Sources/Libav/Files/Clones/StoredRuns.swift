// Where the samples of a copy lie one after another in their source, so that a copy that keeps the source's order has the same
// bytes one after another too. Pure: it is made of an index.

/// Where a sample lies in its file.
public struct StoredPlace: Hashable, Sendable {
    /// Its bytes.
    public var bytes: Range<Int64>
    /// When it is decoded, in seconds of its container.
    public var time: Double

    /// Creates a place.
    public init(bytes: Range<Int64>, time: Double) { (self.bytes, self.time) = (bytes, time) }
}

/// The long runs of samples that a copy keeps.
public struct StoredRuns: Hashable, Sendable {
    /// Why there are none.
    public enum Obstacle: Error, Hashable, Sendable {
        /// No run is long enough.
        case short
        /// Samples share bytes.
        case overlapping
        /// Tracks are stored too far apart: a copy interleaves them better than its source.
        case apart
    }

    /// In the order of the file, apart; each at least as long as `least`.
    public let runs: [Range<Int64>]
    /// The size of a block of the file system, in bytes.
    public let block: Int64
    /// The shortest run that is worth the bytes that put it on a block's beginning.
    public let least: Int64

    /// The usual shortest run, in bytes.
    public static let usualLeast: Int64 = 1 << 20
    /// The most seconds by which a sample may follow others that are decoded later. Players read that far ahead.
    static let mostApart = 5.0

    /// The runs of samples, which may come in any order.
    public init(_ places: [StoredPlace], block: Int64, least: Int64 = usualLeast) throws(Obstacle) {
        let places = places.sorted { $0.bytes.lowerBound < $1.bytes.lowerBound }
        var runs: [Range<Int64>] = []
        var open: Range<Int64>?
        var latest = -Double.infinity
        for place in places {
            guard latest - place.time <= StoredRuns.mostApart else { throw .apart }
            latest = max(latest, place.time)
            guard let before = open else {
                open = place.bytes
                continue
            }
            guard place.bytes.lowerBound >= before.upperBound else { throw .overlapping }
            if place.bytes.lowerBound == before.upperBound {
                open = before.lowerBound..<place.bytes.upperBound
            } else {
                runs.append(before)
                open = place.bytes
            }
        }
        if let open { runs.append(open) }
        self.runs = runs.filter { Int64($0.count) >= least }
        (self.block, self.least) = (block, least)
        guard !self.runs.isEmpty else { throw .short }
    }

    /// Bytes in all runs.
    public var bytes: Int64 { runs.reduce(0) { $0 + Int64($1.count) } }

    /// Those of these bytes that lie in a run.
    public func within(_ places: [Range<Int64>]) -> [Range<Int64>] { places.filter { run(of: $0) != nil } }

    /// The number of the run that holds these bytes; nil: none does.
    public func run(of bytes: Range<Int64>) -> Int? {
        var (low, high) = (0, runs.count)
        while low < high {
            let middle = low + (high - low) / 2
            if runs[middle].upperBound > bytes.lowerBound { high = middle } else { low = middle + 1 }
        }
        guard low < runs.count, runs[low].lowerBound <= bytes.lowerBound,
            runs[low].upperBound >= bytes.upperBound
        else { return nil }
        return low
    }
}
