// Options of one export beyond its preset. A value; every option may be missing, and then the preset and the asset decide. Each
// is a property and a declaration in `ExportOption.all`; there is no other list of them.
public import MediaTime
public import Text

/// Options of one export beyond its preset.
public struct ExportOptions: Hashable, Sendable {
    /// The background of transparent frames if the output has no alpha: `black` (if nil), `white` or `#rrggbb`; or
    /// ``refusedGround``.
    public var background: String?
    /// The output's constant frame rate, in frames per second; nil: the source's timing.
    public var frameRate: Ratio?
    /// How to treat HDR if the preset has 8 bits.
    public var hdr: HDRChoice?
    /// The video track: `default`, `none`, or a list as for `audio`, whose first matching track is used.
    public var video: String?
    /// The audio tracks: `all`, `default`, `none`, or a comma-separated list of track numbers, languages and characteristics
    /// (``TrackChoice``).
    public var audio: String?
    /// The subtitle tracks, as for `audio`.
    public var subtitles: String?
    /// The subtitles that are drawn on the frames: a track, as for `audio`, the first that matches; or a file (``burnedFile``).
    public var burnSubtitles: String?
    /// Integrated loudness of the audio, in LUFS (EBU R128), -70 to -5.
    public var loudness: Double?
    /// Maximum bytes of the output.
    public var limitSize: Int64?
    /// Whether to encode in two passes; nil: only if the size is limited.
    public var twoPass: Bool?
    /// Whether an output that is not smaller than the source is an error.
    public var onlyIfSmaller: Bool?
    /// Whether the index precedes the media, overriding the preset.
    public var optimize: Bool?
    /// Constant quality of the video, by its encoder's own scale, 0 (best) to 63.
    public var crf: Double?
    /// Average bits per second of the video, instead of a quality.
    public var bitRate: Int?
    /// The box that frames must fit into, instead of the preset's.
    public var size: FrameBox?
    /// The video codec, instead of the preset's.
    public var videoCodec: VideoCodecChoice?
    /// Bits per second of each audio track, whatever its channels.
    public var audioBitRate: Int?
    /// The audio codec, instead of the preset's.
    public var audioCodec: AudioCodecChoice?
    /// The part of the displayed frame that is kept.
    public var crop: FrameCrop?
    /// Degrees clockwise by which frames are rotated, after the crop: 90, 180 or 270.
    public var rotate: Int?
    /// How interlaced frames are treated; nil: as ``Deinterlacing/auto``.
    public var deinterlace: Deinterlacing?
    /// The playback speed, 1/2 to 4; the pitch of the audio is kept.
    public var speed: Ratio?
    /// Whether every run with the same builds of trimd, FFmpeg and the encoders writes the same bytes; nil: encoders may use several threads.
    public var reproducible: Bool?
    /// The quality to read where the source is a playlist of several, as in ``VariantChoice``; nil: the highest.
    public var variant: String?

    /// The `background` that makes a preset without alpha not valid for transparent video.
    public static let refusedGround = "refuse"

    /// How HDR is treated if the preset has 8 bits.
    public enum HDRChoice: String, Hashable, Codable, Sendable, CaseIterable {
        /// It is tone-mapped to SDR, with a warning.
        case tonemap
        /// The preset is not valid.
        case refuse
    }

    /// Creates options without a choice.
    public init() {}

    /// Whether a text is a background, or refuses transparency.
    public static func isGround(_ spelling: String) -> Bool {
        spelling == refusedGround || color(spelling) != nil
    }

    /// A background colour as `rrggbb`; nil if it is not a colour.
    public static func color(_ spelling: String) -> String? {
        switch spelling {
        case "black": return "000000"
        case "white": return "ffffff"
        default:
            let digits = spelling.dropFirst()
            guard spelling.hasPrefix("#"), digits.utf8.count == 6, digits.allSatisfy(\.isHexDigit) else {
                return nil
            }
            return digits.lowercased()
        }
    }
}

