// Notify: what systemd is told, and what it hands over. Outside of systemd both are nothing. Any thread.
//
// `unsafe` here: libsystemd takes C strings.
internal import CSystemd
internal import Dispatch

/// The service manager.
enum Notify {
    /// Ready to be asked; a line for `systemctl status`.
    static func ready(_ status: String) { send("READY=1\nSTATUS=\(status)") }

    /// A line for `systemctl status`.
    static func status(_ status: String) { send("STATUS=\(status)") }

    /// How busy it is, for `systemctl status`.
    static func status(busy: Int, of places: Int, waiting: Int, isDraining: Bool) {
        let draining = isDraining ? "; draining, no job is started" : ""
        status("\(busy) of \(places) workers busy, \(waiting) jobs waiting\(draining)")
    }

    /// A sign of life, for who wants one (Watchdog).
    static func alive() { _ = unsafe sd_notify(0, "WATCHDOG=1") }

    /// On the way out.
    static func stopping() { send("STOPPING=1\nSTATUS=stopping") }

    /// The listening sockets that systemd opened for this process, by their numbers.
    static func sockets() -> [Int32] {
        let count = sd_listen_fds(1)
        guard count > 0 else { return [] }
        return (0..<count).map { SD_LISTEN_FDS_START + $0 }
    }

    /// A manager that does not listen keeps whoever tells it something waiting: what is only told goes by a queue.
    private static let queue = DispatchQueue(label: "trimd.notify")

    private static func send(_ state: String) { queue.async { _ = unsafe sd_notify(0, state) } }
}
