// PathLanes: where paths are opened that users name. To open one may take for ever: a network share that has gone, a file
// system that a user serves themselves. So it happens on no queue that others need, and a user can hold up a few threads of
// this process, not all: each has a few lanes, and what does not get one waits for the user's own. Any thread.
internal import Dispatch
internal import Synchronization

/// The lanes of all users.
final class PathLanes: Sendable {
    typealias Work = @Sendable () -> Void

    private struct Line {
        var busy = 0
        var waiting: [Work] = []
    }

    private let lines = Mutex<[UInt32: Line]>([:])
    private let width: Int

    /// Lanes, so many a user.
    init(width: Int = 4) { self.width = width }

    /// Does something for a user, on a thread where it may wait. Whoever asks sees to it that not too much is asked at once.
    func run(for user: UInt32, _ work: @escaping Work) {
        let isFree = lines.withLock { lines in
            guard lines[user, default: Line()].busy < width else {
                lines[user, default: Line()].waiting.append(work)
                return false
            }
            lines[user, default: Line()].busy += 1
            return true
        }
        if isFree { start(work, user) }
    }

    private func start(_ work: @escaping Work, _ user: UInt32) {
        // A queue of its own has a thread of its own while it works.
        DispatchQueue(label: "trimd.paths.\(user)").async { [self] in
            work()
            if let next = next(user) { start(next, user) }
        }
    }

    private func next(_ user: UInt32) -> Work? {
        lines.withLock { lines in
            guard var line = lines[user] else { return nil }
            let next = line.waiting.isEmpty ? nil : line.waiting.removeFirst()
            if next == nil { line.busy -= 1 }
            lines[user] = line.busy > 0 ? line : nil
            return next
        }
    }
}
