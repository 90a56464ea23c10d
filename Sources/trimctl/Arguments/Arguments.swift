// Parses a command line: a command with checked values, or a request for help or the version. It follows CommandTable and knows
// no command by name. It opens no file and contacts no daemon: it does not check whether a preset or a job exists.
internal import Media
internal import MediaTime

/// The result of parsing a command line.
enum Invocation: Hashable, Sendable {
    /// Help on a command, or on all commands.
    case help(CommandEntry?)
    /// Help on the values of an option.
    case topic(HelpTopic)
    /// The version, as JSON also what it was built from and runs on.
    case version(asJSON: Bool)
    /// A command.
    case run(Arguments)
}

/// A checked value.
enum ArgumentValue: Hashable, Sendable {
    case text(String)
    case time(TimeSpelling)
    case number(Int64)
    case jobs(ClosedRange<Int64>)
    case moment(Moment)
    case range(RangeSpelling)
    case tolerance(ToleranceSpelling)
    case shard(ShardSpelling)
}

/// A command's arguments, checked against the table.
struct Arguments: Hashable, Sendable {
    /// The command.
    let entry: CommandEntry
    /// The values of the given options, by long name, in the order given; a flag has none.
    private(set) var values: [String: [ArgumentValue]] = [:]
    /// The same of options that belong to one INPUT, by its number from 0.
    private var inputValues: [Int: [String: [ArgumentValue]]] = [:]
    /// The positional arguments.
    private(set) var positionals: [ArgumentValue] = []

    private init(_ entry: CommandEntry) { self.entry = entry }

    /// The options that belong to an INPUT, by its number from 0, and no others.
    func own(ofInput number: Int) -> Arguments {
        var own = Arguments(entry)
        own.values = inputValues[number] ?? [:]
        return own
    }

    /// Whether the option was given.
    func has(_ option: Option) -> Bool { values[option.name] != nil }

    /// An option's text, or its default.
    func text(_ option: Option) -> String? {
        guard case .text(let text)? = values[option.name]?.last else { return option.standard }
        return text
    }

    /// An option's text if it was given; no default.
    func given(_ option: Option) -> String? { has(option) ? text(option) : nil }

    /// The texts of a repeatable option.
    func all(_ option: Option) -> [String] {
        (values[option.name] ?? []).compactMap { if case .text(let text) = $0 { text } else { nil } }
    }

    /// The tags of a repeatable option, if given.
    func tags(_ option: Option) -> [String]? {
        has(option) ? all(option).flatMap { $0.split(separator: ",").map(String.init) } : nil
    }

    /// An option's time, if given.
    func time(_ option: Option) -> TimeSpelling? {
        guard case .time(let time)? = values[option.name]?.last else { return nil }
        return time
    }

    /// An option's ranges, in the order given; nil if there are none.
    func ranges(_ option: Option) -> [RangeSpelling]? {
        values[option.name]?.compactMap { if case .range(let range) = $0 { range } else { nil } }
    }

    /// The range that the options for times say.
    var range: RangeRequest {
        var range = RangeRequest(
            start: time(.start), end: time(.end), duration: time(.duration),
            snap: given(.snap).flatMap(Snap.init(rawValue:)),
            round: given(.round).flatMap(CutRounding.init(rawValue:)))
        (range.keep, range.remove) = (ranges(.keep), ranges(.remove))
        if has(.keepOnly) { range.remove = (range.remove ?? []) + [RangeSpelling(.notProgram)] }
        return range
    }

    /// An option's tolerance, if given.
    func tolerance(_ option: Option) -> ToleranceSpelling? {
        guard case .tolerance(let tolerance)? = values[option.name]?.last else { return nil }
        return tolerance
    }

    /// An option's shard, if given.
    func shard(_ option: Option) -> ShardSpelling? {
        guard case .shard(let shard)? = values[option.name]?.last else { return nil }
        return shard
    }

    /// An option's values as one text, the same for the same values.
    func spelled(_ option: Option) -> String {
        (values[option.name] ?? []).map { "\($0)" }.joined(separator: " ")
    }

