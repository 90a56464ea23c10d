// WorkerAccess: what a worker may send, and what trimd does for it: a single table, one row per message. A notification without a row
// does not compile. Worker checks it before it reads a message; a test sends every message as a hostile worker does, and the manual of
// trimd shows the table. Pure.
internal import Wire

/// The effect of a message of a worker, and its bound.
struct WorkerAccess: Hashable, Sendable {
    /// The messages of a worker.
    enum Kind: Hashable, Sendable, CaseIterable {
        case notification(WorkerNotification)
        /// The result of its one request.
        case result
        /// The error of its one request.
        case error
        /// A request of its own.
        case request
        /// A notification that is not in the table.
        case unknown
        /// A descriptor beside any message.
        case descriptor

        static let allCases =
            WorkerNotification.allCases.map(Kind.notification) + [
                .result, .error, .request, .unknown, .descriptor,
            ]

        /// The message in the manual.
        var name: String {
            switch self {
            case .notification(let notification): "`\(notification.rawValue)`"
            case .result: "result"
            case .error: "error"
            case .request: "any request"
            case .unknown: "any other notification"
            case .descriptor: "any descriptor"
            }
        }
    }

    /// When a worker may send a message.
    enum Time: String, Hashable, Sendable {
        /// From its start.
        case always
        /// Between its request and its answer.
        case serving = "with a request"
        case never
    }

    /// The treatment of those that are too many, or come at the wrong time.
    enum Excess: String, Hashable, Sendable {
        /// They have no effect.
        case ignored
        /// The process is killed.
        case ended
        /// They wait in the socket, and the process with them.
        case waits
        /// They are closed.
        case closed
    }

    /// The action of trimd.
    let effect: String
    let time: Time
    /// The bound, for people.
    let bound: String
    let excess: Excess

    private init(_ effect: String, _ time: Time, _ bound: String, _ excess: Excess) {
        (self.effect, self.time, self.bound, self.excess) = (effect, time, bound, excess)
    }

    /// The row of a message.
    static func of(_ kind: Kind) -> WorkerAccess {
        switch kind {
        case .notification(let notification): of(notification)
        case .result, .error:
            WorkerAccess("passed on if it has the form that was asked for", .serving, "the first", .ignored)
        case .request, .unknown: WorkerAccess("nothing", .never, "none", .ended)
        case .descriptor: WorkerAccess("nothing", .never, "none", .closed)
        }
    }

    /// The row of a notification.
    static func of(_ notification: WorkerNotification) -> WorkerAccess {
        switch notification {
        case .sealed:
            WorkerAccess(
                "recorded: without it no answer counts and no file is opened", .always, "the first", .ignored)
        case .alive: WorkerAccess("the watchdog waits on, up to the job's time", .serving, rate, .waits)
        case .progress: WorkerAccess("the latest is shown", .serving, rate, .waits)
        case .planned:
            WorkerAccess(
                "space is reserved, up to trimd's own bound", .serving,
                "the first; \(WorkerInbox.mostChanges) changes of its processors", .ignored)
        case .log:
            WorkerAccess(
                "written to the job's log", .serving,
                "\(WorkerInbox.mostLines) lines of \(WorkerInbox.longestLine) bytes", .ignored)
        case .segments:
            WorkerAccess(
                "files that the playlist names are opened for reading", .serving,
                "\(SegmentRequest.most) names, and one request at a time; \(SourceFiles.mostFiles) files",
                .ended)
        }
    }

    /// The rate of a worker's messages.
    private static var rate: String { Worker.connectionLimits.messageRate.map { "\($0) a second" } ?? "none" }
}
