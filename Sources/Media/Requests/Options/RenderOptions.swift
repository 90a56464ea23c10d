// Options of one export beyond its preset. A value; every option may be missing, and then the preset and the asset decide.
public import MediaTime
internal import Text

/// Options of one export beyond its preset.
public struct RenderOptions: Hashable, Codable, Sendable {
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
    @SpelledPathIfAny public var burnSubtitles: String? = nil
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

    enum CodingKeys: String, CodingKey, CaseIterable {
        case background, frameRate, hdr, video, audio, subtitles, loudness, limitSize, twoPass, onlyIfSmaller
        case optimize, crf, bitRate, size, videoCodec, audioBitRate, audioCodec, crop, rotate, deinterlace
        case speed, reproducible, burnSubtitles, variant
    }

    /// Decodes and checks.
    public init(from decoder: any Decoder) throws {
        let values = try StrictKeys(decoder, CodingKeys.self)
        background = try values.may(.background, String.self)
        frameRate = try values.may(.frameRate, Ratio.self)
        hdr = try values.may(.hdr, HDRChoice.self)
        video = try values.may(.video, String.self)
        audio = try values.may(.audio, String.self)
        subtitles = try values.may(.subtitles, String.self)
        burnSubtitles = try values.pathIfAny(.burnSubtitles)
        loudness = try values.may(.loudness, Double.self)
        limitSize = try values.may(.limitSize, Int64.self)
        twoPass = try values.may(.twoPass, Bool.self)
        onlyIfSmaller = try values.may(.onlyIfSmaller, Bool.self)
        optimize = try values.may(.optimize, Bool.self)
        crf = try values.may(.crf, Double.self)
        bitRate = try values.may(.bitRate, Int.self)
        size = try values.may(.size, FrameBox.self)
        videoCodec = try values.may(.videoCodec, VideoCodecChoice.self)
        audioBitRate = try values.may(.audioBitRate, Int.self)
        audioCodec = try values.may(.audioCodec, AudioCodecChoice.self)
        crop = try values.may(.crop, FrameCrop.self)
        rotate = try values.may(.rotate, Int.self)
        deinterlace = try values.may(.deinterlace, Deinterlacing.self)
        speed = try values.may(.speed, Ratio.self)
        reproducible = try values.may(.reproducible, Bool.self)
        variant = try values.may(.variant, String.self)
        if let variant, VariantChoice(variant) == nil {
            throw values.wrong(.variant, "is '\(variant)', and must be highest, lowest, a number or a size")
        }
        if let background, !RenderOptions.isGround(background) {
            throw values.wrong(.background, "is '\(background)', and must be black, white, #rrggbb or refuse")
        }
        if let frameRate, !(1...240 ~= frameRate.value) {
            throw values.wrong(.frameRate, "is \(frameRate), and must be 1 to 240")
        }
        if let loudness, !(-70 ... -5 ~= loudness) {
            throw values.wrong(.loudness, "is \(loudness), and must be -70 to -5 LUFS")
        }
        if let limitSize, limitSize < 1024 {
            throw values.wrong(.limitSize, "is \(limitSize), and must be at least 1024 bytes")
        }
        if let crf, !(RenderOptions.qualities ~= crf) {
            throw values.wrong(.crf, "is \(crf), and must be 0 to 63")
        }
        if let bitRate, !(RenderOptions.bitRates ~= bitRate) {
            throw values.wrong(.bitRate, "is \(bitRate), and must be 1000 to 1000000000 bits a second")
        }
        if let audioBitRate, !(RenderOptions.audioBitRates ~= audioBitRate) {
            throw values.wrong(
                .audioBitRate, "is \(audioBitRate), and must be 8000 to 2000000 bits a second")
        }
        if let rotate, ![90, 180, 270].contains(rotate) {
            throw values.wrong(.rotate, "is \(rotate), and must be 90, 180 or 270")
        }
        if let speed, !(PlaybackSpeed.all ~= speed.value) {
            throw values.wrong(.speed, "is \(speed), and must be 1/2 to 4")
        }
    }

    /// Values that no encoder and no track goes beyond.
    public static let qualities = 0.0...63, bitRates = 1000...1_000_000_000,
        audioBitRates = 8000...2_000_000

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
extension RenderOptions {
    /// The ends of the names of subtitle files.
    public static let subtitleTypes = ["srt", "ass", "ssa", "vtt"]
    /// The rule for people, as the end of a sentence.
    public static let subtitleFileRule = "a name with a / in it, or one that ends in .srt, .ass, .ssa or .vtt"

    /// The path of the file whose subtitles are drawn; nil: none, or a track's. No language and no number has a slash or such an end.
    public var burnedFile: String? {
        burnSubtitles.flatMap { RenderOptions.isSubtitleFile($0) ? $0 : nil }
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
extension RenderOptions {
    /// The first option that changes frames, by its name; nil: none does.
    public var videoChange: String? {
        let given: [(OptionSpelling, Bool)] = [
            (.videoCodec, videoCodec != nil), (.crf, crf != nil), (.bitrate, bitRate != nil),
            (.size, size != nil), (.crop, crop != nil), (.rotate, rotate != nil),
            (.burnSubtitles, burnSubtitles != nil), (.deinterlace, deinterlace != nil),
            (.speed, speed != nil), (.fps, frameRate != nil),
        ]
        return given.first(where: \.1)?.0.rawValue
    }

    /// The first option that changes audio, by its name; nil: none does.
    public var audioChange: String? {
        let given: [(OptionSpelling, Bool)] = [
            (.audioCodec, audioCodec != nil), (.audioBitRate, audioBitRate != nil), (.speed, speed != nil),
        ]
        return given.first(where: \.1)?.0.rawValue ?? (loudness == nil ? nil : "loudness")
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
