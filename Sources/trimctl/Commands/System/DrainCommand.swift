// `trimctl drain`: the daemon starts no more jobs; the command ends when none is running, and with --exit the daemon exits too.
// The setting survives restarts, until `trimctl drain --off`. With --node it is one of several that share a queue; that one is
// told through the queue, and looked at until nothing runs there.
internal import Glibc
internal import Media
internal import Platform
internal import TrimClient
internal import Wire

/// `trimctl drain`.
struct DrainCommand: Command {
    let arguments: Arguments
    let surroundings: Surroundings

    /// Milliseconds between two looks at another node.
    private static let pause: UInt32 = 500

    init(_ arguments: Arguments, _ surroundings: Surroundings) {
        self.arguments = arguments
        self.surroundings = surroundings
    }

    func run() throws(MediaError) -> Int32 {
        try Session.run(arguments, surroundings) { daemon throws(MediaError) in
            let isOff = arguments.has(.off)
            let node = arguments.given(.node)
            let words = {
                console.say(
                    "trimctl: no more jobs are started\(node.map { " on \($0)" } ?? ""); waiting for those that run"
                )
            }
            // Whether there is such a node is answered first; and only then a user who may not drain it.
            let mayDrain = PeerCredentials.own.uid == 0 || !daemon.runsAsAnotherUser
            if !isOff, node == nil, mayDrain { words() }
            let params = DrainParams(
                on: !isOff, exit: arguments.has(.exit) ? true : nil,
                refuse: arguments.has(.refuse) ? true : nil, node: node)
            let result: DrainResult = try daemon.call(.serverDrain, params)
            if !isOff, node != nil { words() }
            if let node, !isOff { try wait(for: node, daemon) }
            if asJSON {
                console.json(result)
            } else {
                console.print(DrainCommand.words(result, node))
            }
            return 0
        }
    }

    private static func words(_ result: DrainResult, _ node: String?) -> String {
        if result.exiting == true {
            return
                "drained, and trimd ends: nothing runs, \(result.waiting) waiting; the next trimd drains too, until `trimctl drain --off`"
        }
        let name = node.map { " --node \($0)" } ?? ""
        return result.draining
            ? "drained: nothing runs\(node.map { " on \($0)" } ?? ""), \(result.waiting) waiting; `trimctl drain\(name) --off` starts jobs again"
            : "jobs are started again\(node.map { " on \($0)" } ?? ""), \(result.waiting) waiting"
    }

    /// Returns when nothing runs on a node that drains, when it is gone, or when somebody else has ended the drain.
    private func wait(for name: String, _ daemon: DaemonConnection) throws(MediaError) {
        // It has to notice first: until then it may start one.
        var hasNoticed = false
        while true {
            let nodes: NodesResult = try daemon.call(.serverNodes)
            guard let node = nodes.nodes.first(where: { $0.name == name }), node.state != .gone else {
                return
            }
            if node.state == .draining { hasNoticed = true } else if hasNoticed { return }
            if hasNoticed, node.jobs.isEmpty { return }
            usleep(DrainCommand.pause * 1000)
        }
    }
}

extension CommandTable {
    static let drain = CommandEntry(
        "drain", DrainCommand.self,
        synopsis: ["[--off | [--exit] [--refuse]] [--json]", "--node NODE [--off | --refuse] [--json]"],
        abstract: "Start no more jobs, and wait until none is running",
        discussion: [
            "Jobs are still accepted, and wait; with --refuse they are refused (5). It holds over restarts of the daemon, until --off.",
            "A paused job is not waited for. Clients that wait for a job are notified. Ctrl-C stops waiting; the daemon goes on draining.",
            "With --exit the daemon ends then; the next one drains too, until --off.",
            "Where several share a queue, each drains by itself, and --node is for another than the one that is asked. Jobs that a "
                + "draining node has begun in chunks go on elsewhere, and so do those that wait.",
            "Root and the user that trimd runs as may drain, and nobody else.",
        ],
        positionals: [], options: [.off, .exit, .refuse, .node, .json, .socket],
        exclusive: [[.off, .exit], [.off, .refuse], [.node, .exit]],
        examples: [
            Example("trimctl drain", "before the machine is ended"),
            Example("trimctl drain --exit", "before an upgrade"),
            Example("trimctl drain --refuse", "before the machine is given up"),
            Example("trimctl drain --off", "jobs are started again"),
            Example("trimctl drain --node ada", "before the machine of node ada is ended, from any node"),
        ],
        exitCodes: codes(0, 1, 2, 4, 5, 7))
}
