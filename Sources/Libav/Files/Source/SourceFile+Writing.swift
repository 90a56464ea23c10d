// Changes a file that was just written, by its descriptor. For outputs; a source is never open for writing.
internal import CFFmpeg
internal import Glibc

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
