// A finished file that several checks look at: it is probed when the first of them asks for its asset, and not again. Confined to one
// thread. Nobody writes to the file meanwhile.
internal import Libav
internal import Media

/// A file and its asset.
final class ProbedFile {
    let file: SourceFile
    private var probed: Result<Asset, MediaError>?

    /// Opens nothing yet.
    init(_ file: SourceFile) { self.file = file }

    /// The file's asset; throws the same error each time if it cannot be read.
    func asset() throws(MediaError) -> Asset {
        if let probed { return try probed.get() }
        let found = Result { () throws(MediaError) in try Probe.asset(of: file) }
        probed = found
        return try found.get()
    }
}
