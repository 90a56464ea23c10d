// How far stored pictures are out of order: by how many places the one that moves most comes earlier on screen than in the file.
// Pure; sees each time once, and keeps the latest ones alone.
internal import MediaTime

/// Presentation times in decoding order, as they come by.
struct ReorderDepth {
    /// What no depth explains.
    enum Irregularity: Hashable, Sendable {
        /// Two pictures have one time.
        case repeated(Int64)
        /// Times begin anew with a picture that is shown before many that are decoded before it.
        case back(Int64)
    }
    /// Pictures that decoders must hold back.
    private(set) var depth = 0
    private(set) var irregularity: Irregularity?
    /// The latest times, rising.
    private var latest: [Int64] = []
    /// More than any codec allows.
    private static let most = 4 * SmartTrimFault.deepest

    /// Takes the next time, in ticks.
    mutating func add(_ pts: Int64) {
        let place = latest.partitioningIndex { $0 >= pts }
        if place < latest.count, latest[place] == pts { irregularity = irregularity ?? .repeated(pts) }
        let later = latest.count - latest.partitioningIndex { $0 > pts }
        if later >= ReorderDepth.most {
            irregularity = irregularity ?? .back(pts)
        } else {
            depth = max(depth, later)
        }
        latest.insert(pts, at: place)
        if latest.count > ReorderDepth.most { latest.removeFirst() }
    }
}
