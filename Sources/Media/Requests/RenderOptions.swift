// What a request may ask beyond its preset: choices of one export that are not worth a preset of their own. A value; every
// part may be missing, and then the preset and the asset decide.
public import MediaTime

/// Choices of one export beyond its preset.
public struct RenderOptions: Hashable, Codable, Sendable {
    /// What lies behind transparent pictures where the output cannot be transparent: `black` (where nil), `white` or
    /// `#rrggbb`; or ``refusedGround``.
    public var background: String?
    /// Frames a second of the output, constant; nil: the source's timing.
    public var frameRate: Ratio?
    /// What becomes of HDR where the preset has 8 bits.
    public var hdr: HDRChoice?
    /// Which video track: `default`, `none`, or a list as for `audio`, of which the first track that matches is taken.
    public var video: String?
    /// Which audio tracks: `all`, `default`, `none`, or a list of track numbers, languages and characteristics, joined by
    /// commas (``TrackChoice``).
    public var audio: String?
    /// Which subtitle tracks, as for `audio`.
    public var subtitles: String?
    /// Integrated loudness of the sound, in LUFS (EBU R128), -70 to -5.
    public var loudness: Double?
    /// Bytes the output may have at most.
    public var limitSize: Int64?
    /// Pictures are encoded twice, the second time with what was learnt of them; nil: where the size is limited.
    public var twoPass: Bool?
    /// An output that is not smaller than the source is an error.
    public var onlyIfSmaller: Bool?
    /// The index goes before the media, whatever the preset says.
    public var optimize: Bool?

    /// The `background` with which a preset that cannot keep transparency is not valid for transparent pictures.
    public static let refusedGround = "refuse"

    /// What becomes of HDR where the preset has 8 bits.
    public enum HDRChoice: String, Hashable, Codable, Sendable, CaseIterable {
        /// It is brought to standard range, with a warning.
        case tonemap
        /// The preset is not valid for it.
        case refuse
    }

    /// Nothing chosen.
    public init() {}

    enum CodingKeys: String, CodingKey, CaseIterable {
        case background, frameRate, hdr, video, audio, subtitles, loudness, limitSize, twoPass, onlyIfSmaller
        case optimize
    }

    /// Reads and checks.
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

    /// Whether a text says what lies behind transparent pictures, or that they are refused.
    public static func isGround(_ spelling: String) -> Bool {
        spelling == refusedGround || color(spelling) != nil
    }

    /// A background's colour as `rrggbb`; nil where it is none.
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
