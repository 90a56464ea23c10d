// `trimctl nodes`: the daemons that share the queue, a line each.
internal import Media
internal import TrimClient
internal import Wire

/// `trimctl nodes`.
struct NodesCommand: Command {
    let arguments: Arguments
    let surroundings: Surroundings

    init(_ arguments: Arguments, _ surroundings: Surroundings) {
        self.arguments = arguments
        self.surroundings = surroundings
    }

    func run() throws(MediaError) -> Int32 {
        try Session.run(arguments, surroundings) { daemon throws(MediaError) in
            let nodes: NodesResult = try daemon.call(.serverNodes)
            if asJSON {
                console.json(nodes)
            } else {
                console.print(NodesCommand.table(nodes.nodes, width: console.outputWidth))
            }
            return 0
        }
    }

    /// The nodes as a table.
    static func table(_ nodes: [NodeReport], width: Int? = nil) -> String {
        guard !nodes.isEmpty else { return "no nodes\n" }
        var table = Columns([
            ("NODE", .left), ("STATE", .left), ("VERSION", .left), ("HOST", .left), ("PROCESSORS", .right),
            ("MEMORY", .right), ("JOBS", .left), ("HEARD", .right), ("TAGS", .left), ("ROOTS", .left),
        ])
        for node in nodes {
            let jobs = node.jobs.prefix(5).map(String.init).joined(separator: " ")
            table.add([
                node.name + (node.answers == true ? " *" : ""), node.state.rawValue, node.version, node.host,
                node.state == .gone ? "-" : "\(node.busyProcessors)/\(node.processors)",
                Units.size(node.memoryBytes),
                node.jobs.isEmpty ? "-" : jobs + (node.jobs.count > 5 ? " …" : ""),
                "\(Units.duration(node.silence)) ago", list(node.tags), list(node.roots),
            ])
        }
        return table.text(within: width)
    }

    private static func list(_ words: [String]) -> String {
        words.isEmpty ? "-" : words.joined(separator: ",")
    }
}

extension CommandTable {
    static let nodes = CommandEntry(
        "nodes", NodesCommand.self, synopsis: ["[--json]"],
        abstract: "List the daemons that share the queue",
        discussion: [
            "Each with its state, its version, the processors that its exports use, what runs there, and when it was last heard.",
            "A node is gone that has ended, or has not reached the queue for a minute; another takes over what it had begun. "
                + "Where the queue is not shared, the list has the one daemon that is asked. See trimd-fleet(7).",
        ],
        positionals: [], options: [.json, .socket], exclusive: [],
        examples: [Example("trimctl nodes", "a line for each")],
        exitCodes: codes(0, 1, 2, 5))
}
