// EventLongPoll: who has asked for events that are still to come. Whoever asks with `wait` and finds none stands in line;
// when something has changed, everybody in the line is answered from the database, and asks again. So nothing is
// missed, a slow client has one answer to read at a time, and a new connection goes on where the old one ended. It
// lives on a queue of its own.
internal import Dispatch
internal import JobQueue
internal import Media
internal import Wire

/// The line of those who wait for events.
///
/// `@unchecked Sendable`: what is not constant is touched on `queue` only.
final class EventLongPoll: @unchecked Sendable {
    /// One question.
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

    /// A line before a store.
    init(_ store: any JobQueue) { self.store = store }

    /// Answers at once, or when there is something to tell, or when the time is over.
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

    /// Something has changed.
    func poke() {
        queue.async { [self] in
            guard !isPoked, !waiters.isEmpty else { return }
            isPoked = true
            // A little later, so that a storm of changes makes few answers.
            queue.asyncAfter(deadline: .now() + .milliseconds(20)) { [self] in
                isPoked = false
                for (number, waiter) in waiters where answer(waiter, orWait: true) { waiters[number] = nil }
            }
        }
    }

    /// A subscriber has gone; nobody hears its answers.
    func forget(_ subscriber: any Subscriber) {
        let key = ObjectIdentifier(subscriber)
        queue.async { [self] in waiters = waiters.filter { $0.value.subscriber != key } }
    }

    // MARK: on the line's queue

    private func answer(_ waiter: Waiter, orWait mayWait: Bool) -> Bool {
        dispatchPrecondition(condition: .onQueue(queue))
        do throws(MediaError) {
            let question = waiter.question
            // Asked for first: what comes between the two questions is told the next time.
            let last = try store.lastEvent()
            let events = try store.events(
                for: question.viewer, after: question.after, since: question.since, limit: question.limit)
            // A number that was never given is of another queue: it begins anew here.
            if events.isEmpty, mayWait, question.after <= last { return false }
            let next =
                events.count < question.limit ? max(last, events.last?.id ?? 0) : events.last?.id ?? last
            waiter.then(.success(EventsResult(events: events, last: next)))
        } catch { waiter.then(.failure(error)) }
        return true
    }
}
