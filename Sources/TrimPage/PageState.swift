// The state that a page keeps over its end, in a folder that only its user can read: where its next process will listen, and the token by which the
// tabs of this one go on there. Whoever takes the address of a page that has ended gains nothing: its tabs look for the next one, which
// nobody but them and the user's own files knows. Used once at the start.
internal import Glibc
internal import Media
internal import Platform
internal import Text
internal import Wire

/// The state of the page about some files.
struct PageState: Codable {
    /// Where the last process listened.
    var address: PageAddress
    /// Where the next one will.
    var next: PageAddress
    /// The token of the last one's tabs at the next one.
    var token: String

    /// The folder of the user's state for pages, made; nil: there is none, or others can read it.
    static var folder: String? {
        let base: String?
        if let folder = Kernel.variable("XDG_STATE_HOME"), folder.isAbsolutePath {
            base = folder
        } else {
            base = Kernel.variable("HOME").flatMap { $0.isAbsolutePath ? $0 + "/.local/state" : nil }
        }
        guard let base else { return nil }
        var made = ""
        for part in (base + "/trimd/page").pathNames {
            made += "/" + part
            _ = try? Kernel.makeFolder(made, mode: 0o700)
        }
        var raw = stat()
        guard unsafe stat(made.nameBytes, &raw) == 0, raw.st_mode & S_IFMT == S_IFDIR,
            raw.st_uid == geteuid(), raw.st_mode & 0o077 == 0
        else { return nil }
        return made
    }

    /// Reads the state of a key; nil: there is none.
    static func read(_ key: String, in folder: String) -> PageState? {
        guard let file = try? Descriptor(opening: folder + "/" + key + ".json", O_RDONLY | O_NOFOLLOW),
            let bytes = try? PreviewCache.read(file, from: 0)
        else { return nil }
        return try? JSONValue(parsing: bytes).decode(as: PageState.self)
    }

    /// Keeps it in the place of the one before.
    func keep(_ key: String, in folder: String) throws(SystemError) {
        let bytes = ((try? JSONValue(encoding: self)) ?? .null).encoded
        try PageState.write(bytes, folder + "/" + key + ".json")
    }

    /// Writes a file whole, for its user alone.
    static func write(_ bytes: [UInt8], _ path: String) throws(SystemError) {
        let draft = path + ".\(getpid()).\(UInt32.random(in: 0 ... .max))"
        do throws(SystemError) {
            let file = try Descriptor(opening: draft, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
            try Kernel.write(bytes, to: file, draft)
            try Kernel.rename(draft, to: path)
        } catch {
            try? Kernel.remove(draft)
            throw error
        }
    }
}
