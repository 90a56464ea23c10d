// Options of other programs that people type out of habit, and the option here that does the same. A table of data: the parser asks
// it about an option that a command does not know. It knows no command; a row names options, and the first that the command has
// is suggested. Pure.

/// An option of another program.
struct ForeignOption: Hashable, Sendable {
    /// The programs whose users type it.
    enum Program: String, Hashable, Sendable {
        case ffmpeg, HandBrakeCLI
    }

    /// Its name with dashes, as typed.
    let spelling: String
    /// The program that it comes from.
    let program: Program
    /// Only with this value, such as `copy`; nil: with any.
    let value: String?
    /// The long names of the options here that do the same, the best first; empty: there is none, and `advice` says why.
    let same: [String]
    /// Whether it is all of them, not the first alone: a filter is one of many options here.
    let isGroup: Bool
    /// Further advice: how to write the value, or what to do without an option.
    let advice: String?

    init(
        _ spelling: String, _ program: Program = .ffmpeg, value: String? = nil, is same: [String] = [],
        _ advice: String? = nil, isGroup: Bool = false
    ) {
        self.spelling = spelling
        self.program = program
        self.value = value
        self.same = same
        self.advice = advice
        self.isGroup = isGroup
    }

    /// An option without a counterpart.
    private init(_ spelling: String, _ program: Program = .ffmpeg, none advice: String) {
        self.init(spelling, program, is: [], advice)
    }

    /// An option that is one of several here.
    private init(_ spelling: String, isOneOf group: [String], _ advice: String? = nil) {
        self.init(spelling, is: group, advice, isGroup: true)
    }

    /// The row of an option that some command does not know, with the word after it.
    static func row(of word: String, before next: String?) -> ForeignOption? {
        let cut = word.firstIndex(of: "=") ?? word.endIndex
        let (spelling, attached) = (word[..<cut], word[cut...].dropFirst())
        let value = attached.isEmpty ? next : String(attached)
        return all.first { $0.spelling == spelling && ($0.value == nil || $0.value == value) }
    }

    /// The remedy for a command with these options; nil if the command has none that does the same.
    func remedy(among options: [Option]) -> String? {
        guard !same.isEmpty else { return advice }
        let known = same.filter { name in options.contains { $0.name == name } }.map { "--\($0)" }
        guard let best = known.first else { return nil }
        let typed = spelling + (value.map { " \($0)" } ?? "")
        let named = "\(program.rawValue)'s \(typed) is \(isGroup ? known.spoken : best) here"
        return advice.map { "\(named): \($0)" } ?? named
    }

    private static let exact = "leave it out: every cut here is exact"
    private static let quietly = "results go to stdout, progress to stderr"
    private static let stored = "--render copy; without it only the ends are encoded"
    private static let pictures = ["size", "crop", "rotate", "deinterlace", "speed", "fps", "hdr"]
    private static let sounds = ["speed", "loudness"]

