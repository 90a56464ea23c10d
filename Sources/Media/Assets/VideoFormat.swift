// How tracks are coded, as far as users see it: the format of video and of audio. Values without rules of their own.
public import MediaTime

/// How a video track's pictures look.
public struct VideoFormat: Hashable, Codable, Sendable {
    /// How frames are stored whose fields are coded as pictures of their own.
    public enum FieldCoding: String, Hashable, Codable, Sendable {
        /// Each field is a sample.
        case separateSamples
        /// Both fields of a frame are one sample.
        case oneSample
    }
    /// Whether pictures are whole or made of two fields.
    public enum FieldOrder: String, Hashable, Codable, Sendable {
        case progressive, topFieldFirst, bottomFieldFirst, unknown
    }
    /// Coded size in pixels.
    public var width: Int, height: Int
    /// Width of a pixel over its height.
    public var sampleAspect: Ratio
    /// Degrees clockwise by which a picture is to be turned for display: 0, 90, 180, 270.
    public var rotation: Int
    /// To be mirrored left to right, after the rotation.
    public var isMirrored: Bool
    /// FFmpeg's pixel format name.
    public var pixelFormat: String?
    /// Bits of one component.
    public var bitDepth: Int
    /// It has an alpha channel.
    public var hasAlpha: Bool
    /// Average frames a second.
    public var frameRate: Ratio?
    /// The lowest rate in whose grid all frames lie, as FFmpeg guesses it from timestamps and streams.
    public var nominalRate: Ratio?
    /// The frame rate varies (within the part that was looked at).
    public var isVariable: Bool
    /// Progressive or interlaced.
    public var fieldOrder: FieldOrder
    /// Fields are coded apart from one another (PAFF, field pictures); nil where no such frame was met.
    public var fieldCoding: FieldCoding?
    /// The part of the coded picture that is meant to be seen (clean aperture), where the container says so.
    public var crop: VideoCrop?
    /// Colour.
    public var color: Color
    /// Dolby Vision beside or in place of what `color` says.
    public var dolbyVision: DolbyVision?
    /// The pictures are all around the viewer: FFmpeg's name of the projection, such as `equirectangular`.
    public var projection: String?
    /// The samples hold a second view, for the other eye (MV-HEVC).
    public var hasSecondView: Bool?
    /// The build of x264 that the stream's first picture names. Decoders that begin elsewhere must be told of old ones.
    public var x264Build: Int?

    /// A format of a size; the rest is filled in by whoever reads the file.
    public init(width: Int, height: Int, sampleAspect: Ratio) {
        self.width = width
        self.height = height
        self.sampleAspect = sampleAspect
        rotation = 0
        isMirrored = false
        bitDepth = 8
        hasAlpha = false
        isVariable = false
        fieldOrder = .unknown
        color = Color()
    }
}

/// What a stream says of Dolby Vision.
public struct DolbyVision: Hashable, Codable, Sendable {
    /// The profile and the level.
    public var profile: Int, level: Int
    /// What the pictures are without it: 0 nothing that other decoders can show, 1 HDR10, 2 SDR, 4 HLG, 6 HDR10 of a disc.
    public var compatibility: Int
    /// The stream holds an enhancement layer.
    public var hasEnhancementLayer: Bool

    /// From its parts.
    public init(profile: Int, level: Int, compatibility: Int, hasEnhancementLayer: Bool = false) {
        self.profile = profile
        self.level = level
        self.compatibility = compatibility
        self.hasEnhancementLayer = hasEnhancementLayer
    }

    /// Nothing else can show the pictures in their colours (profiles 5 and 10.0). Records of other profiles may say 0 where they
    /// are older than the field.
    public var isAlone: Bool { profile == 5 || profile == 10 && compatibility == 0 }

    /// Its usual name, such as `8.4`.
    public var name: String { profile < 8 ? "\(profile)" : "\(profile).\(compatibility)" }
}

