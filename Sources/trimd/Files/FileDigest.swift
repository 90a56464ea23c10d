// FileDigest: the hash of a file's first and last bytes, which tells two files apart that have the same number on two file systems. The
// bytes are opaque here: nothing parses them. It borrows the descriptor and does not move its position. Only this file uses libgcrypt.
internal import CGcrypt
internal import Glibc
internal import Platform

/// The hash of a file's ends.
enum FileDigest {
    /// So many bytes are read from each end, at most.
    static let bytes = 64 << 10

    /// libgcrypt is initialised once a process; it has no memory for secrets here.
    private static let isReady = trimd_gcrypt_begin() != 0

    /// The hash of a file of this size: of its first and its last bytes.
    static func of(_ file: borrowing Descriptor, size: Int64) throws(SystemError) -> String {
        let first = min(size, Int64(bytes))
        var ends: [UInt8] = []
        try read(file, from: 0, to: first, into: &ends)
        try read(file, from: max(first, size - Int64(bytes)), to: size, into: &ends)
        return try sha256(ends)
    }

    /// The SHA-256 of bytes, in hexadecimal: some users may want to forge an identity.
    static func sha256(_ bytes: [UInt8]) throws(SystemError) -> String {
        guard isReady else { throw SystemError("hashing", "a file with libgcrypt", code: ENOSYS) }
        var hash = [UInt8](repeating: 0, count: 32)
        unsafe gcry_md_hash_buffer(Int32(GCRY_MD_SHA256.rawValue), &hash, bytes, bytes.count)
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: hash.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Appends a part; a file that is shorter by now gives what it has.
    private static func read(
        _ file: borrowing Descriptor, from start: Int64, to end: Int64, into ends: inout [UInt8]
    ) throws(SystemError) {
        var offset = start
        while offset < end {
            let part = try Kernel.read(file, Int(end - offset), at: offset)
            if part.isEmpty { return }
            ends += part
            offset += Int64(part.count)
        }
    }
}

extension FileIdentity {
    /// The same, with the hash of the ends of its file, which is open.
    func withDigest(of file: borrowing Descriptor) throws(SystemError) -> FileIdentity {
        var identity = self
        identity.digest = try FileDigest.of(file, size: size)
        return identity
    }
}
