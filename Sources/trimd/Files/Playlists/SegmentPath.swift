// SegmentPath: a name beneath the folder of a playlist, as a worker asks for it. Opening it follows no link and never leaves the
// folder: the kernel sees to that (openat2), or the components are opened one by one. A value; any thread.
//
// `unsafe` here: a path is lent to C for the length of a call.
internal import CLinux
internal import Glibc
internal import Media
internal import Platform
internal import Text
internal import Wire

/// A relative name, checked.
struct SegmentPath: Hashable, Sendable {
    private let parts: [String]
    /// The whole path, for messages.
    private let path: String

    /// The longest name in bytes.
    private static let longest = 1024

    /// Checks a name by its text.
    init(_ name: String, _ path: String) throws(MediaError) {
        func refusal(_ why: String) -> MediaError {
            MediaError(
                .playlist, "refused: \(path) \(why)",
                remedy: "only files beneath the playlist's own folder are read")
        }
        guard !name.isEmpty, name.utf8.count <= SegmentPath.longest else {
            throw refusal("is no name, or too long for one")
        }
        guard !name.utf8.contains(0) else { throw refusal("holds a NUL character") }
        guard name.utf8.first != UInt8(ascii: "/") else { throw refusal("is absolute") }
        parts = name.pathNames
        guard !parts.isEmpty, !parts.contains(".."), !parts.contains(".") else {
            throw refusal("leads out of its folder")
        }
        guard !parts.contains(where: { $0.utf8.first == UInt8(ascii: ".") }) else {
            throw refusal("is hidden: a part of its name begins with a dot")
        }
        self.path = path
    }

    /// Opens it as a path, without any effect on what is there.
    func open(
        in folder: borrowing Descriptor, for reader: ReadingUser
    ) throws(MediaError) -> Descriptor {
        let handle = reader.peer == nil ? try opened(in: folder) : try walk(from: folder, for: reader)
        let status = try forUser(path) { () throws(SystemError) in try FileStatus(of: handle, path) }
        if status.sort == .link { throw link }
        return handle
    }

    private var link: MediaError {
        MediaError(
            .playlist, "refused: \(path) is a link, or lies behind one",
            remedy: "put the file itself beneath the playlist's folder")
    }

    private func opened(in folder: borrowing Descriptor) throws(MediaError) -> Descriptor {
        let raw = folder.rawValue
        let name = parts.joined(separator: "/")
        do throws(SystemError) {
            return Descriptor(
                adopting: try SystemError.check("opening", path) {
                    unsafe trim_open_beneath_no_links(raw, name.nameBytes, trim_O_PATH)
                })
        } catch {
            switch error.code {
            case ELOOP, EXDEV: throw link
            // Old kernels, and seccomp filters that do not know the call.
            case ENOSYS, EPERM: return try walk(from: folder, for: nil)
            default: throw MediaError(error, path)
            }
        }
    }

    /// Opens component by component.
    /// - Parameter reader: must be allowed to enter each folder; nil: no matter.
    private func walk(
        from folder: borrowing Descriptor, for reader: ReadingUser?
    ) throws(MediaError) -> Descriptor {
        var here = try step(".", from: folder, trim_O_PATH | O_DIRECTORY)
        for part in parts.dropLast() {
            // The access list of a folder is read of one that is open for reading.
            let flags = reader == nil ? trim_O_PATH : O_RDONLY
            here = try step(part, from: here, flags | O_DIRECTORY | O_NOFOLLOW)
            try reader?.checkEntering(here, path)
        }
        return try step(parts.last ?? ".", from: here, trim_O_PATH | O_NOFOLLOW)
    }

    private func step(
        _ part: String, from folder: borrowing Descriptor, _ flags: Int32
    ) throws(MediaError) -> Descriptor {
        do throws(SystemError) { return try Descriptor(opening: part, in: folder, flags) } catch {
            // With O_DIRECTORY, a link is not a folder.
            if let status = try? FileStatus(of: part, in: folder), status.sort == .link { throw link }
            throw MediaError(error, path)
        }
    }
}
