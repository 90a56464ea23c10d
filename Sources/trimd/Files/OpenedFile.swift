// OpenedFile: a file that was opened for a request, and stays open until the request is done: what was judged is what a worker
// reads, whatever becomes of its path meanwhile. It may be shared; the file is closed with the last reference.
internal import JobQueue
internal import Media
internal import Platform
internal import Wire

/// An opened source, held by several.
final class OpenedFile: Sendable {
    private let file: InputFile

    /// Holds a file.
    init(_ file: consuming InputFile) { self.file = file }

    /// Opens a file with this process's own rights.
    convenience init(opening path: String) throws(MediaError) { self.init(try InputFile(opening: path)) }

    /// The number, for calls that borrow it while this is held.
    var descriptor: Int32 { file.descriptor.rawValue }

    /// What it was when it was opened.
    var identity: FileIdentity { file.identity }
}
