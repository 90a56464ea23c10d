// The entry of `trimctl batch` in the command table.
internal import Lists
internal import Media

extension CommandTable {
    static let batch = CommandEntry(
        verb: .batch,
        synopsis: [
            "LIST [--input FILE] [--preset ID] [--output-dir DIR] [--name TEMPLATE] [options]",
            "LIST --resume [options]",
            "LIST --shard I/N|auto|auto/N --resume [options]",
            "report REPORT… --report FILE… [--json]",
        ],
        abstract: "Export everything that a list asks for",
        discussion: [
            """
            LIST is CSV or TSV with a header (input, start, end, duration, preset, output, label, render, snap) or with \
            start,end,label alone, JSON lines or a JSON array with the keys of a request, a CMX3600 EDL, a project of LosslessCut (.llc), a \
            timeline of OpenTimelineIO (.otio), or chapters as ffmetadata or Matroska's XML; - is standard input.
            """,
            """
            Every line is checked before the first export begins; where one is wrong, all that is wrong is said, and \
            nothing is done. Paths in LIST are relative to its folder.
            """,
            """
            A TEMPLATE is text with any of {stem} {index:03} {label} {preset} {start} {end} {duration} {line} {list} \
            {ext}; what is not there leaves out the separator before it.
            """,
            """
            After Ctrl-C, a crash or a failure, --resume does what is not done yet: what was completed, and is still \
            there, is not done again. With --standalone the queue is kept in $XDG_STATE_HOME/trimd/batches for that.
            """,
            """
            --shard 2/8 does the second of eight parts of LIST, for engines that run a command many times. Every shard checks \
            the whole list first. Which line belongs to which shard follows from LIST alone; the shards have about the same \
            length of film, as far as the times in LIST say it. --shard auto takes the shard from the environment: \
            SLURM_ARRAY_TASK_ID, _COUNT, _MIN and _MAX of a Slurm array (from any index, in steps), CI_NODE_INDEX and \
            CI_NODE_TOTAL of GitLab, BUILDKITE_PARALLEL_JOB and _COUNT, CIRCLE_NODE_INDEX and _TOTAL, and with --shard auto/8 \
            JOB_COMPLETION_INDEX of a Kubernetes Indexed Job with eight completions.
            """,
            """
            A shard keeps a lock and a record of what it has completed in the folder .trimd-batch beside the outputs (in \
            --output-dir, otherwise beside its first output), so that two runs of it do nothing twice, on two hosts that share \
            the outputs either. A second run ends with an error that names the first; with --resume it waits for it, and does what it \
            leaves. A run that was killed holds nothing; where the file system does not carry locks to other hosts, \
            another host goes on after a minute without a sign of it. LIST, sources and outputs have the same paths on all hosts.
            """,
            """
            `trimctl batch report` merges the JSON reports of all shards; its exit code is the one that the whole batch would \
            have had. A list with the name report is ./report.
            """,
        ],
        positionals: [
            Positional("LIST", .inputFile, "The list, or - for standard input"),
            Positional(
                "REPORT", .inputFile, "After `report`: the JSON reports of shards", minimum: 0,
                isRepeatable: true),
        ],
        options: [
            .batchInput, .batchPreset, .presetFile, .render, .snap, .round, .outputDir, .name, .clash,
            .format,
            .batchRate, .join,
        ] + Option.export(for: .lists) + [
            .strict, .jobs, .failFast, .resume, .shard, .dryRun, .report, .priority, .needs, .quiet, .json,
            .progress, .standalone, .sandbox, .socket,
        ],
        exclusive: [
            [.batchPreset, .presetFile], [.standalone, .socket], [.dryRun, .report], [.quiet, .json],
        ] + Option.contradictions.filter { Set($0).isSubset(of: Option.export(for: .lists)) },
        examples: [
            Example(
                "trimctl batch cuts.csv --preset m4v720 --output-dir out --report report.xml",
                "every line of a table, with a report for a CI system"),
            Example(
                "trimctl batch film.edl --input film.mov --preset passthrough --render smart",
                "every event of an edit decision list, encoded again only at the cuts"),
            Example(
                "trimctl batch cuts.csv --dry-run", "what would be made, and what is wrong with the list"),
            Example("trimctl batch cuts.csv --resume", "what is not done yet"),
            Example(
                "trimctl batch cuts.csv --shard auto --resume --standalone --output-dir out --report out/part-$SLURM_ARRAY_TASK_ID.json",
                "the part of this task of a Slurm array"),
            Example(
                "trimctl batch report a.json b.json --report all.xml", "one report of all shards"),
        ],
        exitCodes: exitCodes)
}

extension Option {
    static let batchInput = Option(
        "input", value: "FILE", .inputFile, "The source of every line that names none")
    static let batchPreset = Option(
        "preset", value: "ID", .preset,
        "The preset of every line that names none; `trimctl presets` lists them. Without it, as for `export`"
    )
    static let outputDir = Option(
        "output-dir", value: "DIR", .outputFile,
        "Where to write, made where it is missing (otherwise beside each source)")
    static let name = Option(
        "name", value: "TEMPLATE", .text, "How to name the outputs of lines that do not",
        standard: BatchNames.standard)
    static let clash = Option(
        "clash", value: "HOW", .choice(ClashPolicy.allCases.map(\.rawValue)),
        "The action where an output exists; where two lines have the same one, only number makes both",
        standard: ClashPolicy.fail.rawValue)
    static let format = Option(
        "format", value: "FORMAT", .choice(ListFormat.allCases.map(\.rawValue)),
        "The format of LIST (otherwise it is recognised by its extension or its beginning)")
    static let batchRate = Option(
        "rate", value: "RATE", .text,
        "Frames a second of an EDL's timecodes, such as 25 or 30000/1001 (otherwise those of each source)")
    static let join = Option(
        "join", "Join the parts of each source, in the order of the edit, into one output")
    static let jobs = Option(
        "jobs", value: "N", .count(1...64),
        "At most so many at once (otherwise as many as the daemon runs)")
    static let failFast = Option("fail-fast", "Cancel the rest when one has failed")
    static let resume = Option("resume", "Do only what an earlier run of the same list has not completed")
    static let shard = Option(
        "shard", value: "I/N", .shard,
        "Do the Ith of N parts of LIST, or auto: the one that the environment says, auto/N where it does not say of how many"
    )
    static let report = Option(
        "report", value: "FILE", .outputFile,
        "Write what became of everything: .json, .xml (JUnit) or .md (a table)", isRepeatable: true)
}
