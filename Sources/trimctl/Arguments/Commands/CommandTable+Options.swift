// Every option, defined once: both the commands and the code that reads a value refer to it.
internal import Media

extension Option {
    static let help = Option("help", short: "h", "Show this help and end", heading: .job)
    static let version = Option(
        "version", short: "V",
        "Print the version and end; with --json also the commit, and the worker's FFmpeg with its encoders")

    // The daemon.
    static let socket = Option(
        "socket", value: "PATH", .inputFile,
        "The daemon's socket (otherwise $TRIMD_SOCKET, /run/trimd/trimd.sock, or trimd/trimd.sock in $XDG_RUNTIME_DIR)",
        heading: .job)
    static let standalone = Option(
        "standalone", "Start a private trimd for this command, and end it afterwards: no daemon is needed",
        heading: .job)

    static let sandbox = Option(
        "sandbox", value: "POLICY", .choice(["required", "best-effort"]),
        "With --standalone: whether a worker may read media where the kernel cannot seal it",
        standard: "required", heading: .job)

    // Output format.
    static let json = Option(
        "json", "Print JSON, one object a line; the last line is the result or the error", heading: .job)
    static let progress = Option(
        "progress", value: "HOW", .choice(ProgressStyle.allCases.map(\.rawValue)),
        "How to show progress: a bar on a terminal, plain lines elsewhere, JSON lines, or nothing",
        standard: "auto", heading: .job)

    static let quiet = Option(
        "quiet", short: "q", "Print the output's path alone, no progress and no details",
        heading: .job)
    static let verbose = Option(
        "verbose", short: "v", "Print the job's log to stderr too, once the job has ended",
        heading: .job)

    static let plain = Option("plain", "Print lines on a terminal too, no live view")

    // An export.
    static let output = Option(
        "output", short: "o", value: "OUTPUT", .outputFile,
        "Where to write; in a folder, and without it beside INPUT, as name-trim, with a number if that exists or a job has it; - is standard output",
        heading: .output)
    static let outputType = Option(
        "type", value: "EXT", .fileType,
        "With -o -: the type of what is written, such as ts (otherwise the preset's, or INPUT's)",
        heading: .output)
    static let start = Option("start", value: "T", .time, "Where to begin", standard: "0", heading: .range)
    static let end = Option(
        "end", value: "T", .time, "Where to end, a time of the source; it is not included", standard: "end",
        heading: .range)
    static let duration = Option("duration", value: "T", .time, "How long, instead of --end", heading: .range)
    static let preset = Option(
        "preset", value: "ID", .preset,
        "The preset to export with; `trimctl presets` lists them. Without it, passthrough; a file that cannot be cut so is encoded with highest, "
            + "and so is audio that the file type cannot hold",
        heading: .output)
    static let presetFile = Option(
        "preset-file", value: "FILE", .inputFile, "A preset of your own, as a JSON file", heading: .output)
    static let render = Option(
        "render", value: "WAY", .choice(RenderMode.allCases.map(\.rawValue)),
        "Take samples as stored, encode at the cuts, encode everything, or the cheapest way that is exact",
        standard: RenderMode.auto.rawValue, heading: .output)
    static let snap = Option(
        "snap", value: "TO", .choice(Snap.allCases.map(\.rawValue)),
        "Move both points to the nearest frame boundary first", heading: .range)
    static let round = Option(
        "round", value: "HOW", .choice(CutRounding.allCases.map(\.rawValue)),
        "Where a point goes that lies between two samples of the audio, or with --snap between two frames; the result says so. Otherwise each track is cut at its nearest sample",
        heading: .range)
    static let keep = Option(
        "keep", value: "A..B", .range,
        "A range to keep, instead of --start and --end; given several times, the ranges are joined in this order",
        isRepeatable: true, heading: .range)
    static let remove = Option(
        "remove", value: "A..B", .range,
        "A range to leave out, or interstitials: those of a playlist that are part of it; it may be given several times",
        isRepeatable: true, heading: .range)
    static let keepOnly = Option(
        "keep-only", value: "WHAT", .choice([NamedRanges.program.rawValue]),
        "Of a playlist, leave out all interstitials that are part of it, as --remove interstitials; a film that has none stays whole",
        heading: .range)
    static let toleranceBefore = Option(
        "tolerance-before", value: "T", .tolerance,
        "How far each cut point may move back to a keyframe, so that nothing needs to be encoded; inf: without a limit",
        standard: "0", heading: .range)
    static let toleranceAfter = Option(
        "tolerance-after", value: "T", .tolerance, "How far each cut point may move on to a keyframe",
        standard: "0", heading: .range)
    static let noHidden = Option(
        "no-hidden", "Fail where copied samples would be hidden in the file (--render copy)", heading: .output
    )
    static let strict = Option(
        "strict", "Fail where there would be a warning about the range or damage", heading: .range)
    static let overwrite = Option("overwrite", "Replace OUTPUT if it exists", heading: .output)
    static let dryRun = Option(
        "dry-run",
        "Print what would be done, what copied and what encoded, and how large it would be; do nothing",
        heading: .output)
    static let detach = Option(
        "detach", "Print the job's id and return; `trimctl wait ID` waits for it", heading: .job)
    static let key = Option(
        "key", value: "K", .text,
        "A name for this request: the same request with it again is the same job, and nothing is done twice",
        heading: .job)