// When the subtitles to draw are a file, and not a track of the film. Pure.
extension ExportOptions {
    /// The ends of the names of subtitle files.
    public static let subtitleTypes = ["srt", "ass", "ssa", "vtt"]
    /// The rule for people, as the end of a sentence.
    public static let subtitleFileRule = "a name with a / in it, or one that ends in .srt, .ass, .ssa or .vtt"

    /// The path of the file whose subtitles are drawn; nil: none, or a track's. No language and no number has a slash or such an end.
    public var burnedFile: String? {
        burnSubtitles.flatMap { ExportOptions.isSubtitleFile($0) ? $0 : nil }
    }

    /// Whether a value of `burnSubtitles` is the path of a file.
    public static func isSubtitleFile(_ value: String) -> Bool {
        if value.utf8.contains(UInt8(ascii: "/")) { return true }
        let name = value.lowercased()
        return subtitleTypes.contains { name.hasSuffix("." + $0) }
    }
}

// Which tracks the options of an export change, so that they are encoded, and which options contradict each other or the render
// mode. Pure.
extension ExportOptions {
    /// The first option that changes frames, by its name; nil: none does.
    public var videoChange: String? { change(of: .video) }

    /// The first option that changes audio, by its name; nil: none does.
    public var audioChange: String? { change(of: .audio) }

    private func change(of subject: ExportOption.Subject) -> String? {
        ExportOption.all.first { $0.changes.contains(subject) && $0.isGiven(in: self) }?.name
    }

    /// Throws where options contradict each other, or the render mode; whatever the preset and the asset.
    public func check(_ render: RenderMode) throws(MediaError) {
        func contradiction(_ message: String, _ remedy: String) -> MediaError {
            MediaError(.invalidRequest, message, remedy: remedy)
        }
        if crf != nil, bitRate != nil {
            throw contradiction(
                "a quality (crf) and an average rate (bitrate) exclude each other", "give one of them")
        }
        if let video, let audio, TrackChoice(video) == TrackChoice.none,
            TrackChoice(audio) == TrackChoice.none
        {
            throw contradiction(
                "neither video nor audio is to be exported", "leave out --video none or --audio none")
        }
        if deinterlace == .field, frameRate != nil {
            throw contradiction(
                "a frame for each field and a constant frame rate (fps) exclude each other",
                "give one of them")
        }
        let copies = "--render \(render.rawValue) takes samples as they are stored"
        let remedy = "leave out --render, or the option"
        if render == .copy || render == .smart, let option = videoChange {
            throw contradiction("\(copies), and --\(option) changes the video", remedy)
        }
        if render == .copy, let option = audioChange {
            throw contradiction("\(copies), and --\(option) changes the audio", remedy)
        }
    }
}

extension ExportOptions {
    /// These options, with those of a whole list where these leave one open.
    public func completed(by others: ExportOptions) -> ExportOptions {
        var all = self
        for option in ExportOption.all { option.complete(&all, by: others) }
        return all
    }
}

extension ExportOptions: Codable, StrictDecodable {
    /// Decodes every option.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: JSONKey.self)
        for option in ExportOption.keyed { try option.decode(values, into: &self) }
    }

    /// Encodes the options that are given.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: JSONKey.self)
        for option in ExportOption.keyed { try option.encode(self, to: &values) }
    }

    /// Throws for the first value that an option may not have.
    public func validate() throws(InvalidValue) {
        for option in ExportOption.keyed { try option.validate(self) }
    }
}

extension ExportOption {
    /// Every option, in the order of help.
    public static let all: [ExportOption] = [
        video, audio, subtitles, background, frameRate, hdr, loudness, limitSize, twoPass, onePass,
        onlyIfSmaller, optimize, reproducible, videoCodec, crf, bitRate, size, audioCodec, audioBitRate,
        crop, rotate, deinterlace, speed, burnSubtitles, variant,
    ]

    /// An option for each key in JSON.
    static let keyed = all.filter { $0 != onePass }

