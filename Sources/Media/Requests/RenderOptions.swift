// Options of one export beyond its preset. A value; every option may be missing, and then the preset and the asset decide.
public import MediaTime

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
        case optimize
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
        loudness = try values.may(.loudness, Double.self)
        limitSize = try values.may(.limitSize, Int64.self)
        twoPass = try values.may(.twoPass, Bool.self)
        onlyIfSmaller = try values.may(.onlyIfSmaller, Bool.self)
        optimize = try values.may(.optimize, Bool.self)
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
    }

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
