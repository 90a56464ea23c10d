// ImageOutput: the image that a worker draws for a waiting client: a temporary file, renamed once it is complete. The steps are
// those of an export's output, without a row in the queue. It owns the file and runs on its own queue, where it may wait for
// the disk. Its creator calls `conclude` exactly once, on success and on failure.
internal import Dispatch
internal import Glibc
internal import JobQueue
internal import Media
internal import Platform
internal import Wire

/// An image that is being drawn.
///
/// `@unchecked Sendable`: after init, variables are accessed on `queue` only.
final class ImageOutput: @unchecked Sendable {
    /// The path of an image, and its size in bytes.
    typealias Written = (path: String, bytes: Int64)

    /// The temporary file, open for writing.
    let descriptor: Int32
    private let queue = DispatchQueue(label: "trimd.picture")
    private let type: String
    private let mode: mode_t
    private let source: FileIdentity
    private let unfinished: UnfinishedFiles
    private let number: Int
    private var output: OutputFile?

    /// Creates the temporary file of a validated target.
    init(
        _ target: OutputTarget, type: String, source: FileIdentity, mode: mode_t, unfinished: UnfinishedFiles
    ) throws(MediaError) {
        self.type = type
        self.mode = mode
        self.source = source
        self.unfinished = unfinished
        // No job has the number 0; the random number separates images that are drawn concurrently, also by another trimd.
        number = Int.random(in: 1..<(1 << 48))
        unfinished.add(target, job: 0, attempt: number)
        do throws(MediaError) {
            let output = try OutputFile(target, job: 0, attempt: number, source: source)
            descriptor = output.descriptor.rawValue
            self.output = consume output
        } catch {
            unfinished.remove(job: 0, attempt: number)
            throw error
        }
    }

    /// Renames the image to its final name if the worker has drawn it; removes it otherwise.
    func conclude<Report: Sendable>(
        _ outcome: Result<Report, MediaError>,
        then: @escaping @Sendable (Result<(Report, Written), MediaError>) -> Void
    ) {
        queue.async { [self] in
            do throws(MediaError) {
                let report = try outcome.get()
                let written = try publish()
                forget()
                then(.success((report, written)))
            } catch {
                try? output?.discard()
                forget()
                then(.failure(error))
            }
        }
    }

    private func forget() {
        output = nil
        unfinished.remove(job: 0, attempt: number)
    }

    private func publish() throws(MediaError) -> Written {
        let bytes = try output?.size() ?? 0
        guard bytes > 0 else {
            throw MediaError(.verificationFailed, "the worker wrote no image")
        }
        try output?.sync()
        let name = try output?.publish(fileType: type, mode: mode, source: source) { _ throws(MediaError) in }
        guard let name, let path = output?.folder.path(of: name) else {
            throw MediaError(.verificationFailed, "there is no image to publish")
        }
        return (path, bytes)
    }
}