    static let video = ExportOption(
        "video", \.video, .tracks("default, none, a number or a language"), as: "TRACK",
        "Which video track: default, none, or a number, a language or what it is for, as for audio tracks",
        standard: "default", of: .video, for: .checks)
    static let audio = ExportOption(
        "audio", \.audio, .tracks("all, default, none, or a list such as eng,3"), as: "TRACKS",
        "Which audio tracks: all, default, none, or a list such as eng,3 of track numbers, languages and what they are for (\(TrackChoice.characteristics.map(\.name).joined(separator: ", ")))",
        standard: "all", of: .audio, for: .checks)
    static let subtitles = ExportOption(
        "subtitles", \.subtitles, .tracks("all, default, none, or a list such as eng,3"), as: "TRACKS",
        "Which subtitle tracks, as for audio tracks, such as eng,forced",
        standard: "all", of: .video, for: .checks)
    static let background = ExportOption(
        "background", \.background,
        .texts(
            "a colour", rule: "black, white, #rrggbb or refuse", examples: "black, white, #rrggbb or refuse",
            pattern: "^(black|white|refuse|#[0-9A-Fa-f]{6})$", ExportOptions.isGround), as: "COLOR",
        "Colour that transparent video is composited over where the preset has no alpha: black, white, #rrggbb, or refuse",
        standard: "black", of: .video, for: .checks)
    static let frameRate = ExportOption(
        "fps", key: "frameRate", \.frameRate,
        .ratios(
            "a frame rate", 1...240, rule: "1 to 240", examples: "25, 29.97 or 30000/1001",
            TimecodeRate.frameRate), as: "RATE",
        "A constant frame rate, such as 25 or 30000/1001 (otherwise the source's timing)",
        of: .video, changes: [.video], for: [.lists, .checks])
    static let hdr = ExportOption(
        "hdr", \.hdr, .choices("a way to convert HDR"), as: "HOW",
        "Conversion of HDR where a preset has 8 bits", standard: ExportOptions.HDRChoice.tonemap.rawValue,
        of: .video, for: .checks)
    static let loudness = ExportOption(
        "loudness", \.loudness,
        .numbers(
            "a loudness", -70 ... -5, " LUFS", examples: "-16 for the web, -23 for broadcasting"), as: "LUFS",
        "Normalize the audio to this loudness (EBU R128), such as -16", of: .audio, changes: [.audio],
        for: .checks)
    static let limitSize = ExportOption(
        "limit-size", key: "limitSize", \.limitSize,
        .bytes(atLeast: 1024, examples: "bytes, or 25M, 25MB or 1.5G"), as: "BYTES",
        "The output may have at most so many bytes, such as 25M", of: .output, for: .checks)
    static let twoPass = ExportOption(
        "two-pass", key: "twoPass", \.twoPass, .flag(true),
        "Encode the video in two passes; the default with a limited size, otherwise it needs a preset with an average rate",
        of: .video, for: .checks, excludes: ["one-pass"])
    static let onePass = ExportOption(
        "one-pass", key: "twoPass", \.twoPass, .flag(false),
        "Encode the video in one pass, with a limited size too", of: .video, for: .checks)
    static let onlyIfSmaller = ExportOption(
        "only-if-smaller", key: "onlyIfSmaller", \.onlyIfSmaller, .flag(true),
        "Fail, and write nothing, where the output would not be smaller than INPUT", of: .output)
    static let optimize = ExportOption(
        "optimize", \.optimize, .flag(true),
        "Put the index before the media, so that players can begin before all is loaded", of: .output)
    static let reproducible = ExportOption(
        "reproducible", \.reproducible, .flag(true),
        "Write the same bytes in every run with this build and these versions of FFmpeg: encoders use one thread each, which can be slower",
        of: .output)
    static let videoCodec = ExportOption(
        "video-codec", key: "videoCodec", \.videoCodec, .choices("a video codec"), as: "CODEC",
        "The video codec, instead of the preset's", of: .video, changes: [.video], for: [.lists, .checks])
    static let crf = ExportOption(
        "crf", \.crf, .numbers("a quality", 0...63, examples: "20; less is better"), as: "N",
        "The video's constant quality, on its encoder's own scale: 0 (best) to 51 for H.264 and HEVC, to 63 for AV1 and VP9",
        of: .video, changes: [.video], for: [.lists, .checks], excludes: ["bitrate"])
    static let bitRate = ExportOption(
        "bitrate", key: "bitRate", \.bitRate, .rates(1000...1_000_000_000, examples: "5M or 800k"),
        as: "RATE",
        "The video's average bits a second, such as 5M or 800k, instead of a quality",
        of: .video, changes: [.video], for: [.lists, .checks])
    static let size = ExportOption(
        "size", \.size,
        .spelled(
            "a size of at least 16 pixels a side", examples: "1280x720, or 720 or 720p for that many lines",
            pattern: "^([0-9]{2,5}x[0-9]{2,5}|[0-9]{2,5}p)$", FrameBox.init), as: "WxH",
        "The box that frames must fit into, such as 1280x720, 720p or 720, instead of the preset's; it turns for portrait video and never enlarges",
        of: .video, changes: [.video], for: [.lists, .checks])
    static let audioCodec = ExportOption(
        "audio-codec", key: "audioCodec", \.audioCodec, .choices("an audio codec"), as: "CODEC",
        "The audio codec, instead of the preset's", of: .audio, changes: [.audio], for: [.lists, .checks])
    static let audioBitRate = ExportOption(
        "audio-bitrate", key: "audioBitRate", \.audioBitRate, .rates(8000...2_000_000, examples: "128k"),
        as: "RATE",
        "Bits a second of each audio track, such as 128k, whatever its channels",
        of: .audio, changes: [.audio], for: [.lists, .checks])
    static let crop = ExportOption(
        "crop", \.crop,
        .spelled(
            "a rectangle of at least 16 pixels a side", examples: "W:H:X:Y, such as 640:480:0:120, or W:H",
            pattern: "^[0-9]{2,5}:[0-9]{2,5}(:[0-9]{1,5}:[0-9]{1,5})?$", FrameCrop.init), as: "W:H:X:Y",
        "The part of the frame to keep, in pixels as a player shows them; W:H is its middle; it comes before rotation and resizing",
        of: .video, changes: [.video], for: [.lists, .checks, .comparisons])
    static let rotate = ExportOption(
        "rotate", \.rotate, .turns, as: "DEGREES",
        "Turn the video clockwise by 90, 180 or 270, or right or left, after cropping and before resizing",
        of: .video, changes: [.video], for: [.lists, .checks, .comparisons])
    static let deinterlace = ExportOption(
        "deinterlace", \.deinterlace, .choices("a way to deinterlace"), as: "HOW",
        "The form of interlaced frames: one frame for two fields, as they are, or a frame for each field at twice the rate",
        standard: Deinterlacing.auto.rawValue, of: .video, changes: [.video],
        for: [.lists, .checks, .comparisons])
    static let speed = ExportOption(
        "speed", \.speed,
        .ratios(
            "a speed", PlaybackSpeed.all, rule: "0.5 to 4", none: Ratio(1), examples: "1.5, 2x or 3/2",
            PlaybackSpeed.parse),
        as: "FACTOR",
        "Play faster or slower, 0.5 to 4, with the pitch of the audio kept; all times stay times of the source",
        of: .video, changes: [.video, .audio], for: [.lists, .checks, .comparisons])
    static let burnSubtitles = ExportOption(
        "burn-subtitles", key: "burnSubtitles", \.burnSubtitles,
        .tracksOrFile(
            "subtitles to draw",
            examples: "a track's number or language, default, or a file such as words.srt"),
        as: "TRACK|FILE",
        "Draw subtitles on the frames: a track by its number, language or use, of which the output has no track then; or a file of your own, \(ExportOptions.subtitleFileRule), with times of the source, in UTF-8, or UTF-16 with a byte order mark",
        of: .video, changes: [.video], for: [.lists, .checks])
    /// The variant of a playlist.
    public static let variant = ExportOption(
        "variant", \.variant,
        .texts(
            "a variant of a playlist", rule: "highest, lowest, a number or a size",
            examples: "highest, lowest, its number or its size, such as 1280x720"
        ) { VariantChoice($0) != nil }, as: "WHICH",
        "Of a playlist of several qualities: highest, lowest, its number in the list, or the size of its frames, such as 1280x720",
        standard: "highest", of: .video, for: [.lists, .checks, .comparisons])
}
