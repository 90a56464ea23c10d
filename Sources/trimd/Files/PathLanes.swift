// PathLanes: opens the paths that users name. Opening a path can block forever: a network share that is gone, a file system
// that a user serves. It therefore runs on no shared queue, and a user can block only a few threads of this process: each user
// has a few lanes, and further work waits for a lane of the same user, for a limited time. Any thread.
internal import Dispatch
internal import Synchronization

/// The lanes of all users.
final class PathLanes: Sendable {
    typealias Work = @Sendable () -> Void

    /// Timeouts in milliseconds, after which the caller gets an error.
    struct Patience: Sendable {
        /// Once it has a lane: long enough for a disk to spin up or a share to be mounted on demand, and less than the 30
        /// seconds that clients wait.
        var opening = 25_000
        /// While it waits for a lane.
        var waiting = 10_000
    }

    private struct Item {
        let work: Work
        let tooLong: Work
        /// When it times out; nil: it has timed out already.
        var limit: DispatchTime?
    }

    private struct Line {
        var busy: [Int: Item] = [:]
        var waiting: [(number: Int, item: Item)] = []
    }

    private struct State {
        var lines: [UInt32: Line] = [:]
        var count = 0
        var isWatched = false
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "trimd.paths")
    private let width: Int
    private let patience: Patience

    /// Lanes; `width` of them per user.
    init(width: Int = 4, patience: Patience = Patience()) {
        self.width = width
        self.patience = patience
    }

    /// Runs work for a user on a thread that may block. On a timeout it calls `tooLong` once; the work may still finish later,
    /// unless it had not begun. The caller limits how much is queued.
    func run(for user: UInt32, _ work: @escaping Work, tooLong: @escaping Work = {}) {
        let (number, isFree, isFirst) = state.withLock { state in
            state.count += 1
            let number = state.count
            let isFree = (state.lines[user]?.busy.count ?? 0) < width
            let wait = isFree ? patience.opening : patience.waiting
            let item = Item(work: work, tooLong: tooLong, limit: .now() + .milliseconds(wait))
            if isFree {
                state.lines[user, default: Line()].busy[number] = item
            } else {
                state.lines[user, default: Line()].waiting.append((number, item))
            }
            defer { state.isWatched = true }
            return (number, isFree, !state.isWatched)
        }
        if isFree { start(number, work, user) }
        if isFirst { lookLater() }
    }

    /// Runs work for a user and waits for its end; false on a timeout, or once the result is no longer wanted. Call it only on
    /// a thread that may block.
    func wait(for user: UInt32, while isWanted: () -> Bool = { true }, _ work: @escaping Work) -> Bool {
        let isOver = DispatchSemaphore(value: 0)
        let isTooLong = Mutex(false)
        run(for: user) {
            work()
            isOver.signal()
        } tooLong: {
            isTooLong.withLock { $0 = true }
            isOver.signal()
        }
        while isWanted() {
            guard isOver.wait(timeout: .now() + .milliseconds(200)) == .timedOut else {
                return !isTooLong.withLock(\.self)
            }
        }
        return false
    }

    private func start(_ number: Int, _ work: @escaping Work, _ user: UInt32) {
        // A separate queue has a separate thread while it works.
        DispatchQueue(label: "trimd.paths.\(user)").async { [self] in
            work()
            if let (number, next) = end(number, user) { start(number, next, user) }
        }
    }

    /// Ends a piece of work; returns the user's next one, which gets the lane.
    private func end(_ number: Int, _ user: UInt32) -> (Int, Work)? {
        state.withLock { state in
            guard var line = state.lines[user] else { return nil }
            line.busy[number] = nil
            defer { state.lines[user] = line.busy.isEmpty && line.waiting.isEmpty ? nil : line }
            guard !line.waiting.isEmpty else { return nil }
            var next = line.waiting.removeFirst()
            next.item.limit = .now() + .milliseconds(patience.opening)
            line.busy[next.number] = next.item
            return (next.number, next.item.work)
        }
    }

    /// Checks for timeouts periodically while work is pending.
    private func lookLater() {
        let pause = max(10, min(patience.opening, patience.waiting) / 4)
        queue.asyncAfter(deadline: .now() + .milliseconds(pause)) { [self] in
            let (late, goesOn) = state.withLock { state in
                let late = PathLanes.takeLate(&state.lines)
                state.isWatched = !state.lines.isEmpty
                return (late, state.isWatched)
            }
            for tooLong in late { tooLong() }
            if goesOn { lookLater() }
        }
    }

    /// Takes the handlers of timed-out work; work without a lane is dropped.
    private static func takeLate(_ lines: inout [UInt32: Line]) -> [Work] {
        let now = DispatchTime.now()
        var late: [Work] = []
        for (user, line) in lines {
            for (number, item) in line.busy where item.limit.map({ $0 <= now }) ?? false {
                late.append(item.tooLong)
                lines[user]?.busy[number]?.limit = nil
            }
            late += line.waiting.filter { $0.item.limit.map { $0 <= now } ?? false }.map(\.item.tooLong)
            lines[user]?.waiting.removeAll { $0.item.limit.map { $0 <= now } ?? false }
        }
        return late
    }
}
