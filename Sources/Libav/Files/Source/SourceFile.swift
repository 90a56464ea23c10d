// An open regular file by its descriptor, or parts of several that are read as one: its size, name, identity and bytes. Owns no
// descriptor.
internal import CFFmpeg
internal import CLinux
internal import Glibc

/// A further file of an asset, with tracks of its own.
public struct SourceCompanion: Hashable, Sendable {
    /// The file; it has no companions.
    public let file: SourceFile
    /// Metadata of its tracks, in FFmpeg's words.
    public let metadata: [String: String]
    /// Whether its tracks are the ones to play where nobody chooses.
    public let isDefault: Bool
    /// Whether its tracks hold only what must be shown.
    public let isForced: Bool

    /// A companion from its parts.
    public init(file: SourceFile, metadata: [String: String], isDefault: Bool, isForced: Bool = false) {
        self.isForced = isForced
        self.file = file
        self.metadata = metadata
        self.isDefault = isDefault
    }
}

/// An open source: a regular file, by its descriptor.
public struct SourceFile: Hashable, Sendable {
    /// Open for reading; stays open as long as it is read.
    public let descriptor: Int32
    /// The file's size in bytes.
    public let size: Int64
    /// Its name, for messages and as a hint for format detection.
    public let name: String
    /// The parts that are read in its place; nil: the file itself is.
    public let segments: SegmentedFile?
    /// The bytes, where they are memory of this process; nil: they are read from the descriptor.
    public let contents: [UInt8]?
    /// A text that differs where the files do that such bytes were made of; nil: none is known.
    private let contentsIdentity: String?
    /// How those parts are joined where timestamps or parameters begin anew among them; nil: they are read as one file.
    public let joined: JoinedSource?
    /// Where bytes are read that the file does not have yet; nil: it has all.
    public var lender: Lender?
    /// Further files of the same asset, whose tracks follow those of this one; empty for nearly all.
    public let companions: [SourceCompanion]
    /// The parameters of tracks in the range that is meant, where they are not those that the container gives.
    public var forms: [Int: TrackForm] = [:]
    /// Why further files of the asset are not read, a sentence each.
    public var unread: [String] = []

    /// A source from its parts.
    public init(descriptor: Int32, size: Int64, name: String) {
        self.descriptor = descriptor
        self.size = size
        self.name = name
        segments = nil
        (contents, contentsIdentity) = (nil, nil)
        joined = nil
        companions = []
    }

    /// A source in memory.
    /// - Parameter identity: a text that differs where the files do that it was made of.
    public init(contents: [UInt8], name: String, identity: String? = nil) {
        contentsIdentity = identity
        descriptor = -1
        size = Int64(contents.count)
        self.name = name
        self.contents = contents
        segments = nil
        joined = nil
        companions = []
    }

    /// A source whose bytes are those of other files.
    /// - Parameter descriptor: the file that lists them.
    public init(
        descriptor: Int32, segments: SegmentedFile, joined: JoinedSource? = nil, name: String,
        companions: [SourceCompanion] = []
    ) {
        self.descriptor = descriptor
        size = segments.size
        self.name = name
        self.segments = segments
        (contents, contentsIdentity) = (nil, nil)
        self.joined = joined
        self.companions = companions
    }

    /// Whether its bytes are those of one file, from the beginning on.
    public var isOneFile: Bool {
        segments.map { $0.parts.count == 1 && $0.parts.first?.offset == 0 } ?? true
    }

    /// Bytes of the file and its companions.
    public var totalSize: Int64 { companions.reduce(size) { $0 + $1.file.size } }
}

extension SourceFile {
    /// The file's inode, size and time of change: a file that was written again has another.
    public var identity: String {
        if let contentsIdentity { return contentsIdentity }
        var facts = stat()
        guard unsafe trim_fstat(descriptor, &facts) == 0 else { return "unknown" }
        return "\(facts.st_ino) \(facts.st_size) \(facts.st_mtim.tv_sec).\(facts.st_mtim.tv_nsec)"
            + (segments.map { " " + $0.identity } ?? "") + companions.map { " " + $0.file.identity }.joined()
    }

