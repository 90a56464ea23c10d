// The completions of a value, from its kind in the command table.
internal import Media

/// The completions of a value.
enum CompletionKind: Hashable, Sendable {
    /// None: a time, a title.
    case nothing
    /// Files.
    case files
    /// A set of values.
    case words([String])
    /// The available presets.
    case presets
    /// The existing jobs.
    case jobs

    /// The completions for a kind of value.
    init(_ kind: ValueKind) {
        switch kind {
        case .inputFile, .outputFile: self = .files
        case .choice(let words): self = .words(words)
        case .fileType: self = .words(FileType.allCases.map(\.rawValue))
        case .shard: self = .words(["auto"])
        case .preset: self = .presets
        case .job, .jobs: self = .jobs
        default: self = .nothing
        }
    }
}

extension CommandEntry {
    /// The spellings excluded after an option: its own, unless it may repeat, and those it excludes.
    func excluded(by option: Option) -> [String] {
        let others = exclusive.filter { $0.contains(option) }.flatMap { $0 }.filter { $0 != option }
        var seen: Set<String> = []
        return ((option.mayRecur ? [] : option.spellings) + others.flatMap(\.spellings))
            .filter { seen.insert($0).inserted }
    }
}
