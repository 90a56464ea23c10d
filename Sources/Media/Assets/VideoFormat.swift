// Video and audio formats, as far as users see them. Values without rules.
public import MediaTime

/// The format of a video track.
public struct VideoFormat: Hashable, Codable, Sendable {
    /// How frames with separately coded fields are stored.
    public enum FieldCoding: String, Hashable, Codable, Sendable {
        /// Each field is a sample.
        case separateSamples
        /// Both fields of a frame are one sample.
        case oneSample
    }
    /// Progressive or interlaced, with the field order.
    public enum FieldOrder: String, Hashable, Codable, Sendable {
        case progressive, topFieldFirst, bottomFieldFirst, unknown
    }
    /// Coded size in pixels.
    public var width: Int, height: Int
    /// Width of a pixel over its height.
    public var sampleAspect: Ratio
    /// Frames themselves say the shape of their pixels, which may change: the container says nothing, or one part of a playlist says
    /// another than the next; nil: it is `sampleAspect` in all of them.
    public var aspectByFrames: Bool?
    /// Degrees clockwise to rotate for display: 0, 90, 180, 270.
    public var rotation: Int
    /// Whether to mirror it left to right, after the rotation.
    public var isMirrored: Bool
    /// FFmpeg's pixel format name.
    public var pixelFormat: String?
    /// Bits per component.
    public var bitDepth: Int
    /// Whether it has an alpha channel.
    public var hasAlpha: Bool
    /// Average frames per second.
    public var frameRate: Ratio?
    /// The lowest rate whose grid holds all frames, as FFmpeg estimates it from timestamps and streams.
    public var nominalRate: Ratio?
    /// Whether the frame rate varies (within the part that was read).
    public var isVariable: Bool
    /// Progressive or interlaced.
    public var fieldOrder: FieldOrder
    /// How separately coded fields (PAFF, field pictures) are stored; nil if no such frame was found.
    public var fieldCoding: FieldCoding?
    /// The clean aperture, if the container has one.
    public var crop: VideoCrop?
    /// Colour.
    public var color: Color
    /// Dolby Vision, beside or in place of `color`.
    public var dolbyVision: DolbyVision?
    /// The projection of spherical video, by FFmpeg's name, such as `equirectangular`.
    public var projection: String?
    /// Whether the samples hold a second view, for the other eye (MV-HEVC).
    public var hasSecondView: Bool?
    /// Frames are stored in another order than they are shown; nil if no such frame was found.
    public var isReordered: Bool?
    /// The x264 build named in the stream's first frame. Decoders that start elsewhere need it to work around old builds.
    public var x264Build: Int?

    /// Whether frames are known to have two fields of different times.
    public var isInterlaced: Bool { fieldOrder == .topFieldFirst || fieldOrder == .bottomFieldFirst }

    /// Creates a format; the reader of the file fills in the rest.
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

/// The Dolby Vision configuration of a stream.
public struct DolbyVision: Hashable, Codable, Sendable {
    /// The profile and the level.
    public var profile: Int, level: Int
    /// The base layer's compatibility: 0 none, 1 HDR10, 2 SDR, 4 HLG, 6 HDR10 of a disc.
    public var compatibility: Int
    /// Whether the stream has an enhancement layer.
    public var hasEnhancementLayer: Bool

    /// Creates a configuration.
    public init(profile: Int, level: Int, compatibility: Int, hasEnhancementLayer: Bool = false) {
        self.profile = profile
        self.level = level
        self.compatibility = compatibility
        self.hasEnhancementLayer = hasEnhancementLayer
    }

    /// Whether only Dolby Vision decoders show the colours correctly (profiles 5 and 10.0). Records of other profiles may say 0
    /// if they predate the field.
    public var isAlone: Bool { profile == 5 || profile == 10 && compatibility == 0 }

    /// Its usual name, such as `8.4`.
    public var name: String { profile < 8 ? "\(profile)" : "\(profile).\(compatibility)" }
}

/// A rectangle within a frame, in pixels.
public struct VideoCrop: Hashable, Codable, Sendable {
    /// Pixels to its left and above it.
    public var left: Int, top: Int
    /// Its size.
    public var width: Int, height: Int

    /// Creates a rectangle.
    public init(left: Int, top: Int, width: Int, height: Int) {
        self.left = left
        self.top = top
        self.width = width
        self.height = height
    }
}

/// The colour description of a video track, in FFmpeg's names; nil if the file does not say.
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

    /// Creates an unknown colour description.
    public init() {}

    /// `hdr10`, `pq` (without light metadata), `hlg`, or nil for standard dynamic range.
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

    /// Reads the output of `encode`; the dynamic range follows from the rest.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        primaries = try values.decodeIfPresent(String.self, forKey: .primaries)
        transfer = try values.decodeIfPresent(String.self, forKey: .transfer)
        matrix = try values.decodeIfPresent(String.self, forKey: .matrix)
        range = try values.decodeIfPresent(String.self, forKey: .range)
        contentLight = try values.decodeIfPresent([Int].self, forKey: .contentLight)
        masteringLuminance = try values.decodeIfPresent([Ratio].self, forKey: .masteringLuminance)
    }

    /// Writes the dynamic range as well, for people.
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

/// The format of an audio track.
public struct AudioFormat: Hashable, Codable, Sendable {
    /// Samples per second.
    public var sampleRate: Int
    /// Number of channels.
    public var channels: Int
    /// FFmpeg's name of the channel layout, such as `5.1`.
    public var channelLayout: String
    /// FFmpeg's name of the decoded sample format.
    public var sampleFormat: String?
    /// Bits of a stored sample; nil: the codec is lossy or does not say.
    public var storedBits: Int?
    /// Encoder delay: samples at the start that are not presented, if the container says.
    public var priming: Int

    /// Creates a format.
    public init(sampleRate: Int, channels: Int, channelLayout: String, sampleFormat: String?, priming: Int) {
        self.sampleRate = sampleRate
        self.channels = channels
        self.channelLayout = channelLayout
        self.sampleFormat = sampleFormat
        self.priming = priming
    }

    /// Bits a lossless sample needs; nil if the decoder can produce any depth.
    public var bits: Int? {
        switch sampleFormat {
        case "u8", "u8p", "s16", "s16p": 16
        case "s32", "s32p": storedBits ?? 24 > 24 ? 32 : 24
        case "flt", "dbl", "s64", "s64p": 24
        default: nil
        }
    }
}
