// An open regular file by its descriptor: its size, name, identity and bytes. Owns nothing.
internal import Glibc

/// An open source: a regular file, by its descriptor.
public struct SourceFile: Hashable, Sendable {
    /// Open for reading; stays open as long as it is read.
    public let descriptor: Int32
    /// The file's size in bytes.
    public let size: Int64
    /// Its name, for messages and as a hint for format detection.
    public let name: String

    /// A source from its parts.
    public init(descriptor: Int32, size: Int64, name: String) {
        self.descriptor = descriptor
        self.size = size
        self.name = name
    }
}

extension SourceFile {
    /// The file's inode, size and time of change: a file that was written again has another.
    public var identity: String {
        var facts = stat()
        guard unsafe fstat(descriptor, &facts) == 0 else { return "unknown" }
        return "\(facts.st_ino) \(facts.st_size) \(facts.st_mtim.tv_sec).\(facts.st_mtim.tv_nsec)"
    }

    /// Bytes of the file; fewer where it ends or cannot be read.
    public func bytes(at offset: Int64, count: Int) -> [UInt8] {
        guard offset >= 0, count > 0 else { return [] }
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let got = unsafe pread(
                    descriptor, buffer.baseAddress.map { unsafe $0 + filled }, count - filled,
                    Int(offset) + filled)
                if got < 0, errno == EINTR { continue }
                if got <= 0 { break }
                filled += got
            }
        }
    }
}
