// RootMarker: the file that says which media a folder is. It is read without following links, a few bytes at most, and written once,
// whole or not at all, when the root is first used. On media that trimd cannot write, the administrator places it.
internal import CLinux
internal import FoundationEssentials
internal import Glibc
internal import Media
internal import Platform
internal import Wire

/// The marker of one root.
struct RootMarker {
    /// The name of the file.
    static let name = ".trimd-root"
    /// The most bytes of it that are read.
    private static let most = 256

    private let root: String
    private let path: String

    /// The marker of a root at a path.
    init(_ root: String, _ path: String) { (self.root, self.path) = (root, path) }

    /// Why the folder is not the root on record; nil: it is. `record` returns the ID on record; if there is none, it records the one
    /// that it is given. Throws if it cannot be asked.
    func problem(record: (String?) throws(MediaError) -> String?) throws(MediaError) -> String? {
        let folder: Descriptor
        do throws(SystemError) {
            folder = try Descriptor(opening: path, O_RDONLY | O_DIRECTORY)
        } catch { return "\(error)" }
        let found: String?
        do throws(SystemError) { found = try read(in: folder) } catch {
            return "its marker \(RootMarker.name) cannot be read: \(error)"
        }
        guard let known = try record(found) else {
            // Nobody has used this root yet.
            let id: String
            do throws(SystemError) { id = try write(in: folder) } catch {
                return "it has no marker \(RootMarker.name), and none can be written: \(error); "
                    + "write one with a text of your own, such as `uuidgen > \(path)/\(RootMarker.name)`"
            }
            let known = try record(id)
            return known == id ? nil : mismatch(known ?? "", id)
        }
        guard let found else {
            return "it has no marker \(RootMarker.name), and the queue knows one: the media is not mounted"
        }
        return found == known ? nil : mismatch(known, found)
    }

    private func mismatch(_ known: String, _ found: String) -> String {
        "its marker \(RootMarker.name) is '\(found)', and that of the root \(root) is '\(known)': it is other media"
    }

    /// The ID in the marker; nil if there is no marker, or an empty one.
    private func read(in folder: borrowing Descriptor) throws(SystemError) -> String? {
        let file: Descriptor
        do throws(SystemError) {
            file = try Descriptor(
                opening: RootMarker.name, in: folder, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
        } catch {
            if error.code == ENOENT { return nil }
            throw error
        }
        guard try FileStatus(of: file, RootMarker.name).sort == .file else {
            throw SystemError("reading", RootMarker.name, code: EINVAL)
        }
        let bytes = try Kernel.read(file, RootMarker.most, at: 0)
        let line = bytes.prefix { $0 > 0x20 && $0 < 0x7f }
        return line.isEmpty ? nil : String(decoding: line.prefix(128), as: UTF8.self)
    }

    /// Writes a marker, unless another node has; returns the ID that is there.
    private func write(in folder: borrowing Descriptor) throws(SystemError) -> String {
        let id = UUID().uuidString.lowercased()
        let temporary = "\(RootMarker.name).\(id)"
        let file = try Descriptor(
            opening: temporary, in: folder, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o644)
        do throws(SystemError) {
            try Kernel.write(Array("\(id)\n".utf8), to: file, temporary)
            try Kernel.sync(file, temporary)
            try Kernel.renameWithoutReplacing(temporary, to: RootMarker.name, in: folder)
            try Kernel.sync(folder, path)
        } catch {
            try? Kernel.remove(temporary, in: folder)
            guard error.code == EEXIST, let other = try read(in: folder) else { throw error }
            return other
        }
        return id
    }
}
