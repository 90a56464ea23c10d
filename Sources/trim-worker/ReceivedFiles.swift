// The files that a request needs beyond its own descriptors: they come in notifications after it, on the thread that watches the
// daemon, and the working thread waits for them. Keeps them open until the process exits.
internal import Dispatch
internal import Platform
internal import Synchronization

/// Collects the files that come after a request.
final class ReceivedFiles: Sendable {
    private let files = Mutex<[Int32]>([])
    private let came = DispatchSemaphore(value: 0)
    /// How long no file may come, in seconds.
    private static let patience = 60

    /// Adds the descriptors of a message.
    func add(_ descriptors: Descriptors) {
        var index = 0
        while let file = descriptors.take(index)?.release() {
            files.withLock { $0.append(file) }
            index += 1
        }
        came.signal()
    }

    /// Waits until this many files are here; nil if they do not come.
    func wait(for count: Int) -> [Int32]? {
        while true {
            let all = files.withLock { $0 }
            if all.count >= count { return Array(all.prefix(count)) }
            guard came.wait(timeout: .now() + .seconds(ReceivedFiles.patience)) == .success else {
                return nil
            }
        }
    }
}
