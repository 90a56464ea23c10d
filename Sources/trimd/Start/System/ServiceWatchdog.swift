// Watchdog: tells systemd that trimd lives, as long as it does: from the main loop, which everything that stops the
// process or starves its threads stops too, and only after the queue's database has answered. Without a
// watchdog there is none. An ordinary class, so that its closures are not the main actor's.
//
// `unsafe` here: libsystemd writes the interval through a pointer.
internal import CSystemd
internal import Dispatch
internal import Media

/// The sign of life.
final class ServiceWatchdog {
    private let timer: any DispatchSourceTimer

    /// Nil where systemd does not wait for signs of life. `probe` throws where trimd cannot do its work.
    init?(_ log: Log, probe: @escaping @Sendable () throws(MediaError) -> Void) {
        var microseconds: UInt64 = 0
        guard unsafe sd_watchdog_enabled(1, &microseconds) > 0, microseconds > 0 else { return nil }
        timer = DispatchSource.makeTimerSource(queue: .main)
        // Four signs in the time of one: a slow disk may cost some of them.
        let interval = DispatchTimeInterval.microseconds(Int(clamping: microseconds / 4))
        timer.schedule(deadline: .now(), repeating: interval, leeway: .milliseconds(100))
        timer.setEventHandler {
            do throws(MediaError) {
                try probe()
                Notify.alive()
            } catch { log.error("no sign of life to systemd: \(error)") }
        }
        timer.activate()
    }
}
