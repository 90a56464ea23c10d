// Drafts: the ranges, texts and chapters that a person has begun with a file. A draft belongs to the file, by its identity, so that it is found again
// under another name, after a restart and in another browser; one of an earlier version of the file is found by its path. In the folder of
// the user's state, which others cannot read. Bounded. Any thread.
internal import Glibc
internal import Media
internal import Platform
internal import Text
internal import Wire

/// The drafts of files.
struct DraftFolder: Sendable {
    private let folder: String?
    /// The most bytes of all drafts.
    static let most: Int64 = 64 << 20

    /// Drafts in a folder, which is made with the first; nil: none can be kept.
    init(_ folder: String?) { self.folder = folder }

    private static func name(_ text: String) -> String {
        Library.key(of: text) + Library.key(of: String(text.reversed()))
    }

    private func read(_ name: String) -> [UInt8]? {
        guard let folder, let file = try? Descriptor(opening: folder + "/" + name, O_RDONLY | O_NOFOLLOW)
        else { return nil }
        var bytes: [UInt8] = []
        while bytes.count < HTTPServer.largestBody,
            let piece = try? PreviewCache.read(file, from: Int64(bytes.count)),
            !piece.isEmpty
        {
            bytes += piece
        }
        return bytes
    }

    /// The draft of a file, and that of an earlier version of it; null where there is none.
    func drafts(of item: Library.Item) -> (own: JSONValue, earlier: JSONValue) {
        func draft(_ version: String) -> JSONValue {
            read(DraftFolder.name(version)).flatMap { try? JSONValue(parsing: $0) } ?? .null
        }
        let own = draft(item.version)
        guard let last = read(DraftFolder.name("path " + item.path)) else { return (own, .null) }
        let version = String(decoding: last, as: UTF8.self)
        return (own, version == item.version ? .null : draft(version))
    }

    /// Keeps the draft of a file; null removes it.
    func keep(_ draft: JSONValue, of item: Library.Item) throws(MediaError) {
        guard let folder else {
            throw MediaError(
                .notWritable, "there is no folder for drafts that only you can read",
                remedy: "set XDG_STATE_HOME or HOME")
        }
        let path = folder + "/" + DraftFolder.name(item.version)
        do throws(SystemError) {
            _ = try Kernel.makeFolder(folder, mode: 0o700)
            guard draft != .null else {
                try? Kernel.remove(path)
                return
            }
            try PageState.write(draft.encoded, path)
            try PageState.write(
                Array(item.version.utf8), folder + "/" + DraftFolder.name("path " + item.path))
        } catch {
            throw MediaError(
                .notWritable, "keep the draft of \(item.name): \(error)",
                remedy: "make room in \(folder); the draft stays in this tab")
        }
        OldFiles.remove(in: folder, beyond: DraftFolder.most)
    }
}
