// The worker's second thread: it waits for what the daemon sends while the request is served, and for the daemon's end. It borrows the
// channel, of which it is the only receiver from then on, passes descriptors on to those who own them, and runs until the process exits.
// It reads no media, and answers only where the time limit is reached while subtitles are drawn.
internal import Export
internal import Glibc
internal import Libav
internal import Media
internal import Platform
internal import Render
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
    func watch(
        _ channel: BlockingChannel, _ segments: DaemonFiles, answering id: RequestID
    ) throws(SystemError) {
        try OwnThread.start(stack: WorkerProgram.watchStack) { [files, sandbox] in
            var (last, sent) = (LibavPulse.count, ContinuousClock.now)
            // While the process is stopped, its time stands still.
            var (counted, seconds) = (ContinuousClock.now, 0)
            func beat() {
                let (count, now) = (LibavPulse.count, ContinuousClock.now)
                if now - counted >= WorkerProgram.pulse {
                    (counted, seconds) = (now, seconds + 1)
                    if let error = WorkerProgram.expiry(after: seconds, of: sandbox.seconds) {
                        try? channel.send(.failure(id: id, error: RemoteError(error)))
                        _exit(0)
                    }
                }
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

    /// The daemon ends a worker at its limit, and does not know at what it was. Shortly before that, in seconds, a worker that has mostly
    /// drawn subtitles ends with an error that names them.
    private static let notice = 2

    /// The error of a worker that has drawn subtitles for most of its time, when that is over; nil otherwise.
    private static func expiry(after seconds: Int, of limit: Int?) -> MediaError? {
        guard let limit, seconds >= limit - notice, let (subtitles, time) = DrawingTime.current,
            time > .seconds(seconds) / 2
        else { return nil }
        return MediaError(
            .timeLimitReached,
            "draw \(subtitles): they took \(time.components.seconds) of the \(limit) s that a job may take",
            remedy: "burn simpler subtitles, or raise limits.jobSeconds in trimd.json")
    }
}
