// Further files for a worker, and what it took of the machine. Any thread.
internal import Media
internal import Platform
internal import Synchronization
internal import Text
internal import Wire

extension Worker {
    /// Passes duplicates of further files of its request.
    func pass(_ descriptors: [Int32]) throws(MediaError) {
        let message = Message.notification(method: DaemonNotification.files.rawValue, params: .empty)
        do throws(SystemError) {
            _ = try connection.send(message, passing: descriptors)
        } catch { throw MediaError(.limitReached, "passing files to a worker: \(error)") }
    }

    /// Whether it has taken all that was sent to it, or has gone.
    var hasTakenAll: Bool { !connection.hasUnsent }

    /// The most memory that the process had resident, in bytes; 0 before it has gone.
    var peakMemory: Int64 { state.withLock { $0.peak } }
}
