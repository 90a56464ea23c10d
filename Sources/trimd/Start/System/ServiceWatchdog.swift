// ServiceWatchdog: pings systemd's watchdog from the main loop, which stalls whenever the process stops or its threads starve,
// and only after the queue's database has responded. Inactive unless systemd has a watchdog for the service. A nonisolated
// class, so that its closures are not on the main actor.
//
// `unsafe` here: libsystemd writes the interval through a pointer.
internal import CSystemd
internal import Dispatch
internal import Media

/// Pings the watchdog.
final class ServiceWatchdog {
    private let timer: any DispatchSourceTimer

    /// Nil if systemd has no watchdog for the service. `probe` throws if trimd cannot do its work.
    init?(_ log: Log, probe: @escaping @Sendable () throws(MediaError) -> Void) {
        var microseconds: UInt64 = 0
        guard unsafe sd_watchdog_enabled(1, &microseconds) > 0, microseconds > 0 else { return nil }
        timer = DispatchSource.makeTimerSource(queue: .main)
        // Four pings per interval: a slow disk may delay some of them.
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
