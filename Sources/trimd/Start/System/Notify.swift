// Notify: messages to systemd, and the sockets it passes. Without systemd both do nothing. Any thread.
//
// `unsafe` here: libsystemd takes C strings.
internal import CSystemd
internal import Dispatch

/// The service manager.
enum Notify {
    /// Ready; a line for `systemctl status`.
    static func ready(_ status: String) { send("READY=1\nSTATUS=\(status)") }

    /// A line for `systemctl status`.
    static func status(_ status: String) { send("STATUS=\(status)") }

    /// The number of running and waiting jobs, for `systemctl status`.
    static func status(busy: Int, of slots: Int, waiting: Int, isDraining: Bool) {
        let draining = isDraining ? "; draining, no job is started" : ""
        status("\(busy) of \(slots) workers busy, \(waiting) jobs waiting\(draining)")
    }

    /// Pings the watchdog.
    static func alive() { _ = unsafe sd_notify(0, "WATCHDOG=1") }

    /// Stopping.
    static func stopping() { send("STOPPING=1\nSTATUS=stopping") }

    /// The descriptors of the listening sockets that systemd passed.
    static func sockets() -> [Int32] {
        let count = sd_listen_fds(1)
        guard count > 0 else { return [] }
        return (0..<count).map { SD_LISTEN_FDS_START + $0 }
    }

    /// A manager that does not read blocks the sender: status messages are sent from a queue.
    private static let queue = DispatchQueue(label: "trimd.notify")

    private static func send(_ state: String) { queue.async { _ = unsafe sd_notify(0, state) } }
}
