// Names by which people of other programs call the commands and options of this one. Where a name means one thing, it is accepted;
// where it may mean several, the error says which. Two tables of data, and nothing that acts on them. Pure.

/// Another name of a command.
struct CommandAlias: Hashable, Sendable {
    /// The name.
    let word: String
    /// The command that it means; nil: it may mean several, and `hint` says which.
    let command: String?
    /// Advice, where the name is not accepted.
    let hint: String?

    private init(_ word: String, _ command: String) {
        (self.word, self.command, hint) = (word, command, nil)
    }
    private init(_ word: String, hint: String) { (self.word, command, self.hint) = (word, nil, hint) }

    /// The row of a name.
    static func row(of word: String) -> CommandAlias? { all.first { $0.word == word } }

    private static let cancels =
        "`trimctl cancel ID` ends a job and leaves nothing of it; `trimctl hold ID` stops it until it is released"

    /// All rows.
    static let all: [CommandAlias] = [
        CommandAlias("trim", "export"), CommandAlias("cut", "export"), CommandAlias("clip", "export"),
        CommandAlias("encode", "export"), CommandAlias("transcode", "export"),
        CommandAlias("info", "probe"), CommandAlias("inspect", "probe"), CommandAlias("ffprobe", "probe"),
        CommandAlias("queue", "list"), CommandAlias("ps", "list"), CommandAlias("ls", "list"),
        CommandAlias("jobs", "list"), CommandAlias("top", "watch"), CommandAlias("follow", "watch"),
        CommandAlias("pause", "hold"), CommandAlias("resume", "release"), CommandAlias("unpause", "release"),
        CommandAlias("rm", "remove"), CommandAlias("delete", "remove"), CommandAlias("abort", "cancel"),
        CommandAlias("logs", "log"), CommandAlias("preset", "presets"), CommandAlias("screenshot", "frame"),
        CommandAlias("thumbnail", "frame"), CommandAlias("still", "frame"), CommandAlias("compare", "verify"),
        CommandAlias("edit", "modify"), CommandAlias("gui", "page"), CommandAlias("web", "page"),
        CommandAlias("stop", hint: cancels), CommandAlias("kill", hint: cancels),
        CommandAlias("merge", "join"), CommandAlias("concat", "join"),
        CommandAlias(
            "split", hint: "`trimctl batch LIST` exports each range of a list as a file of its own"),
        CommandAlias(
            "start",
            hint: "`trimctl release ID` starts a job that is held, `trimctl retry ID` one that has failed"),
        CommandAlias(
            "import", hint: "`trimctl presets import FILE` reads presets, `trimctl convert LIST` lists"),
    ]
}

/// Another name of an option.
struct OptionAlias: Hashable, Sendable {
    /// The name, with its dashes.
    let spelling: String
    /// The long name of the option that it means; nil: it may mean several, and `hint` says which.
    let option: String?
    /// The value that it stands for; nil: the one that follows it.
    let value: String?
    /// The text before the value that follows it.
    let prefix: String
    /// Advice, where the name is not accepted.
    let hint: String?

    private init(_ spelling: String, is option: String, value: String? = nil, prefix: String = "") {
        (self.spelling, self.option, self.value, self.prefix, hint) = (spelling, option, value, prefix, nil)
    }

    private init(_ spelling: String, hint: String) {
        (self.spelling, option, value, prefix, self.hint) = (spelling, nil, nil, "", hint)
    }

    /// The row of a name.
    static func row(of spelling: some StringProtocol) -> OptionAlias? {
        all.first { $0.spelling == spelling }
    }

    /// All rows.
    static let all: [OptionAlias] = [
        OptionAlias("--from", is: "start"), OptionAlias("--in-point", is: "start"),
        OptionAlias("--begin", is: "start"),
        OptionAlias("--to", is: "end"), OptionAlias("--until", is: "end"),
        OptionAlias("--out-point", is: "end"),
        OptionAlias("--length", is: "duration"),
        OptionAlias("--mute", is: "audio", value: "none"),
        OptionAlias("--no-audio", is: "audio", value: "none"),
        OptionAlias("--no-video", is: "video", value: "none"),
        OptionAlias("--audio-only", is: "video", value: "none"),
        OptionAlias("--no-subtitles", is: "subtitles", value: "none"),
        OptionAlias("--title", is: "metadata", prefix: "title="),
        OptionAlias("--artist", is: "metadata", prefix: "artist="),
        OptionAlias("--comment", is: "metadata", prefix: "comment="),
        OptionAlias("--force", is: "overwrite"), OptionAlias("--replace", is: "overwrite"),
        OptionAlias("--resolution", is: "size"), OptionAlias("--scale", is: "size"),
        OptionAlias("--resize", is: "size"), OptionAlias("--frame-rate", is: "fps"),
        OptionAlias("--framerate", is: "fps"), OptionAlias("--vcodec", is: "video-codec"),
        OptionAlias("--acodec", is: "audio-codec"), OptionAlias("--video-bitrate", is: "bitrate"),
        OptionAlias("--cover", is: "artwork"),
        OptionAlias("--background-color", is: "background"),
        OptionAlias("--out", hint: "-o names the output, and --end says where the range ends"),
        OptionAlias(
            "--format",
            hint:
                "the extension of OUTPUT says the file type, as in -o out.mkv; --type says it for -o - alone"),
        OptionAlias(
            "--container",
            hint:
                "the extension of OUTPUT says the file type, as in -o out.mkv; --type says it for -o - alone"),
        OptionAlias(
            "--volume", hint: "--loudness -16 sets the level that is heard; --audio none leaves the audio out"
        ),
        OptionAlias("--gain", hint: "--loudness -16 sets the level that is heard"),
        OptionAlias("--codec", hint: "--video-codec and --audio-codec name one each; --preset names both"),
        OptionAlias(
            "--fast", hint: "without --preset only the ends are encoded; --render copy encodes nothing"),
        OptionAlias(
            "--lossless",
            hint: "--render copy keeps all as it is stored; without --preset only the ends are encoded"),
        OptionAlias(
            "--copy",
            hint: "--render copy keeps all as it is stored; without --preset only the ends are encoded"),
    ]
}
