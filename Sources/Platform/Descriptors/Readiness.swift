// Reports when a descriptor can be read or written: a Dispatch source on an epoll set that contains only this descriptor. A
// source on the descriptor itself fails: when a socket or a pipe hangs up, libdispatch (epoll, Swift 6.3) removes the source
// from its lists on whatever thread runs the handler, while its manager still walks them (`_dispatch_source_invoke2`
// unregisters without switching to the manager's queue). That loses end events and sometimes crashes the process. An epoll set
// never hangs up. It also makes pausing a single call instead of counted suspensions. The owner keeps the descriptor open until
// `cancelled` has run; calls come from any thread. It reads and writes nothing.
internal import CLinux
public import Dispatch
internal import Synchronization

/// Watches one descriptor.
///
/// `@unchecked Sendable`: Dispatch objects are thread-safe; the module just does not declare it.
public final class Readiness: @unchecked Sendable {
    /// The events to wait for; a hang-up counts as both.
    public struct Interest: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt8

        /// Data to read, or the end.
        public static let reading = Interest(rawValue: 1)
        /// Space to write, or a closed peer.
        public static let writing = Interest(rawValue: 2)

        /// A set from its bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
    }

    /// The epoll set, which must outlive the source.
    private final class Set: Sendable {
        let descriptor: Descriptor

        init() throws(SystemError) {
            descriptor = Descriptor(
                adopting: try SystemError.check("making", "an epoll set") { trim_epoll_create() })
        }

        /// The descriptor's present readiness.
        var ready: Interest {
            let events = trim_epoll_ready(descriptor.rawValue)
            if events & (trim_EPOLLERR | trim_EPOLLHUP) != 0 { return [.reading, .writing] }
            var ready: Interest = []
            if events & trim_EPOLLIN != 0 { ready.insert(.reading) }
            if events & trim_EPOLLOUT != 0 { ready.insert(.writing) }
            return ready
        }
    }

    private struct State {
        var interest: Interest = []
        var ended = false
    }

    private let state = Mutex(State())
    private let raw: Int32
    private let set: Set
    private let source: any DispatchSourceRead

    /// A watch that lives until it is cancelled. Both closures run on the queue and are released after `cancelled`; `ready`
    /// receives the descriptor's readiness, whether or not it was waited for: after a pause, one event may still be pending.
    @discardableResult
    public init(
        of raw: Int32, on queue: DispatchQueue, for interest: Interest = .reading,
        ready: @escaping @Sendable (Readiness, Interest) -> Void,
        cancelled: @escaping @Sendable () -> Void = {}
    ) throws(SystemError) {
        let set = try Set()
        try SystemError.check("watching", "descriptor \(raw)") {
            trim_epoll_add(set.descriptor.rawValue, raw)
        }
        self.raw = raw
        self.set = set
        source = DispatchSource.makeReadSource(fileDescriptor: set.descriptor.rawValue, queue: queue)
        source.setEventHandler { [self] in
            let now = set.ready
            if !now.isEmpty { ready(self, now) }
        }
        source.setCancelHandler {
            // Keeps the set open until the source has released it.
            _ = set.descriptor.rawValue
            cancelled()
        }
        resume(interest)
        source.resume()
    }

    /// The events waited for now.
    public var interest: Interest { state.withLock(\.interest) }

    /// Adds events to wait for.
    public func resume(_ more: Interest) { change { $0.formUnion(more) } }

    /// Stops waiting for these events.
    public func suspend(_ less: Interest) { change { $0.subtract(less) } }

    private func change(_ body: (inout Interest) -> Void) {
        state.withLock { state in
            let before = state.interest
            body(&state.interest)
            guard !state.ended, state.interest != before else { return }
            var events: UInt32 = 0
            if state.interest.contains(.reading) { events |= trim_EPOLLIN }
            if state.interest.contains(.writing) { events |= trim_EPOLLOUT }
            let result = trim_epoll_watch(set.descriptor.rawValue, raw, events)
            // The call allocates nothing: it fails only if the descriptor was closed.
            precondition(result == 0, "descriptor \(raw) was closed while it was watched")
        }
    }

    /// Cancels permanently; `cancelled` runs once, later.
    public func cancel() {
        let isFirst = state.withLock { state in
            defer { state.ended = true }
            return !state.ended
        }
        if isFirst { source.cancel() }
    }
}
