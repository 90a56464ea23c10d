// How to start a daemon that does not answer: its service where one is installed for the socket, else the program.
import Testing

@testable import TrimClient
@testable import trimctl

@Suite struct DaemonStartTests {
    private static let user = "/run/user/1000/trimd/trimd.sock"

    /// A socket, the units that are installed, whether systemd runs, and the command.
    private static let table: [(socket: String, units: [String], runs: Bool, command: String)] = [
        ("/run/trimd/trimd.sock", ["/usr/lib/systemd/system"], true, "systemctl start trimd"),
        ("/run/trimd/trimd.sock", ["/usr/lib/systemd/user"], true, "systemctl start trimd"),
        ("/run/trimd/trimd.sock", ["/usr/lib/systemd/system"], false, "'/opt/a b/libexec/trimd/trimd' &"),
        (user, ["/usr/lib/systemd/user"], true, "systemctl --user start trimd"),
        (user, ["/usr/lib/systemd/user", "/usr/lib/systemd/system"], true, "systemctl --user start trimd"),
        (user, ["/home/me/.config/systemd/user"], true, "systemctl --user start trimd"),
        (user, ["/usr/lib/systemd/system"], true, "systemctl start trimd"),
        (user, [], true, "systemctl --user start trimd"),
        (user, ["/usr/lib/systemd/user"], false, "'/opt/a b/libexec/trimd/trimd' &"),
        (
            "/tmp/a b/s", ["/usr/lib/systemd/user"], true,
            "'/opt/a b/libexec/trimd/trimd' --socket '/tmp/a b/s' &"
        ),
        ("/tmp/s", [], false, "'/opt/a b/libexec/trimd/trimd' --socket /tmp/s &"),
    ]

    @Test func aProgramThatIsNotInstalledHasNoPath() {
        let start = DaemonStart(
            socket: "/run/trimd/trimd.sock", in: [:], program: nil, exists: { _ in false })
        #expect(start.command == "trimd &")
    }

    @Test(arguments: table)
    func theCommandThatFits(_ socket: String, _ units: [String], _ runs: Bool, _ command: String) {
        let there = Set(units.map { $0 + "/trimd.service" } + (runs ? ["/run/systemd/system"] : []))
        let start = DaemonStart(
            socket: socket, in: ["HOME": "/home/me", "XDG_RUNTIME_DIR": "/run/user/1000"],
            program: "/opt/a b/libexec/trimd/trimd",
            exists: { there.contains($0) })
        #expect(start.command == command)
        #expect(start.remedy() == "start it with `\(command)`")
        #expect(start.remedy(orStandalone: true).hasSuffix(", or add --standalone, which needs no daemon"))
    }
}