    /// Bytes of the file; fewer where it ends or cannot be read.
    public func bytes(at offset: Int64, count: Int) -> [UInt8] {
        guard offset >= 0, count > 0 else { return [] }
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count, let base = buffer.baseAddress {
                let got = unsafe read(
                    into: base + filled, count: count - filled, at: offset + Int64(filled))
                if got <= 0 { break }
                filled += got
            }
        }
    }

    /// Copies up to `count` bytes of memory; 0 at the end.
    static func copy(
        _ contents: [UInt8], into buffer: UnsafeMutablePointer<UInt8>, count: Int, at offset: Int64
    ) -> Int {
        guard offset >= 0, offset < Int64(contents.count), count > 0 else { return 0 }
        let length = min(count, contents.count - Int(offset))
        unsafe contents.withUnsafeBufferPointer { bytes in
            if let base = bytes.baseAddress {
                unsafe buffer.update(from: base + Int(offset), count: length)
            }
        }
        return length
    }

    /// Reads up to `count` bytes; 0 at the end, less than 0: the number of an error, negated.
    func read(into buffer: UnsafeMutablePointer<UInt8>, count: Int, at offset: Int64) -> Int {
        if let segments { return unsafe segments.read(into: buffer, count: count, at: offset) }
        if let contents { return unsafe SourceFile.copy(contents, into: buffer, count: count, at: offset) }
        var (descriptor, offset, count) = (self.descriptor, offset, count)
        if let lender, let place = lender.place(of: offset, &count) {
            (descriptor, offset) = (lender.descriptor, place)
        }
        while true {
            let got = unsafe pread(descriptor, buffer, count, Int(offset))
            if got < 0, errno == EINTR { continue }
            return got < 0 ? -Int(errno) : got
        }
    }
}

// Changes a file that was just written, by its descriptor. For outputs; a source is never open for writing.
extension SourceFile {
    /// A file with its current size.
    public init(descriptor: Int32, name: String) {
        self.init(descriptor: descriptor, size: Int64(max(0, lseek(descriptor, 0, SEEK_END))), name: name)
    }

    /// Bytes moved at a time.
    private static let piece: Int64 = 4 << 20
    /// `SEEK_DATA`, which Glibc defines only for GNU sources.
    private static let seekData: Int32 = 3

    /// Writes bytes at an offset.
    /// - Parameter act: the action, for errors.
    public func write(_ bytes: [UInt8], at offset: Int64, _ act: String) throws(LibavError) {
        FileChanges.count(descriptor)
        var done = 0
        while done < bytes.count {
            let put = unsafe bytes.withUnsafeBytes { all in
                unsafe pwrite(
                    descriptor, all.baseAddress.map { unsafe $0 + done }, bytes.count - done,
                    Int(offset) + done)
            }
            if put < 0, errno == EINTR { continue }
            guard put > 0 else { throw LibavError(act, code: trim_averror(put < 0 ? errno : EIO)) }
            done += put
            LibavPulse.beat()
        }
    }

    /// Moves everything from an offset on, and adjusts the file's size.
    /// - Parameter act: the action, for errors.
    public func move(from offset: Int64, by delta: Int64, _ act: String) throws(LibavError) {
        // Blocks are moved in an order that overwrites no block before it has moved.
        var blocks = Array(stride(from: offset, to: size, by: Int(SourceFile.piece)))
        if delta > 0 { blocks.reverse() }
        for block in blocks {
            let stop = min(block + SourceFile.piece, size)
            // A hole need not move, unless it must overwrite data.
            if isHole(block..<stop), isHole((block + delta)..<(stop + delta)) { continue }
            let part = bytes(at: block, count: Int(stop - block))
            guard part.count == stop - block else { throw LibavError(act, code: trim_averror(EIO)) }
            try write(part, at: block + delta, act)
        }
        try truncate(to: size + delta, act)
    }

    /// Sets the file's size.
    /// - Parameter act: the action, for errors.
    public func truncate(to size: Int64, _ act: String) throws(LibavError) {
        FileChanges.count(descriptor)
        guard ftruncate(descriptor, off_t(size)) == 0 else {
            throw LibavError(act, code: trim_averror(errno))
        }
    }

    /// Whether a span occupies no disk space, or is past the file's end.
    private func isHole(_ span: Range<Int64>) -> Bool {
        let data = lseek(descriptor, off_t(span.lowerBound), SourceFile.seekData)
        return data < 0 ? errno == ENXIO : data >= span.upperBound
    }
}
