// Pictures that were chosen on the page as artwork, until the exports that use them are made. Named by keys of its own, never by what a
// request says. A trimd of another user, as the system service is, cannot read this folder: for each of its exports the picture lies
// beside the output, under a hidden name, until the job has ended. Nothing is decoded here: the worker does that. Any thread.
internal import Glibc
internal import Media
internal import Platform
internal import Text

/// The pictures for exports.
struct ArtworkFolder: Sendable {
    private let folder: String?
    private let limit: Int64
    /// The most bytes of all pictures: dozens of the largest that the page takes.
    static let most: Int64 = 256 << 20
    /// A picture that was not used for so long is removed, in seconds.
    private static let age = 30 * 24 * 3600
    private static let beginnings: [(type: String, bytes: [UInt8])] = [
        ("jpg", [0xFF, 0xD8, 0xFF]), ("png", [0x89, 0x50, 0x4E, 0x47]),
    ]

    /// The beginning of the names beside outputs; a secret and the type follow.
    private static let hidden = ".trimd-artwork-"

    /// Pictures in a folder, which is made with the first; old ones are removed, and those that were not used for longest where they are
    /// more than the limit, in bytes. Nil: none can be kept.
    init(_ folder: String?, limit: Int64 = ArtworkFolder.most) {
        self.folder = folder
        self.limit = limit
        guard let folder else { return }
        ArtworkFolder.removeOld(in: folder) { !$0.hasPrefix(".") }
        OldFiles.remove(in: folder, beyond: limit)
    }

    private static func removeOld(in folder: String, _ isMeant: (String) -> Bool) {
        let now = time(nil)
        for name in Kernel.names(in: folder) where isMeant(name) {
            let path = folder + "/" + name
            guard let status = ownFile(path), now - status.st_mtim.tv_sec > age else { continue }
            try? Kernel.remove(path)
        }
    }

    /// The facts of a plain file of this user's; nil: it is none.
    private static func ownFile(_ path: String) -> stat? {
        var raw = stat()
        guard unsafe lstat(path.nameBytes, &raw) == 0, raw.st_mode & S_IFMT == S_IFREG,
            raw.st_uid == geteuid()
        else { return nil }
        return raw
    }

    /// Keeps the picture of a request; the answer is its key.
    func keep(_ request: HTTPRequest) throws(MediaError) -> String {
        guard let kind = ArtworkFolder.beginnings.first(where: { request.body.starts(with: $0.bytes) }) else {
            throw MediaError(.invalidRequest, "the picture is neither JPEG nor PNG", remedy: "choose another")
        }
        guard let folder else {
            throw MediaError(.notWritable, "there is no folder for pictures: HOME is not set")
        }
        let key = "\(Gate.secret().prefix(24)).\(kind.type)"
        do throws(SystemError) {
            _ = try Kernel.makeFolder(folder, mode: 0o700)
            let path = folder + "/" + key
            let file = try Descriptor(opening: path, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
            try Kernel.write(request.body, to: file, path)
        } catch { throw MediaError(.notWritable, "the picture is not kept: \(error)") }
        OldFiles.remove(in: folder, beyond: limit)
        return key
    }

    /// The picture of a key, with its type.
    func picture(of key: String) throws(MediaError) -> (bytes: [UInt8], type: String) {
        let path = try path(of: key)
        var bytes: [UInt8] = []
        do throws(SystemError) {
            let file = try Descriptor(opening: path, O_RDONLY | O_NOFOLLOW)
            while true {
                let piece = try PreviewCache.read(file, from: Int64(bytes.count))
                if piece.isEmpty { break }
                bytes += piece
            }
        } catch { throw MediaError(.inputOutput, "\(error)") }
        return (bytes, key.hasSuffix(".png") ? "image/png" : "image/jpeg")
    }

    // MARK: Beside outputs

    /// Lays the picture of a key into the folder of an output, where trimd may read; the answer is its path.
    func lay(_ key: String, beside output: String) throws(MediaError) -> String {
        let bytes = try picture(of: key).bytes
        let folder = String(output[..<(output.lastSlash ?? output.startIndex)])
        ArtworkFolder.removeOld(in: folder) { $0.hasPrefix(ArtworkFolder.hidden) }
        let path = "\(folder)/\(ArtworkFolder.hidden)\(Gate.secret().prefix(24)).\(key.suffix(3))"
        do throws(SystemError) {
            let file = try Descriptor(opening: path, O_WRONLY | O_CREAT | O_EXCL, mode: 0o644)
            // Whatever the umask: who may enter the folder is the folder's matter.
            fchmod(file.rawValue, 0o644)
            try Kernel.write(bytes, to: file, path)
        } catch {
            ArtworkFolder.clear(path)
            throw MediaError(
                .notWritable, "the picture is not kept beside the output: \(error)",
                remedy: "name a folder for outputs in which you may write (--output)")
        }
        return path
    }

    /// Removes a picture that was laid beside an output; other files stay.
    static func clear(_ path: String?) {
        guard let path, path.pathNames.last?.hasPrefix(hidden) == true, ownFile(path) != nil else { return }
        try? Kernel.remove(path)
    }

    /// The path of a key, which is used now.
    func path(of key: String) throws(MediaError) -> String {
        let isKey =
            key.utf8.count == 28 && key.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == ".") }
        guard let folder, isKey, Library.kind(of: folder + "/" + key, following: false) == S_IFREG else {
            throw MediaError(.fileNotFound, "the picture is not here any more", remedy: "choose it again")
        }
        let path = folder + "/" + key
        _ = unsafe utimensat(AT_FDCWD, path.nameBytes, nil, AT_SYMLINK_NOFOLLOW)
        return path
    }
}
