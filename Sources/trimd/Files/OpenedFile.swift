// OpenedFile: a file that stays open until its request is done, so that the worker reads the file that was checked, whatever
// happens to its path. It can be shared; the last reference closes the file.
internal import JobQueue
internal import Media
internal import Platform
internal import Wire

/// An open source, shared by reference.
final class OpenedFile: Sendable {
    private let file: InputFile
    /// Opens what it names, if it is a playlist, or the files that are played with it; nil: it is nobody's source.
    let files: SourceFiles?

    /// Takes ownership of a file.
    init(_ file: consuming InputFile, files: SourceFiles? = nil) {
        self.file = file
        self.files = files
    }

    /// Opens a file with this process's own rights.
    convenience init(opening path: String) throws(MediaError) { self.init(try InputFile(opening: path)) }

    /// The descriptor, borrowed: valid while this object is referenced.
    var descriptor: Int32 { file.descriptor.rawValue }

    /// The file's identity when it was opened.
    var identity: FileIdentity { file.identity }

    /// Bytes of the file.
    func read(_ count: Int, at offset: Int64) throws(SystemError) -> [UInt8] {
        try Kernel.read(file.descriptor, count, at: offset)
    }

    /// The same, with the hash by which other machines know the file.
    func sharedIdentity() throws(MediaError) -> FileIdentity {
        var identity = file.identity
        identity.digest = try file.digest(size: identity.size)
        return identity
    }
}
