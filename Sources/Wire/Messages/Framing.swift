// A stream of bytes cut into lines. A pure value: its owner appends what was read and takes lines out. Memory is
// bounded by the limit plus one append, whatever the peer sends. Blank lines are passed over. It does not look into
// lines: UTF-8 and JSON are Message's business.

/// Cuts a stream of bytes into lines of bounded length.
public struct LineFramer: Sendable {
    /// The longest line in bytes, its newline not counted.
    public static let defaultLimit = 1 << 20

    /// What was found in the stream.
    public enum Piece: Hashable, Sendable {
        /// A line without its newline.
        case line([UInt8])
        /// A line over the limit; said once, the line itself is skipped.
        case tooLong
    }

    /// The longest line this one accepts.
    public let limit: Int
    /// How many bytes of the stream came before those not yet taken out: the place after the last piece.
    public private(set) var position = 0
    private var buffer: [UInt8] = []
    private var start = 0
    private var scanned = 0
    private var skipping = false

    /// An empty framer.
    public init(limit: Int = LineFramer.defaultLimit) {
        self.limit = limit
    }

    /// How many bytes are held.
    public var pending: Int { buffer.count - start }

    /// A line has begun and not ended.
    public var isMidLine: Bool { pending > 0 || skipping }

    /// Adds what was read.
    public mutating func append(_ bytes: some Collection<UInt8>) {
        if start > 0 {
            buffer.removeSubrange(..<start)
            scanned -= start
            start = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// The next complete line; nil where more bytes are needed.
    public mutating func next() -> Piece? {
        while true {
            guard let end = buffer[scanned...].firstIndex(of: UInt8(ascii: "\n")) else { return partial() }
            // Too long comes first: how a stream is cut into reads must not show in its lines.
            let isLong = end - start > limit
            let passedOver = skipping || !isLong && isBlank(start..<end)
            skipping = false
            let piece: Piece? = passedOver ? nil : isLong ? .tooLong : .line(Array(buffer[start..<end]))
            advance(to: end + 1)
            if let piece { return piece }
        }
    }

    /// At the end of the stream: the last line, where its newline is missing.
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
