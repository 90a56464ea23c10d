// events.since: the events of jobs after a number or a time; a client may wait for the next ones.
internal import JobQueue
internal import Media
internal import MediaTime
internal import Wire

extension ServerService {
    /// `events.since`
    func events(
        _ params: EventsParams, _ caller: Caller, from subscriber: any Subscriber,
        then: @escaping EventLongPoll.Then
    ) throws(MediaError) {
        let limit = params.limit ?? 1000
        guard 1...1000 ~= limit else {
            throw MediaError(.invalidRequest, "limit is \(limit), and must be 1 to 1000")
        }
        let wait = params.wait ?? .zero
        guard wait.isNumeric, wait >= .zero, wait <= Time(300, 1) else {
            throw MediaError(.invalidTime, "wait is \(wait), and must be 0 to 300 seconds")
        }
        let question = EventLongPoll.Question(
            viewer: caller.viewer, after: params.after ?? 0, since: params.since, limit: limit,
            wait: Int(wait.seconds * 1000))
        events.ask(question, from: subscriber, then: then)
    }
}