    /// An option's number, if given.
    func number(_ option: Option) -> Int64? {
        guard case .number(let number)? = values[option.name]?.last else { return nil }
        return number
    }

    /// The numbers of a repeatable option; nil if there are none.
    func numbers(_ option: Option) -> [Int64]? {
        values[option.name]?.compactMap { if case .number(let number) = $0 { number } else { nil } }
    }

    /// An option's moment, if given.
    func moment(_ option: Option) -> Moment? {
        guard case .moment(let moment)? = values[option.name]?.last else { return nil }
        return moment
    }

    /// The texts among the positional arguments.
    var texts: [String] {
        positionals.compactMap { if case .text(let text) = $0 { text } else { nil } }
    }

    /// The job IDs among the positional arguments, each once.
    var jobs: [Int64] {
        var seen: Set<Int64> = []
        return positionals.compactMap { if case .number(let number) = $0 { number } else { nil } }
            .filter { seen.insert($0).inserted }
    }

    /// The ranges of job IDs among the positional arguments.
    var jobRanges: [ClosedRange<Int64>] {
        positionals.compactMap { if case .jobs(let range) = $0 { range } else { nil } }
    }
}

extension Arguments {
    /// Parses the arguments after the program's name.
    static func parse(_ words: [String]) throws(MediaError) -> Invocation {
        guard let first = words.first else {
            throw UsageError.of("a command is missing", remedy: "`trimctl --help` lists them")
        }
        if first.hasPrefix("-") {
            if Option.help.spellings.contains(first) { return .help(nil) }
            if Option.version.spellings.contains(first) {
                return .version(asJSON: words.dropFirst().contains("--json"))
            }
            if let entry = words.dropFirst().compactMap(CommandTable.entry).first {
                throw UsageError.of(
                    "\(first) is before the command",
                    remedy: "write \(entry.title) first, then its options")
            }
            if Option.verbose.spellings.contains(first) {
                throw UsageError.of(
                    "\(first) is an option of a command", remedy: "`trimctl -V` prints the version")
            }
            throw UsageError.unknownOption(first, among: CommandTable.globalOptions, of: "trimctl")
        }
        if first == "help" { return .help(try words.dropFirst().first.map(entry)) }
        return try read(Array(words.dropFirst()), as: try entry(first))
    }

    private static func entry(_ word: String) throws(MediaError) -> CommandEntry {
        let name = CommandAlias.row(of: word)?.command ?? word
        guard let entry = CommandTable.entry(name) else { throw UsageError.unknownCommand(word) }
        return entry
    }

    private static func read(_ words: [String], as entry: CommandEntry) throws(MediaError) -> Invocation {
        var result = Arguments(entry)
        var plain: [String] = []
        var index = 0
        while index < words.count {
            let word = words[index]
            index += 1
            if word == "--" {
                plain += words[index...]
                break
            }
            guard word.hasPrefix("-"), word != "-" else {
                plain.append(word)
                continue
            }
            // Only a long option takes its value after "=": elsewhere "-o=x" means a file named "=x".
            let cut = word.hasPrefix("--") ? word.firstIndex(of: "=") : nil
            let spelled = String(cut.map { word[..<$0] } ?? word[...])
            guard let (option, alias) = option(spelled, of: entry) else {
                throw UsageError.unknownOption(
                    word, before: index < words.count ? words[index] : nil, among: entry.allOptions,
                    of: entry.title)
            }
            let attached = cut.map { String(word[word.index(after: $0)...]) }
            if option == .help { return .help(entry) }
            guard let valueName = option.valueName, alias?.value == nil || attached == nil else {
                if attached != nil { throw UsageError.of("\(spelled) takes no value", in: entry) }
                result.values[option.name] = []
                continue
            }
            var value = attached ?? alias?.value
            if value == nil, index < words.count, !isOption(words[index], of: entry) {
                value = words[index]
                index += 1
            }
            guard let value else {
                throw UsageError.of("\(spelled) needs a value: \(spelled) \(valueName)", in: entry)
            }
            let written = (alias?.prefix ?? "") + value
            if value == "help", let topic = option.topic { return .topic(topic) }
            let owner = option.isForEachInput && !plain.isEmpty ? plain.count - 1 : nil
            let isGiven = owner.map { result.own(ofInput: $0).has(option) } ?? result.has(option)
            if isGiven, !option.isRepeatable {
                throw UsageError.of("\(spelled) is given twice", in: entry)
            }
            let read = try option.kind.read(written, for: spelled)
            if let owner {
                result.inputValues[owner, default: [:]][option.name, default: []].append(read)
            } else {
                result.values[option.name, default: []].append(read)
            }
        }
        try result.take(plain, as: entry)
        try result.checkExclusive(entry)
        for number in result.inputValues.keys.sorted() {
            try result.own(ofInput: number).checkExclusive(entry)
        }
        return .run(result)
    }

