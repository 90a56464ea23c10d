// Measures the reorder depth of stored frames: the largest number of positions by which a frame is shown earlier than stored.
// Pure; sees each time once and keeps only the latest ones.
internal import MediaTime

/// Presentation times in decoding order, added one by one.
package struct ReorderDepth {
    /// Times that no depth explains.
    package enum Irregularity: Hashable, Sendable {
        /// Two frames have one time.
        case repeated(Int64)
        /// Times restart: a frame is shown before many that are decoded before it.
        case back(Int64)
    }
    /// Required reorder delay, in frames.
    package private(set) var depth = 0
    package private(set) var irregularity: Irregularity?
    /// The latest times, ascending.
    private var latest: [Int64] = []
    /// Pictures held back at most: H.264 and HEVC allow sixteen.
    package static let deepest = 16
    /// More than any codec allows.
    private static let most = 4 * deepest

    package init() {
    }

    /// Adds the next time, in ticks.
    package mutating func add(_ pts: Int64) {
        let index = latest.partitioningIndex { $0 >= pts }
        if index < latest.count, latest[index] == pts { irregularity = irregularity ?? .repeated(pts) }
        let later = latest.count - latest.partitioningIndex { $0 > pts }
        if later >= ReorderDepth.most {
            irregularity = irregularity ?? .back(pts)
        } else {
            depth = max(depth, later)
        }
        latest.insert(pts, at: index)
        if latest.count > ReorderDepth.most { latest.removeFirst() }
    }
}
