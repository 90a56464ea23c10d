// EventLongPoll: the clients that wait for new events. A request with `wait` that finds no event is kept; after a change, every
// waiting request is answered from the database, and its client asks again. So no event is missed, a slow client has one
// response at a time to read, and a new connection continues where the old one ended. It runs on its own queue.
internal import Dispatch
internal import JobQueue
internal import Media
internal import Wire

/// The waiting requests for events.
///
/// `@unchecked Sendable`: variables are accessed on `queue` only.
final class EventLongPoll: @unchecked Sendable {
    /// One request.
    struct Question: Sendable {
        var viewer: Viewer
        var after: Int64
        var since: Moment?
        var limit: Int
        /// Milliseconds.
        var wait: Int
    }

    typealias Then = @Sendable (Result<EventsResult, MediaError>) -> Void

    private struct Waiter {
        var question: Question
        let subscriber: ObjectIdentifier
        let then: Then
    }

    private let queue = DispatchQueue(label: "trimd.event-line")
    private let store: any JobQueue
    private var waiters: [Int: Waiter] = [:]
    private var count = 0
    private var isPoked = false

    /// Waits for events of a store.
    init(_ store: any JobQueue) { self.store = store }

    /// Answers at once, after the next event, or on a timeout.
    func ask(_ question: Question, from subscriber: any Subscriber, then: @escaping Then) {
        let key = ObjectIdentifier(subscriber)
        queue.async { [self] in
            let waiter = Waiter(question: question, subscriber: key, then: then)
            if answer(waiter, orWait: question.wait > 0) { return }
            count += 1
            let number = count
            waiters[number] = waiter
            queue.asyncAfter(deadline: .now() + .milliseconds(question.wait)) { [self] in
                guard let waiter = waiters.removeValue(forKey: number) else { return }
                _ = answer(waiter, orWait: false)
            }
        }
    }

    /// Called after a change.
    func poke() {
        queue.async { [self] in
            guard !isPoked, !waiters.isEmpty else { return }
            isPoked = true
            // Delayed, so that a burst of changes causes few responses.
            queue.asyncAfter(deadline: .now() + .milliseconds(20)) { [self] in
                isPoked = false
                for (number, waiter) in waiters where answer(waiter, orWait: true) { waiters[number] = nil }
            }
        }
    }

    /// Drops the requests of a subscriber that has disconnected.
    func forget(_ subscriber: any Subscriber) {
        let key = ObjectIdentifier(subscriber)
        queue.async { [self] in waiters = waiters.filter { $0.value.subscriber != key } }
    }

    // MARK: on the poll's queue

    private func answer(_ waiter: Waiter, orWait mayWait: Bool) -> Bool {
        dispatchPrecondition(condition: .onQueue(queue))
        do throws(MediaError) {
            let question = waiter.question
            // Read first: events that arrive between the two reads are reported next time.
            let last = try store.lastEvent()
            let events = try store.events(
                for: question.viewer, after: question.after, since: question.since, limit: question.limit)
            // A number that was never assigned comes from another queue: start over.
            if events.isEmpty, mayWait, question.after <= last { return false }
            let next =
                events.count < question.limit ? max(last, events.last?.id ?? 0) : events.last?.id ?? last
            waiter.then(.success(EventsResult(events: events, last: next)))
        } catch { waiter.then(.failure(error)) }
        return true
    }
}
