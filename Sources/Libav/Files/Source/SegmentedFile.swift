// A source that is made of parts of several files, one behind the other, as a playlist lists them: to its readers it is one file.
// A pool opens the files when they are read. It parses nothing. Any thread.
//
// `unsafe` here: bytes are read into memory of FFmpeg's.
internal import Glibc

/// A file of a segmented source while it is open.
public final class OpenSegment: Sendable {
    /// Open for reading.
    public let descriptor: Int32
    private let isOwned: Bool
    /// Its size in bytes.
    public let size: Int64
    /// A text that differs where the file does; of whoever opened it, since a sealed process may not ask.
    public let identity: String

    /// Takes ownership of a descriptor of a regular file; nil, and it is closed, if it is none.
    public init?(adopting descriptor: Int32, identity: String) {
        (self.descriptor, isOwned) = (descriptor, true)
        self.identity = identity
        size = Int64(lseek(descriptor, 0, SEEK_END))
        guard size >= 0 else { return nil }
    }

    /// The file of a source, whose owner keeps it open.
    fileprivate init(_ source: SourceFile) {
        (descriptor, isOwned, size, identity) = (source.descriptor, false, source.size, source.identity)
    }

    deinit {
        if isOwned { close(descriptor) }
    }
}

/// Parts of files, read as one.
public final class SegmentedFile: Sendable {
    /// A part of one of the files.
    public struct Part: Hashable, Sendable {
        /// The number of the file.
        public var file: Int
        /// Its first byte in the file.
        public var offset: Int64
        /// How many bytes.
        public var length: Int64

        /// Creates a part.
        public init(file: Int, offset: Int64, length: Int64) {
            self.file = file
            self.offset = offset
            self.length = length
        }
    }

    /// The parts, in order.
    public let parts: [Part]
    /// Where each part begins.
    private let starts: [Int64]
    /// Bytes of all parts.
    public let size: Int64
    /// A text that differs where one of the files does.
    public let identity: String
    private let pool: SegmentPool

    /// A source of parts; files are opened when they are read.
    /// - Parameter identity: a text that differs where one of the files does.
    public init(parts: [Part], identity: String, pool: SegmentPool) {
        self.parts = parts.filter { $0.length > 0 }
        var total: Int64 = 0
        starts = self.parts.map { part in
            defer { total += part.length }
            return total
        }
        size = total
        self.identity = identity
        self.pool = pool
    }

    /// Reads up to `count` bytes; 0 at the end, less than 0: the number of an error, negated.
    func read(into buffer: UnsafeMutablePointer<UInt8>, count: Int, at offset: Int64) -> Int {
        guard let index = index(of: offset) else { return 0 }
        let part = parts[index]
        let skipped = offset - starts[index]
        guard let segment = pool.segment(part.file) else { return -Int(EIO) }
        let most = min(count, Int(part.length - skipped))
        while true {
            let got = unsafe pread(segment.descriptor, buffer, most, Int(part.offset + skipped))
            if got < 0, errno == EINTR { continue }
            // It was long enough when its size was asked.
            if got == 0 { return -Int(EIO) }
            return got < 0 ? -Int(errno) : got
        }
    }

    /// The part that holds a byte; nil behind the end.
    private func index(of offset: Int64) -> Int? {
        guard offset >= 0, offset < size else { return nil }
        var (low, high) = (0, parts.count - 1)
        while low < high {
            let middle = (low + high + 1) / 2
            if starts[middle] <= offset { low = middle } else { high = middle - 1 }
        }
        return low
    }
}

extension SourceFile {
    /// Parts of this file, one behind the other, as one.
    public func taking(_ ranges: [Range<Int64>]) -> SourceFile {
        SourceFile(
            descriptor: descriptor,
            segments: SegmentedFile(parts: ranges.map(part), identity: "", pool: pool),
            name: name)
    }

    /// A range of this file as a part of it, for `pool`.
    func part(_ range: Range<Int64>) -> SegmentedFile.Part {
        SegmentedFile.Part(file: 0, offset: range.lowerBound, length: range.upperBound - range.lowerBound)
    }

    /// This file alone, which is open already.
    var pool: SegmentPool {
        let file = OpenSegment(self)
        return SegmentPool(fileCount: 1) { $0.map { _ in file } }
    }
}

extension SegmentedFile: Hashable {
    /// Each is itself only.
    public static func == (a: SegmentedFile, b: SegmentedFile) -> Bool { a === b }

    /// Hashes which it is.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
