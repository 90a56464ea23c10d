// Parses the options that change what a preset encodes. Values are checked here, before a daemon is contacted.
internal import Media

/// Parses the options over a preset.
enum EncodingWords {
    /// Adds the given options.
    static func read(_ arguments: Arguments, into options: inout RenderOptions) throws(MediaError) {
        for option in Option.encoding + [.fps] {
            guard let text = arguments.given(option), let spelling = OptionSpelling(rawValue: option.name)
            else { continue }
            try spelling.set(text, in: &options, as: "--\(option.name)")
        }
    }
}
