// RepeatedCalls: timers that repeat until their owner ends them. Used on its owner's queue; each call comes on a queue of its own
// choice.
internal import Dispatch

/// Calls at fixed intervals.
struct RepeatedCalls {
    private var timers: [any DispatchSourceTimer] = []

    /// Calls from now on each time so many milliseconds have passed.
    mutating func add(
        every milliseconds: Int, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void
    ) {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let interval = DispatchTimeInterval.milliseconds(milliseconds)
        timer.schedule(deadline: .now() + interval, repeating: interval)
        timer.setEventHandler(handler: body)
        timer.activate()
        timers.append(timer)
    }

    /// Ends all of them; a call that has begun goes on.
    func cancel() {
        for timer in timers { timer.cancel() }
    }
}
