// StandardStreams: which files of an export are `-`, and whether its other options go with that. Pure but for the question whether a
// stream is a terminal.
internal import Media

/// The standard streams of an export.
struct StandardStreams: Hashable, Sendable {
    /// INPUT is standard input.
    let readsInput: Bool
    /// OUTPUT is standard output.
    let writesOutput: Bool

    /// How `-` is written.
    static let word = "-"
    /// Paths of standard input, which are trimd's own there.
    private static let paths = [word, "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"]

    /// The streams of a command line; only what exports has some.
    init(_ arguments: Arguments) {
        let exports = [CommandTable.export, CommandTable.join].contains(arguments.entry)
        readsInput = exports && arguments.texts.contains(where: Self.paths.contains)
        writesOutput = exports && arguments.given(.output) == Self.word
    }

    /// Whether there is one.
    var areUsed: Bool { readsInput || writesOutput }

    /// Throws if the other options do not go with it.
    func check(_ arguments: Arguments, in surroundings: Surroundings) throws(MediaError) {
        if arguments.has(.outputType), !writesOutput {
            throw UsageError.of(
                "--type is for -o -", remedy: "otherwise the extension of OUTPUT says it: -o cut.ts")
        }
        guard areUsed else { return }
        if arguments.texts.count > 1, readsInput || arguments.entry != CommandTable.join {
            throw UsageError.of(
                readsInput
                    ? "standard input (-) is one INPUT, and there are \(arguments.texts.count)"
                    : "standard output (-o -) takes one export, and there are \(arguments.texts.count) inputs",
                remedy: "give one INPUT")
        }
        for option in [Option.detach, .key] where arguments.has(option) {
            throw UsageError.of(
                "--\(option.name) cannot be with \(readsInput ? "- as INPUT" : "-o -")",
                remedy:
                    "what is piped lives as long as this command: name files, or leave --\(option.name) out")
        }
        if readsInput {
            if !arguments.has(.output) {
                throw UsageError.of(
                    "standard input has no name that OUTPUT could be named after",
                    remedy: "name it: -o cut.mp4, or -o - for standard output")
            }
            if Terminal.isTerminal(surroundings.input) {
                throw UsageError.of(
                    "standard input is a terminal",
                    remedy: "pipe a film into it: curl -fL URL | trimctl export - -o cut.mp4")
            }
        }
        if writesOutput, !arguments.has(.dryRun), Terminal.isTerminal(surroundings.output) {
            throw UsageError.of(
                "standard output is a terminal",
                remedy: "pipe it into a program, or write to a file: trimctl export … -o - > cut.mp4")
        }
    }
}
