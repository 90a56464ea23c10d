// The files of a playlist while they are read: opened by their numbers, a few at a time; those that were not read for longest are
// closed. Several sources may read the same files through it, so that all of them together have few open. It parses nothing and
// opens nothing itself: whoever made it does. Any thread.
internal import Synchronization

/// Files that are opened when they are read.
public final class SegmentPool: Sendable {
    /// Opens files by their numbers; nil if one of them cannot be opened, and whoever opens knows why.
    public typealias Opening = @Sendable (_ files: [Int]) -> [OpenSegment]?

    /// How many files there are.
    private let fileCount: Int
    /// The most files that are open at a time.
    private let mostOpen: Int
    private let opening: Opening
    private let known: Mutex<[(file: Int, segment: OpenSegment)]>

    /// How many files are opened at a time: reading goes on with the next ones.
    private static let ahead = 4

    /// Files by their numbers from 0.
    /// - Parameter mostOpen: the most files that are open at a time.
    public init(fileCount: Int, mostOpen: Int = 12, opening: @escaping Opening) {
        self.fileCount = fileCount
        self.mostOpen = mostOpen
        self.opening = opening
        known = Mutex([])
    }

    /// A file, opened if it is not open; nil if it cannot be.
    func segment(_ file: Int) -> OpenSegment? {
        known.withLock { known in
            if let place = known.lastIndex(where: { $0.file == file }) {
                let found = known.remove(at: place)
                known.append(found)
                return found.segment
            }
            let wanted = (file..<min(file + min(SegmentPool.ahead, mostOpen), fileCount)).filter { number in
                !known.contains { $0.file == number }
            }
            guard let opened = opening(wanted), opened.count == wanted.count else { return nil }
            known.append(contentsOf: zip(wanted, opened).reversed().map { (file: $0, segment: $1) })
            // The one that was asked for is read now: it goes last.
            if known.count > mostOpen {
                known.removeFirst(known.count - mostOpen)
            }
            return opened.first
        }
    }
}
