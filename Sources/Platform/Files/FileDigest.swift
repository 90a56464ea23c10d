// FileDigest: the hash of a file's first and last bytes, which tells two files apart that have the same number on two file systems. The
// bytes are opaque here: nothing parses them. It borrows the descriptor and does not move its position.

/// The hash of a file's ends.
public enum FileDigest {
    /// So many bytes are read from each end, at most.
    public static let bytes = 64 << 10

    /// The hash of a file of this size: of its first and its last bytes.
    public static func of(
        _ file: borrowing Descriptor, size: Int64
    ) throws(SystemError) -> String {
        var hash = SHA256()
        let first = min(size, Int64(bytes))
        try add(file, from: 0, to: first, into: &hash)
        try add(file, from: max(first, size - Int64(bytes)), to: size, into: &hash)
        return hash.finish()
    }

    /// Adds a part; a file that is shorter by now gives what it has.
    private static func add(
        _ file: borrowing Descriptor, from start: Int64, to end: Int64, into hash: inout SHA256
    ) throws(SystemError) {
        var offset = start
        while offset < end {
            let part = try Kernel.read(file, Int(end - offset), at: offset)
            if part.isEmpty { return }
            hash.add(part)
            offset += Int64(part.count)
        }
    }
}

extension FileIdentity {
    /// The same, with the hash of the ends of its file, which is open.
    public func withDigest(of file: borrowing Descriptor) throws(SystemError) -> FileIdentity {
        var identity = self
        identity.digest = try FileDigest.of(file, size: size)
        return identity
    }
}