    static let priority = Option(
        "priority", value: "N", .count(0...100),
        "Of your jobs that wait, the one with the highest is started first; above 50 is for root and trimd's user",
        standard: "50", heading: .job)

    static let afterJob = Option(
        "after", value: "ID", .job,
        "Run only after this job has completed; where it fails, is cancelled or removed, this one fails",
        isRepeatable: true, heading: .job)
    static let notBefore = Option(
        "not-before", value: "TIME", .future,
        "Do not start before this time: 18:30, +2h, 2026-01-02T18:30 (local time), or with Z at the end (UTC)",
        heading: .job)

    static let needs = Option(
        "needs", value: "TAG", .tags,
        "Only a node that has this tag does it; several with commas, such as gpu,fast (tags in trimd.json)",
        isRepeatable: true, heading: .job)

    // Passthrough tracks and metadata.
    static let chapter = Option(
        "chapter", value: "T=NAME", .chapter,
        "A chapter of the output from this time of the source on, instead of the source's chapters",
        isRepeatable: true, heading: .metadata)
    static let noSeamChapters = Option(
        "no-seam-chapters", "An INPUT without chapters is no chapter of the output", heading: .metadata)
    static let chapterRange = Option(
        "chapter-range", value: "N", .chapterRange,
        "The range is these chapters, such as 2..4, counted from 1, instead of --start and --end",
        heading: .range)

    static let metadata = Option(
        "metadata", value: "K=V", .text,
        "Set an item of the output's metadata, such as title=A film; an empty value leaves the source's out; help lists the keys",
        isRepeatable: true, topic: .metadata, heading: .metadata)
    static let artwork = Option(
        "artwork", value: "PICTURE", .inputFile,
        "A JPEG or PNG image as the output's artwork, instead of the source's", heading: .metadata)
    static let forSharing = Option(
        "for-sharing",
        "Leave out data that identifies a place, a device or a person, such as serial numbers, and dates",
        heading: .metadata)
    static let keepDates = Option("keep-dates", "Keep the dates under --for-sharing", heading: .metadata)
    static let stripMetadata = Option(
        "strip-metadata", "Carry none of the source's metadata over", heading: .metadata)
    static let advanceDate = Option(
        "advance-date", "Move the date of creation on by the in point, to when what is shown was taken",
        heading: .metadata)

    // Inspection.
    static let property = Option(
        "property", value: "NAME", .choice(AssetProperty.allCases.map(\.rawValue)),
        "Ask for this alone; what is not asked for is not looked at", isRepeatable: true)
    static let keyframes = Option("keyframes", "List where playback can begin, in every video track")
    static let checkPreset = Option(
        "preset", value: "ID", .preset, "Check only this preset; the exit code says whether it is valid")
    static let type = Option(
        "type", value: "EXT", .fileType, "The extension the output is to have, such as mp4")

    // Jobs.
    static let limit = Option("limit", value: "N", .count(1...1000), "At most so many jobs", standard: "100")
    static let since = Option(
        "since", value: "T", .moment,
        "From this moment on: 2026-01-02T03:04:05Z, or how long ago (90s, 10m, 2h, 1d)")
    static let follow = Option("follow", short: "f", "Print what is added, until the job has ended")
    static let failed = Option("failed", "All jobs that failed, instead of IDs")
    static let all = Option("all", "All jobs that this can be done to, instead of IDs")
    static let noFollow = Option("no-follow", "End after what has happened so far")
    static let off = Option("off", "Start jobs again, and accept them")
    static let refuse = Option("refuse", "Accept no job either")
    static let node = Option(
        "node", value: "NODE", .text,
        "One of those that share the queue (`trimctl nodes`), not the one that is asked")
    static let exit = Option("exit", "End the daemon when no job is running")
    static let status = Option(
        "status", value: "STATUS", .choice(JobStatus.allCases.map(\.rawValue)), "Only jobs with this status",
        isRepeatable: true)
    static let user = Option(
        "user", value: "USER", .text, "Only this user's jobs, by name or number, of those you may see")
    static let after = Option("after", value: "ID", .job, "Only jobs older than this one: the next page")
}

// The options of an export, from their declarations.
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

    /// The options of an export of which only one of two may be given.
    static let contradictions: [[Option]] = ExportOption.all.flatMap { option in
        ExportOption.all.filter { option.contradicts($0) && option.name < $0.name }
            .map { [Option(option), Option($0)] }
    }
}