/// A part of a picture, in its pixels.
public struct VideoCrop: Hashable, Codable, Sendable {
    /// Pixels left of it and above it.
    public var left: Int, top: Int
    /// Its size.
    public var width: Int, height: Int

    /// A part from its place and size.
    public init(left: Int, top: Int, width: Int, height: Int) {
        self.left = left
        self.top = top
        self.width = width
        self.height = height
    }
}

/// The colour description of a video track, in FFmpeg's names; nil where the file does not say.
public struct Color: Hashable, Codable, Sendable {
    /// Colour primaries, such as `bt709`.
    public var primaries: String?
    /// Transfer characteristic, such as `bt709`, `smpte2084`.
    public var transfer: String?
    /// Matrix coefficients, such as `bt709`, `smpte170m`.
    public var matrix: String?
    /// `tv` (limited) or `pc` (full).
    public var range: String?
    /// Maximum and average content light level, in cd/m2.
    public var contentLight: [Int]?
    /// Mastering display's minimum and maximum luminance, in cd/m2, as exact ratios.
    public var masteringLuminance: [Ratio]?

    /// Nothing known.
    public init() {}

    /// `hdr10`, `pq` (without light data), `hlg`, or nil for standard dynamic range.
    public var dynamicRange: String? {
        switch transfer {
        case "smpte2084": contentLight != nil || masteringLuminance != nil ? "hdr10" : "pq"
        case "arib-std-b67": "hlg"
        default: nil
        }
    }

    private enum CodingKeys: String, CodingKey {
        case primaries, transfer, matrix, range, contentLight, masteringLuminance, dynamicRange
    }

    /// Reads what `encode` wrote; the dynamic range follows from the rest.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        primaries = try values.decodeIfPresent(String.self, forKey: .primaries)
        transfer = try values.decodeIfPresent(String.self, forKey: .transfer)
        matrix = try values.decodeIfPresent(String.self, forKey: .matrix)
        range = try values.decodeIfPresent(String.self, forKey: .range)
        contentLight = try values.decodeIfPresent([Int].self, forKey: .contentLight)
        masteringLuminance = try values.decodeIfPresent([Ratio].self, forKey: .masteringLuminance)
    }

    /// Writes the dynamic range beside the rest, for people.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encodeIfPresent(primaries, forKey: .primaries)
        try values.encodeIfPresent(transfer, forKey: .transfer)
        try values.encodeIfPresent(matrix, forKey: .matrix)
        try values.encodeIfPresent(range, forKey: .range)
        try values.encodeIfPresent(contentLight, forKey: .contentLight)
        try values.encodeIfPresent(masteringLuminance, forKey: .masteringLuminance)
        try values.encodeIfPresent(dynamicRange, forKey: .dynamicRange)
    }
}

/// How an audio track sounds.
public struct AudioFormat: Hashable, Codable, Sendable {
    /// Samples a second.
    public var sampleRate: Int
    /// Number of channels.
    public var channels: Int
    /// FFmpeg's name of the channel layout, such as `5.1`.
    public var channelLayout: String
    /// FFmpeg's name of the decoded sample format.
    public var sampleFormat: String?
    /// Samples at the start that are not meant to be heard (encoder delay), where the container says.
    public var priming: Int

    /// A format from its parts.
    public init(sampleRate: Int, channels: Int, channelLayout: String, sampleFormat: String?, priming: Int) {
        self.sampleRate = sampleRate
        self.channels = channels
        self.channelLayout = channelLayout
        self.sampleFormat = sampleFormat
        self.priming = priming
    }

    /// Bits that a sample needs to be kept without loss; nil where the decoder makes up as many as it likes.
    public var bits: Int? {
        switch sampleFormat {
        case "u8", "u8p", "s16", "s16p": 16
        case "s32", "s32p", "flt", "dbl", "s64", "s64p": 24
        default: nil
        }
    }
}
