// Lifeline: a private daemon ends with the program that started it, however that ended: the pipe that is its standard
// input closes then. An ordinary class, so that its closures are not the main actor's. It decides nothing.
//
// `unsafe` here: read(2) fills a buffer.
internal import Dispatch
internal import Glibc

/// The standard input, watched for its end.
final class Lifeline {
    private let source: any DispatchSourceRead

    /// Calls `handler` on the queue, once, when the standard input has ended.
    init(on queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void) {
        source = DispatchSource.makeReadSource(fileDescriptor: 0, queue: queue)
        source.setEventHandler { [source] in
            var bytes = [UInt8](repeating: 0, count: 512)
            guard unsafe read(0, &bytes, bytes.count) == 0 else { return }
            source.cancel()
            handler()
        }
        source.resume()
    }
}
