// FontReading: reads the files of fonts before a worker is sealed: afterwards it can open nothing. Their paths are the administrator's.
internal import Glibc
internal import Platform

/// Reads fonts.
enum FontReading {
    /// The most bytes of a font file.
    private static let most: Int64 = 64 << 20

    /// The bytes of a file; nil if it is not there or too large, and what needs it says so.
    static func bytes(_ path: String) -> [UInt8]? {
        guard let file = try? Descriptor(opening: path, O_RDONLY | O_NOCTTY | O_NONBLOCK),
            let status = try? FileStatus(of: file, path), status.sort == .file,
            status.identity.size <= most
        else { return nil }
        var bytes: [UInt8] = []
        while Int64(bytes.count) < status.identity.size {
            guard let part = try? Kernel.read(file, 1 << 20, at: Int64(bytes.count)), !part.isEmpty else {
                break
            }
            bytes += part
        }
        return bytes
    }
}
