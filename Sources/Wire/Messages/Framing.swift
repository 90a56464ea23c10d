// Splits a stream of bytes into lines. A pure value: its owner appends the bytes read and takes lines out. Memory is bounded by
// the limit plus one append, whatever the peer sends. Blank lines are skipped. It does not inspect lines: Message checks UTF-8
// and JSON.

/// Splits a stream of bytes into lines of bounded length.
public struct LineFramer: Sendable {
    /// Maximum bytes of a line, without its newline.
    public static let defaultLimit = 1 << 20
    /// The longest line from the daemon to a worker in bytes: the units of a film of many hours fit.
    public static let joinLimit = 16 << 20

    /// A piece of the stream.
    public enum Piece: Hashable, Sendable {
        /// A line without its newline.
        case line([UInt8])
        /// A line over the limit; reported once, and skipped.
        case tooLong
    }

    /// Maximum bytes of a line.
    public let limit: Int
    /// The stream offset after the last piece.
    public private(set) var position = 0
    private var buffer: [UInt8] = []
    private var start = 0
    private var scanned = 0
    private var skipping = false

    /// Creates an empty framer.
    public init(limit: Int = LineFramer.defaultLimit) {
        self.limit = limit
    }

    /// The number of buffered bytes.
    public var pending: Int { buffer.count - start }

    /// Whether a line is incomplete.
    public var isMidLine: Bool { pending > 0 || skipping }

    /// Appends bytes.
    public mutating func append(_ bytes: some Collection<UInt8>) {
        if start > 0 {
            buffer.removeSubrange(..<start)
            scanned -= start
            start = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// The next complete line; nil if more bytes are needed.
    public mutating func next() -> Piece? {
        while true {
            guard let end = buffer[scanned...].firstIndex(of: UInt8(ascii: "\n")) else { return partial() }
            // The length check comes first: the size of reads must not affect the lines.
            let isLong = end - start > limit
            let passedOver = skipping || !isLong && isBlank(start..<end)
            skipping = false
            let piece: Piece? = passedOver ? nil : isLong ? .tooLong : .line(Array(buffer[start..<end]))
            advance(to: end + 1)
            if let piece { return piece }
        }
    }

    /// At the end of the stream: the last line, if its newline is missing.
    public mutating func finish() -> Piece? {
        if let piece = next() { return piece }
        defer { advance(to: buffer.count) }
        return skipping || isBlank(start..<buffer.count) ? nil : .line(Array(buffer[start...]))
    }

    private mutating func partial() -> Piece? {
        scanned = buffer.count
        let tooLong = !skipping && pending > limit
        if tooLong { skipping = true }
        if skipping { advance(to: buffer.count) }
        return tooLong ? .tooLong : nil
    }

    private mutating func advance(to index: Int) {
        position += index - start
        start = index
        scanned = index
        if start == buffer.count {
            buffer.removeAll(keepingCapacity: buffer.capacity <= 256 << 10)
            start = 0
            scanned = 0
        }
    }

    private func isBlank(_ range: Range<Int>) -> Bool {
        buffer[range].allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
    }
}
