// The worker's second thread: it waits for what the daemon sends while the request is served, and for the daemon's end. It borrows the
// channel, of which it is the only receiver from then on, passes descriptors on to those who own them, and runs until the process exits.
// It answers nothing and reads no media.
internal import Glibc
internal import Libav
internal import Platform
internal import Text
internal import Wire

extension WorkerProgram {
    /// The time between two heartbeats.
    private static let pulse = Duration.seconds(1)

    /// Its stack in bytes: messages of playlists are decoded on it.
    private static let watchStack = 1 << 20

    /// Exits when the daemon closes its end of the socketpair: nobody would receive the result. Until then it collects the files
    /// that come after the request, and those of a playlist, and sends heartbeats while work continues, so that the daemon can
    /// distinguish a slow job from one that hangs.
    func watch(_ channel: BlockingChannel, _ segments: DaemonFiles) throws(SystemError) {
        try OwnThread.start(stack: WorkerProgram.watchStack) { [files] in
            var (last, sent) = (LibavPulse.count, ContinuousClock.now)
            func beat() {
                let (count, now) = (LibavPulse.count, ContinuousClock.now)
                guard count != last, now - sent >= WorkerProgram.pulse else { return }
                (last, sent) = (count, now)
                // Where it fails, the daemon has gone, which the next message tells.
                try? channel.send(
                    .notification(method: WorkerNotification.alive.rawValue, params: .empty))
            }
            while true {
                guard let (message, descriptors) = try? channel.receive(every: WorkerProgram.pulse, beat)
                else {
                    _exit(3)
                }
                defer { beat() }
                guard case .notification(let method, let params) = message else { continue }
                switch DaemonNotification(rawValue: method) {
                case .files: files.add(descriptors)
                case .segments: segments.receive(params, descriptors)
                case nil: continue
                }
            }
        }
    }
}
