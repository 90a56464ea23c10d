// What a shell completes a value with, told from its kind in the command table.
internal import Media

/// What a shell completes a value with.
enum CompletionKind: Hashable, Sendable {
    /// Nothing that could be guessed: a time, a title.
    case nothing
    /// Files.
    case files
    /// One of a few words.
    case words([String])
    /// The presets there are.
    case presets
    /// The jobs there are.
    case jobs

    /// What a value of that kind is completed with.
    init(_ kind: ValueKind) {
        switch kind {
        case .inputFile, .outputFile: self = .files
        case .choice(let words): self = .words(words)
        case .fileType: self = .words(FileType.allCases.map(\.rawValue))
        case .preset: self = .presets
        case .job: self = .jobs
        default: self = .nothing
        }
    }
}

extension CommandEntry {
    /// Every spelling that must not come after an option: its own, unless it may repeat, and those it excludes.
    func excluded(by option: Option) -> [String] {
        let others = exclusive.filter { $0.contains(option) }.flatMap { $0 }.filter { $0 != option }
        var seen: Set<String> = []
        return ((option.isRepeatable ? [] : option.spellings) + others.flatMap(\.spellings))
            .filter { seen.insert($0).inserted }
    }
}