    /// The option of a command that a word spells, by its name or another one.
    private static func option(
        _ spelled: String, of entry: CommandEntry
    ) -> (option: Option, alias: OptionAlias?)? {
        if let option = entry.allOptions.first(where: { $0.spellings.contains(spelled) }) {
            return (option, nil)
        }
        guard let alias = OptionAlias.row(of: spelled),
            let option = entry.allOptions.first(where: { $0.name == alias.option })
        else { return nil }
        return (option, alias)
    }

    /// An argument that spells an option is not a value; `-30` and `-x.mov` may be.
    private static func isOption(_ word: String, of entry: CommandEntry) -> Bool {
        let name = word.hasPrefix("--") ? String(word.prefix { $0 != "=" }) : word
        return word == "--" || option(name, of: entry) != nil
    }

    private mutating func take(_ words: [String], as entry: CommandEntry) throws(MediaError) {
        var words = words[...]
        for positional in entry.positionals {
            let taken = positional.isRepeatable ? words : words.prefix(1)
            words = words.dropFirst(taken.count)
            let instead = positional.instead.first(where: has)
            guard taken.count >= positional.minimum || instead != nil else {
                throw UsageError.missing(positional, in: entry)
            }
            if let instead, !taken.isEmpty {
                throw UsageError.of(
                    "\(positional.name) and --\(instead.name) exclude each other; give one", in: entry)
            }
            for word in taken {
                positionals.append(try positional.kind.read(word, for: positional.name, in: entry.title))
            }
        }
        guard let extra = words.first else { return }
        let hint = positionals.isEmpty ? "" : "; a name with spaces needs quotes"
        throw UsageError.of("'\(extra)' is one argument too many\(hint)", in: entry)
    }

    private func checkExclusive(_ entry: CommandEntry) throws(MediaError) {
        for group in entry.exclusive {
            let given = group.filter(has)
            guard given.count > 1 else { continue }
            let names = given.map { "--\($0.name)" }.joined(separator: " and ")
            throw UsageError.of("\(names) exclude each other; give one", in: entry)
        }
    }
}

// The options of an export. Values are checked here, before a daemon is contacted.
extension Arguments {
    /// The options of an export that are given; nil if there are none.
    /// - Parameter surroundings: paths are relative to their folder.
    func exportOptions(in surroundings: Surroundings) throws(MediaError) -> ExportOptions? {
        var options = ExportOptions()
        for option in ExportOption.all where has(Option(option)) {
            try option.set(text(Option(option)) ?? "", in: &options, as: "--\(option.name)")
        }
        if let file = options.burnedFile { options.burnSubtitles = surroundings.absolute(file) }
        try options.check(given(.render).flatMap(RenderMode.init(rawValue:)) ?? .auto)
        return options == ExportOptions() ? nil : options
    }

    /// The quality to read of a playlist of several, if given.
    func variant() throws(MediaError) -> String? {
        guard let text = given(.variant) else { return nil }
        var options = ExportOptions()
        try ExportOption.variant.set(text, in: &options, as: "--variant")
        return options.variant
    }
}
