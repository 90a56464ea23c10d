// Pictures that were chosen on the page as artwork, until the exports that use them are made. Named by keys of its own, never by what a
// request says. Nothing is decoded here: the worker does that. Any thread.
internal import Glibc
internal import Media
internal import Platform
internal import Text

/// The pictures for exports.
struct ArtworkFolder: Sendable {
    private let folder: String?
    /// A picture that was not used for so long is removed, in seconds.
    private static let age = 30 * 24 * 3600
    private static let beginnings: [(type: String, bytes: [UInt8])] = [
        ("jpg", [0xFF, 0xD8, 0xFF]), ("png", [0x89, 0x50, 0x4E, 0x47]),
    ]

    /// Pictures in a folder, which is made with the first; old ones are removed. Nil: none can be kept.
    init(_ folder: String?) {
        self.folder = folder
        guard let folder else { return }
        let now = time(nil)
        for name in Kernel.names(in: folder) where !name.hasPrefix(".") {
            var raw = stat()
            let path = folder + "/" + name
            guard unsafe lstat(path.nameBytes, &raw) == 0, raw.st_mode & S_IFMT == S_IFREG,
                now - raw.st_mtim.tv_sec > ArtworkFolder.age
            else { continue }
            try? Kernel.remove(path)
        }
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
        return key
    }

    /// The path of a key.
    func path(of key: String) throws(MediaError) -> String {
        let isKey =
            key.utf8.count == 28 && key.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == ".") }
        guard let folder, isKey, Library.kind(of: folder + "/" + key, following: false) == S_IFREG else {
            throw MediaError(.fileNotFound, "the picture is not here any more", remedy: "choose it again")
        }
        return folder + "/" + key
    }
}
