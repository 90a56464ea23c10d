// The ranges of a film in a file beside it, as a list of LosslessCut's or another. It replaces only what it has read or written itself:
// a file that another program changed stays, until the user says so.
internal import Glibc
internal import Lists
internal import Media
internal import Platform
internal import Text

/// A file of ranges.
struct EditFile {
    private let path: String

    /// The file of a film, beside it or in the folder of outputs.
    init(of film: String, _ format: ListFormat, in folder: String?) {
        let own = film.lastSlash.map { String(film[...$0]) } ?? ""
        path = (folder ?? own) + EditFile.name(of: film.pathNames.last ?? film, format)
    }

    /// The name of a film's list: that of LosslessCut for its projects.
    static func name(of film: String, _ format: ListFormat) -> String {
        let dot = film.lastIndex(of: ".").flatMap { $0 == film.startIndex ? nil : $0 }
        let stem = dot.map { String(film[..<$0]) } ?? film
        return "\(stem)-\(format == .llc ? "proj" : "cuts").\(format.rawValue)"
    }

    /// Its name.
    var name: String { path.pathNames.last ?? path }

    /// The most bytes of a list.
    private static let most = 4 << 20

    /// The bytes, and what tells this version from others; nil: there is no such file.
    func read() throws(MediaError) -> (bytes: [UInt8], version: String)? {
        guard let version = try version() else { return nil }
        var bytes: [UInt8] = []
        do throws(SystemError) {
            let file = try Descriptor(opening: path, O_RDONLY | O_NOFOLLOW)
            while bytes.count < EditFile.most {
                let piece = try PreviewCache.read(file, from: Int64(bytes.count))
                if piece.isEmpty { break }
                bytes += piece
            }
        } catch { throw MediaError(.inputOutput, "\(error)") }
        return (bytes, version)
    }

    /// Writes the file whole, in the place of a known version, or of none; the answer is its new version.
    func write(_ text: String, replacing known: String?) throws(MediaError) -> String {
        let draft = path + ".\(getpid()).\(UInt32.random(in: 0 ... .max)).part"
        let folder = path.lastSlash.map { String(path[..<$0]) } ?? ""
        do throws(SystemError) {
            let file = try Descriptor(opening: draft, O_WRONLY | O_CREAT | O_EXCL, mode: 0o644)
            try Kernel.write(Array(text.utf8), to: file, draft)
            try Kernel.sync(file, draft)
        } catch {
            try? Kernel.remove(draft)
            throw MediaError(
                .notWritable, "the ranges are not saved: \(error)",
                remedy: "make room or the folder writable; they are kept in this browser")
        }
        let present: String?
        do throws(MediaError) { present = try version() } catch {
            try? Kernel.remove(draft)
            throw error
        }
        do throws(SystemError) {
            if present == nil {
                let place = try Descriptor(opening: folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY)
                try Kernel.renameWithoutReplacing(
                    draft.pathNames.last ?? draft, to: path.pathNames.last ?? path, in: place)
            } else if present == known {
                try Kernel.rename(draft, to: path)
            } else {
                try? Kernel.remove(draft)
                throw SystemError("saving", path, code: EEXIST)
            }
        } catch {
            try? Kernel.remove(draft)
            guard error.code != EEXIST else {
                throw MediaError(
                    .fileAlreadyExists, "\(name) was written by another program or page, and is not replaced",
                    remedy: "read it, or replace it")
            }
            throw MediaError(.notWritable, "the ranges are not saved: \(error)")
        }
        return try version() ?? ""
    }

    /// Tells this file from others of its name; nil: there is none.
    private func version() throws(MediaError) -> String? {
        var raw = stat()
        guard unsafe lstat(path.nameBytes, &raw) == 0 else { return nil }
        guard raw.st_mode & S_IFMT == S_IFREG else {
            throw MediaError(.notARegularFile, "\(path) is no plain file, and is neither read nor replaced")
        }
        return "\(raw.st_ino)-\(raw.st_size)-\(raw.st_mtim.tv_sec).\(raw.st_mtim.tv_nsec)"
    }
}
