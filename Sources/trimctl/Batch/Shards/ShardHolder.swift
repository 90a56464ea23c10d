// Who runs a shard: the contents of its lock file. A value.
internal import Glibc
internal import Media
internal import Platform
internal import Text
internal import Wire

/// The process that runs a shard.
struct ShardHolder: Codable, Hashable, Sendable {
    var host: String
    var pid: Int32
    /// The boot ID of its host: the same one is the same kernel, in containers too.
    var boot: String
    var started: Moment
    /// Distinguishes it from every other.
    var token: String

    /// This process.
    static func own() -> ShardHolder {
        ShardHolder(
            host: hostName, pid: getpid(), boot: ProcessTable.boot, started: .now,
            token: String(UInt64.random(in: .min ... .max), radix: 36))
    }

    private static var hostName: String {
        ProcessTable.read("/proc/sys/kernel/hostname").map { String($0.prefix { !$0.isNewline }) }
            ?? "unknown"
    }

    /// Reads a lock file's contents; nil if they are not complete.
    init?(_ bytes: [UInt8]) {
        guard let found: ShardHolder = try? JSONValue(parsing: bytes).decode() else { return nil }
        self = found
    }

    private init(host: String, pid: Int32, boot: String, started: Moment, token: String) {
        (self.host, self.pid, self.boot, self.started, self.token) = (host, pid, boot, started, token)
    }

    var bytes: [UInt8] { ((try? JSONValue(encoding: self).encoded) ?? []) + [0x0A] }

    /// `node1 (process 17, since 2026-01-02T03:04:05Z)`.
    var words: String { "\(host) (process \(pid), since \(started))" }
}
