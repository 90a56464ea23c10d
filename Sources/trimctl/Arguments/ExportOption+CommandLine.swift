// The options of an export on the command line, from their declarations. Values are checked here, before a daemon is contacted.
internal import Media

extension Option {
    /// An option of an export.
    init(_ option: ExportOption) {
        let kind: ValueKind =
            switch option.form {
            case .flag, .text: .text
            case .choice(let words): .choice(words)
            case .file: .inputFile
            }
        let heading: OptionHeading =
            switch option.subject {
            case .output: .output
            case .video: .video
            case .audio: .audio
            }
        self.init(
            option.name, value: option.valueName, kind, option.help, standard: option.standard,
            heading: heading)
    }

    static let variant = Option(.variant)

    /// All options of an export.
    static let export = ExportOption.all.map(Option.init)

    /// The options of an export that can be given elsewhere too.
    static func export(for use: ExportOption.Use) -> [Option] {
        ExportOption.all.filter { $0.uses.contains(use) }.map(Option.init)
    }

    /// The options of an export that contradict each other.
    static let contradictions: [[Option]] = ExportOption.all.flatMap { option in
        ExportOption.all.filter { option.excludes.contains($0.name) && option.name < $0.name }
            .map { [Option(option), Option($0)] }
    }
}

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