    /// All rows. Where a spelling has several, the one with a value comes first.
    static let all: [ForeignOption] = [
        // Files.
        ForeignOption("-i", none: "name INPUT without an option: trimctl export in.mp4"),
        ForeignOption("-y", is: ["overwrite"], "nothing is replaced without it"),
        ForeignOption("-n", none: "leave it out: nothing is replaced without --overwrite"),
        ForeignOption("-f", is: ["type"], "for -o -; otherwise the extension of OUTPUT says it"),
        // The range.
        ForeignOption("-ss", is: ["start", "at"], "a time of the source, before or after INPUT"),
        ForeignOption("-sseof", is: ["start", "at"], "write --start -30 for the last 30 seconds"),
        ForeignOption("-to", is: ["end"], "a time of the source"),
        ForeignOption("-t", is: ["duration"], "how long the output is to be"),
        ForeignOption("-accurate_seek", none: exact), ForeignOption("-noaccurate_seek", none: exact),
        ForeignOption("-copyts", none: "leave it out: the output begins at 0"),
        ForeignOption("-avoid_negative_ts", none: "leave it out: the output begins at 0"),
        ForeignOption("-frames:v", none: "`trimctl frame` takes a picture; `--duration 250f` is 250 frames"),
        ForeignOption("-vframes", none: "`trimctl frame` takes a picture; `--duration 250f` is 250 frames"),
        // Codecs.
        ForeignOption("-c", value: "copy", is: ["render"], stored),
        ForeignOption("-codec", value: "copy", is: ["render"], stored),
        ForeignOption("-c:v", value: "copy", is: ["render"], stored),
        ForeignOption("-vcodec", value: "copy", is: ["render"], stored),
        ForeignOption("-c:a", value: "copy", is: ["render"], stored),
        ForeignOption("-acodec", value: "copy", is: ["render"], stored),
        ForeignOption("-c", is: ["video-codec", "preset"]),
        ForeignOption("-codec", is: ["video-codec", "preset"]),
        ForeignOption("-c:v", is: ["video-codec", "preset"]),
        ForeignOption("-vcodec", is: ["video-codec", "preset"]),
        ForeignOption("-c:a", is: ["audio-codec", "preset"]),
        ForeignOption("-acodec", is: ["audio-codec", "preset"]),
        ForeignOption("-c:s", is: ["subtitles"], "they are copied, or translated to what OUTPUT holds"),
        ForeignOption("-crf", is: ["crf", "preset"]),
        ForeignOption("-q:v", is: ["crf", "preset"]), ForeignOption("-qscale", is: ["crf", "preset"]),
        ForeignOption("-b:v", is: ["bitrate", "preset"]), ForeignOption("-b", is: ["bitrate", "preset"]),
        ForeignOption("-b:a", is: ["audio-bitrate", "preset"]),
        ForeignOption("-ab", is: ["audio-bitrate", "preset"]),
        ForeignOption(
            "-preset", is: ["preset"],
            "it names what to make, such as m4v720; how slowly an encoder works is part of it"),
        ForeignOption("-tune", is: ["preset"]), ForeignOption("-profile:v", is: ["preset"]),
        ForeignOption("-level", is: ["preset"]), ForeignOption("-pix_fmt", is: ["preset"]),
        ForeignOption("-g", is: ["preset"]), ForeignOption("-maxrate", is: ["preset"]),
        ForeignOption("-bufsize", is: ["preset"]), ForeignOption("-ar", is: ["preset"]),
        ForeignOption("-ac", is: ["preset"]),
        ForeignOption("-pass", is: ["two-pass"], "both passes are one command"),
        ForeignOption("-fs", is: ["limit-size"]),
        // Pictures and sound.
        ForeignOption("-r", is: ["fps"]),
        ForeignOption("-s", is: ["size", "preset"], "never larger than the source"),
        ForeignOption("-vf", isOneOf: pictures), ForeignOption("-filter:v", isOneOf: pictures),
        ForeignOption("-filter_complex", is: ["keep"], "parts are joined by --keep A..B --keep C..D"),
        ForeignOption("-af", isOneOf: sounds), ForeignOption("-filter:a", isOneOf: sounds),
        // Tracks and metadata.
        ForeignOption("-an", is: ["audio"], "--audio none"),
        ForeignOption("-vn", is: ["video"], "--video none, or --preset m4a"),
        ForeignOption("-sn", is: ["subtitles"], "--subtitles none"),
        ForeignOption("-dn", none: "leave it out: the result lists the tracks that are left out"),
        ForeignOption("-map", isOneOf: ["video", "audio", "subtitles"], "by number or language"),
        ForeignOption("-metadata", is: ["metadata"], "--metadata title=NAME"),
        ForeignOption("-map_metadata", is: ["strip-metadata"], "metadata is copied without it"),
        ForeignOption("-map_chapters", is: ["chapter-range"], "the chapters of the range are kept"),
        ForeignOption("-movflags", is: ["optimize"], "for +faststart"),
        // The program.
        ForeignOption("-hide_banner", none: "leave it out: there is no banner"),
        ForeignOption("-nostdin", none: "leave it out: nothing is read from the terminal"),
        ForeignOption("-loglevel", is: ["quiet", "progress"], quietly),
        ForeignOption("-stats", is: ["progress"], quietly),
        ForeignOption("-nostats", is: ["progress"], quietly),
        ForeignOption("-progress", is: ["progress"], "--progress json prints JSON lines"),
        ForeignOption(
            "-threads", none: "leave it out: `processors` and `threads` in trimd.json set limits"),
        ForeignOption("-re", none: "leave it out: files are read as fast as they can be"),
        // HandBrake.
        ForeignOption("--input", .HandBrakeCLI, none: "name INPUT without an option: trimctl export in.mp4"),
        ForeignOption(
            "--start-at", .HandBrakeCLI, is: ["start"], "--start 1:10, or --start 250f for a frame"),
        ForeignOption(
            "--stop-at", .HandBrakeCLI, is: ["duration"],
            "--stop-at counts from the start, as --duration does"),
        ForeignOption("--chapters", .HandBrakeCLI, is: ["chapter-range"], "--chapter-range 2..4"),
        ForeignOption("-Z", .HandBrakeCLI, is: ["preset"], "`trimctl presets` lists them"),
        ForeignOption("--preset-list", .HandBrakeCLI, none: "`trimctl presets` lists them"),
        ForeignOption("--preset-import-file", .HandBrakeCLI, is: ["preset-file"]),
        ForeignOption("--encoder", .HandBrakeCLI, is: ["video-codec", "preset"]),
        ForeignOption("--quality", .HandBrakeCLI, is: ["crf", "preset"]),
        ForeignOption("--vb", .HandBrakeCLI, is: ["bitrate", "preset"]),
        ForeignOption("--aencoder", .HandBrakeCLI, is: ["audio-codec", "preset"]),
        ForeignOption("--ab", .HandBrakeCLI, is: ["audio-bitrate", "preset"]),
        ForeignOption("--rate", .HandBrakeCLI, is: ["fps"]),
        ForeignOption("--width", .HandBrakeCLI, is: ["size", "preset"]),
        ForeignOption("--height", .HandBrakeCLI, is: ["size", "preset"]),
        ForeignOption("--maxWidth", .HandBrakeCLI, is: ["size", "preset"]),
        ForeignOption("--maxHeight", .HandBrakeCLI, is: ["size", "preset"]),
        ForeignOption("--multi-pass", .HandBrakeCLI, is: ["two-pass"]),
    ]
}
