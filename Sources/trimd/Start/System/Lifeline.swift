// Lifeline: ends a private daemon with the program that started it, however that ended: the pipe on its standard input closes
// then.
//
// `unsafe` here: read(2) fills a buffer.
internal import Dispatch
internal import Glibc
internal import Platform
internal import Wire

/// Watches the standard input for its end.
enum Lifeline {
    /// Calls `handler` on the queue, once, at the end of the standard input.
    static func watch(on queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void) throws(SystemError)
    {
        try Readiness(of: 0, on: queue) { watch, _ in
            var bytes = [UInt8](repeating: 0, count: 512)
            guard unsafe read(0, &bytes, bytes.count) == 0 else { return }
            watch.cancel()
            handler()
        }
    }
}
