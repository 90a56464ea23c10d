// ImageOutput: a picture that a worker draws for somebody who waits: a temporary file, and its name once it is whole; the
// same steps as an export's output, without a row in the queue. It owns the file and lives on a queue of its own, where it
// may wait for the disk. Whoever made it calls `conclude` once, whatever came of it.
internal import Dispatch
internal import Glibc
internal import JobQueue
internal import Media
internal import Platform
internal import Wire

/// A picture on its way.
///
/// `@unchecked Sendable`: what is not constant is touched on `queue` only, after init.
final class ImageOutput: @unchecked Sendable {
    /// Where a picture lies, and its size in bytes.
    typealias Place = (path: String, bytes: Int64)

    /// The temporary file, open for writing.
    let descriptor: Int32
    private let queue = DispatchQueue(label: "trimd.picture")
    private let type: String
    private let mode: mode_t
    private let source: FileIdentity
    private let unfinished: UnfinishedFiles
    private let number: Int
    private var output: OutputFile?

    /// Makes the temporary file of a target that was judged.
    init(
        _ target: OutputTarget, type: String, source: FileIdentity, mode: mode_t, unfinished: UnfinishedFiles
    ) throws(MediaError) {
        self.type = type
        self.mode = mode
        self.source = source
        self.unfinished = unfinished
        // No job has the number 0; the rest keeps apart what is drawn at once, also by another trimd.
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

    /// Gives the picture its name, where the worker has drawn it, and takes it away otherwise.
    func conclude<Report: Sendable>(
        _ outcome: Result<Report, MediaError>,
        then: @escaping @Sendable (Result<(Report, Place), MediaError>) -> Void
    ) {
        queue.async { [self] in
            do throws(MediaError) {
                let report = try outcome.get()
                let place = try publish()
                forget()
                then(.success((report, place)))
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

    private func publish() throws(MediaError) -> Place {
        let bytes = try output?.size() ?? 0
        guard bytes > 0 else {
            throw MediaError(.verificationFailed, "the worker wrote nothing that could be a picture")
        }
        try output?.sync()
        let name = try output?.publish(fileType: type, mode: mode, source: source) { _ throws(MediaError) in }
        guard let name, let path = output?.folder.path(of: name) else {
            throw MediaError(.verificationFailed, "there is no picture to publish")
        }
        return (path, bytes)
    }
}
