// Pictures, waveforms and segments that were made, in a folder of the user's, by the file's identity: another file of the name finds
// nothing. Bounded: what was not used for longest goes first. Without a folder nothing is kept. Any thread; several pages share it.
internal import Glibc
internal import Media
internal import Platform
internal import Synchronization
internal import Text

/// The cache of previews.
final class PreviewCache: Sendable {
    /// The most bytes of all files.
    static let most: Int64 = 512 << 20

    private let folder: String?
    private let limit: Int64
    /// Bytes written since it was last made smaller.
    private let written = Mutex<Int64>(0)

    /// A cache in a folder, which is made; nil: nothing is kept.
    init(folder: String?, limit: Int64 = PreviewCache.most) {
        self.limit = limit
        guard let folder else {
            self.folder = nil
            return
        }
        var made = ""
        for part in folder.pathNames {
            made += "/" + part
            _ = try? Kernel.makeFolder(made, mode: 0o700)
        }
        self.folder = Library.kind(of: folder) == S_IFDIR ? folder : nil
        shrink()
    }

    private func path(of key: String) -> String? {
        folder.map { $0 + "/" + Library.key(of: key) + Library.key(of: String(key.reversed())) }
    }

    /// The bytes of a key; nil: they are not here.
    func bytes(of key: String) -> [UInt8]? {
        guard let path = path(of: key), let file = try? Descriptor(opening: path, O_RDONLY | O_NOFOLLOW)
        else {
            return nil
        }
        var bytes: [UInt8] = []
        while let piece = try? PreviewCache.read(file, from: Int64(bytes.count)), !piece.isEmpty {
            bytes += piece
        }
        // The time of its last use.
        futimens(file.rawValue, nil)
        return bytes.isEmpty ? nil : bytes
    }

    /// Keeps bytes; where that fails, they are made again the next time.
    func keep(_ bytes: [UInt8], of key: String) {
        guard let path = path(of: key), Int64(bytes.count) <= limit / 4 else { return }
        let draft = path + ".\(getpid()).\(UInt32.random(in: 0 ... .max))"
        do throws(SystemError) {
            let file = try Descriptor(opening: draft, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
            try Kernel.write(bytes, to: file, draft)
            try Kernel.rename(draft, to: path)
        } catch { try? Kernel.remove(draft) }
        let isMuch = written.withLock { written in
            written += Int64(bytes.count)
            return written > limit / 8
        }
        if isMuch { shrink() }
    }

    /// Removes the files that were not used for longest, until the rest is within the limit.
    private func shrink() {
        guard let folder else { return }
        written.withLock { $0 = 0 }
        OldFiles.remove(in: folder, beyond: limit)
    }

    /// The next bytes of a file; empty at its end.
    static func read(_ file: borrowing Descriptor, from offset: Int64) throws(SystemError) -> [UInt8] {
        let raw = file.rawValue
        var piece = [UInt8](repeating: 0, count: 1 << 18)
        let count = try SystemError.check("reading", "a preview") {
            unsafe pread(raw, &piece, piece.count, off_t(offset))
        }
        return Array(piece.prefix(count))
    }
}
