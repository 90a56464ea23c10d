// PathLanes: where paths are opened that users name. To open one may take for ever: a network share that has gone, a file
// system that a user serves themselves. So it happens on no queue that others need, and a user can hold up a few threads of
// this process, not all: each has a few lanes, and what does not get one waits for the user's own, and not for ever. Any thread.
internal import Dispatch
internal import Synchronization

/// The lanes of all users.
final class PathLanes: Sendable {
    typealias Work = @Sendable () -> Void

    /// Milliseconds after which whoever asked is told that it takes too long.
    struct Patience: Sendable {
        /// With a lane: a disk that sleeps and a share that is mounted when it is asked for answer in this time, and clients
        /// that wait half a minute for an answer get one.
        var opening = 25_000
        /// Without one.
        var waiting = 10_000
    }

    private struct Item {
        let work: Work
        let tooLong: Work
        /// When it is said that it takes too long; nil: that was said.
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

    /// Lanes, so many a user.
    init(width: Int = 4, patience: Patience = Patience()) {
        self.width = width
        self.patience = patience
    }

    /// Does something for a user, on a thread where it may wait. Where that takes too long, `tooLong` is called once; the work
    /// may still end some day, unless it had not begun. Whoever asks sees to it that not too much is asked at once.
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

    /// Does something for a user and waits for its end; false where that takes too long, or nobody wants it any more. For
    /// threads that others do not need.
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
        // A queue of its own has a thread of its own while it works.
        DispatchQueue(label: "trimd.paths.\(user)").async { [self] in
            work()
            if let (number, next) = end(number, user) { start(number, next, user) }
        }
    }

    /// A work has ended: what of this user's has its lane now.
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

    /// Looks now and then, as long as there is something to look at.
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

    /// Those for whom it takes too long; what had no lane is not done any more.
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
