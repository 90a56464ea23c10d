// A finished file that several checks look at: it is probed when the first of them asks for its asset, and not again. Confined to one
// thread. Nobody writes to the file meanwhile.
package import Libav
package import Media

/// A file and its asset.
package final class ProbedFile {
    package let file: SourceFile
    private let trustsHeaders: Bool
    private var probed: Result<Asset, MediaError>?
    /// From the headers, where those were asked for first.
    private var read: Asset?

    /// Opens nothing yet.
    /// - Parameter trustsHeaders: trimd wrote it, as a type whose headers say all that `headers` promises.
    package init(_ file: SourceFile, trustsHeaders: Bool = false) {
        (self.file, self.trustsHeaders) = (file, trustsHeaders)
    }

    /// The file's asset; throws the same error each time if it cannot be read.
    package func asset() throws(MediaError) -> Asset {
        if let probed { return try probed.get() }
        let found = Result { () throws(MediaError) in try Probe.asset(of: file) }
        probed = found
        return try found.get()
    }

    /// The asset as the file's headers have it, or more; throws as `asset` does. For files that trimd wrote: what their headers leave
    /// out, such as a pixel format, no decoder needs.
    package func headers() throws(MediaError) -> Asset {
        guard probed == nil, trustsHeaders else { return try self.asset() }
        if let read { return read }
        let asset = try Probe.asset(of: file, trustsHeaders: true)
        read = asset
        return asset
    }
}
