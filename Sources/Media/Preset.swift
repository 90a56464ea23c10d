// A preset: what an output is to be. A pure value with one JSON shape, version 1; reading checks every key and number,
// so that a preset that was read can be used. Files are found and read by PresetCatalogue.
public import MediaTime

/// What an output is to be: container, picture and sound.
public struct Preset: Hashable, Codable, Sendable {
    /// The version of the JSON shape.
    public static let currentVersion = 1

    /// The version of the JSON shape it was written in.
    public var version: Int
    /// Its name on the command line: lower-case letters, digits, `-` and `x`.
    public var id: String
    /// Its name for people.
    public var name: String
    /// AVFoundation's name for it, such as `AVAssetExportPresetAppleM4V720pHD`; nil where there is none.
    public var appleName: String?
    /// Extensions the output may have; the first is the default.
    public var fileTypes: [String]
    /// Extensions for an asset without video; nil: an asset without video is not valid for this preset.
    public var audioOnlyFileTypes: [String]?
    /// The picture; nil for an audio preset.
    public var video: VideoSettings?
    /// The sound; nil for a silent preset.
    public var audio: AudioSettings?
    /// Samples are taken over as they are stored: neither picture nor sound have settings.
    public var isPassthrough: Bool
    /// An asset that already is what the preset asks for is encoded all the same.
    public var alwaysEncodes: Bool
    /// The index goes before the media ("fast start").
    public var optimizeForNetwork: Bool

    /// A preset from its parts.
    public init(
        id: String, name: String, appleName: String?, fileTypes: [String],
        audioOnlyFileTypes: [String]? = nil,
        video: VideoSettings?, audio: AudioSettings?, isPassthrough: Bool = false,
        alwaysEncodes: Bool = false, optimizeForNetwork: Bool = false
    ) {
        version = Preset.currentVersion
        self.id = id
        self.name = name
        self.appleName = appleName
        self.fileTypes = fileTypes
        self.audioOnlyFileTypes = audioOnlyFileTypes
        self.video = video
        self.audio = audio
        self.isPassthrough = isPassthrough
        self.alwaysEncodes = alwaysEncodes
        self.optimizeForNetwork = optimizeForNetwork
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case version, id, name, appleName, fileTypes, audioOnlyFileTypes, video, audio
        case isPassthrough = "passthrough"
        case alwaysEncodes = "alwaysEncode"
        case optimizeForNetwork
    }

    /// Reads and checks; a key that is unknown or a number that is out of range is an error that names it.
    public init(from decoder: any Decoder) throws {
        let values = try StrictKeys(decoder, CodingKeys.self)
        version = try values.need(.version, Int.self)
        guard version == Preset.currentVersion else {
            throw values.wrong(
                .version, "is \(version), and this trimd reads version \(Preset.currentVersion)")
        }
        id = try values.need(.id, String.self)
        guard !id.isEmpty, id.count <= 64,
            id.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) })
        else { throw values.wrong(.id, "must be letters, digits, '-', '_' and '.', at most 64") }
        name = try values.need(.name, String.self)
        appleName = try values.may(.appleName, String.self)
        fileTypes = try values.need(.fileTypes, [String].self)
        audioOnlyFileTypes = try values.may(.audioOnlyFileTypes, [String].self)
        video = try values.may(.video, VideoSettings.self)
        audio = try values.may(.audio, AudioSettings.self)
        isPassthrough = try values.may(.isPassthrough, Bool.self) ?? false
        alwaysEncodes = try values.may(.alwaysEncodes, Bool.self) ?? false
        optimizeForNetwork = try values.may(.optimizeForNetwork, Bool.self) ?? false
        guard !fileTypes.isEmpty else { throw values.wrong(.fileTypes, "must name at least one extension") }
        for (key, types) in [
            (CodingKeys.fileTypes, fileTypes), (.audioOnlyFileTypes, audioOnlyFileTypes ?? []),
        ] {
            if let unknown = types.first(where: { FileType(rawValue: $0) == nil }) {
                let known = FileType.allCases.map(\.rawValue)
                throw values.wrong(key, "names '\(unknown)'; known are \(known.joined(separator: ", "))")
            }
        }
        if isPassthrough, video != nil || audio != nil {
            throw values.wrong(.isPassthrough, "is true, and then there are no settings for video and audio")
        }
        guard isPassthrough || video != nil || audio != nil else {
            throw values.wrong(.video, "is missing, and so is audio")
        }
    }
}

/// How pictures are to be.
public struct VideoSettings: Hashable, Codable, Sendable {
    /// FFmpeg's name of the codec, such as `h264`.
    public var codec: String
    /// FFmpeg's name of the encoder, such as `libx264`.
    public var encoder: String
    /// The encoder's name of the profile.
    public var profile: String?
    /// The level as the standard writes it, such as `3.1`.
    public var level: String?
    /// The box pictures must fit into, in pixels; turned for portrait sources.
    public var maxWidth: Int, maxHeight: Int
    /// Frames a second that are not exceeded; nil: the source's rate.
    public var maxFrameRate: Ratio?
    /// Constant quality of the encoder, 0 (best) to 51.
    public var crf: Double?
    /// Average bits a second, where quality is not constant.
    public var bitRate: Int?
    /// Bits a second that are not exceeded over the buffer.
    public var maxBitRate: Int?
    /// The decoder's buffer in bits.
    public var bufferSize: Int?
    /// The encoder's own speed preset.
    public var speed: String?
    /// Seconds between keyframes, at most.
    public var keyframeInterval: Ratio
    /// FFmpeg's name of the pixel format.
    public var pixelFormat: String

    enum CodingKeys: String, CodingKey, CaseIterable {
        case codec, encoder, profile, level, maxWidth, maxHeight, maxFrameRate, crf, bitRate, maxBitRate
        case bufferSize, speed, keyframeInterval, pixelFormat
    }

    /// Reads and checks.
    public init(from decoder: any Decoder) throws {
        let values = try StrictKeys(decoder, CodingKeys.self)
        codec = try values.need(.codec, String.self)
        encoder = try values.need(.encoder, String.self)
        profile = try values.may(.profile, String.self)
        level = try values.may(.level, String.self)
        maxWidth = try values.need(.maxWidth, Int.self)
        maxHeight = try values.need(.maxHeight, Int.self)
        maxFrameRate = try values.may(.maxFrameRate, Ratio.self)
        crf = try values.may(.crf, Double.self)
        bitRate = try values.may(.bitRate, Int.self)
        maxBitRate = try values.may(.maxBitRate, Int.self)
        bufferSize = try values.may(.bufferSize, Int.self)
        speed = try values.may(.speed, String.self)
        keyframeInterval = try values.need(.keyframeInterval, Ratio.self)
        pixelFormat = try values.need(.pixelFormat, String.self)
        for (key, size) in [(CodingKeys.maxWidth, maxWidth), (.maxHeight, maxHeight)]
        where !(16...16384 ~= size) {
            throw values.wrong(key, "is \(size), and must be 16 to 16384")
        }
        if let crf, !(0...63 ~= crf) { throw values.wrong(.crf, "is \(crf), and must be 0 to 63") }
        for (key, rate) in [
            (CodingKeys.bitRate, bitRate), (.maxBitRate, maxBitRate), (.bufferSize, bufferSize),
        ] {
            if let rate, !(1000...1_000_000_000 ~= rate) {
                throw values.wrong(key, "is \(rate), and must be 1000 to 1000000000 bits")
            }
        }
        if maxBitRate != nil, bufferSize == nil {
            throw values.wrong(.bufferSize, "is missing beside maxBitRate")
        }
        if let rate = maxFrameRate, !(1...1000 ~= rate.value) {
            throw values.wrong(.maxFrameRate, "is \(rate), and must be 1 to 1000")
        }
        guard 0.1...600 ~= keyframeInterval.value else {
            throw values.wrong(.keyframeInterval, "is \(keyframeInterval), and must be 1/10 to 600 seconds")
        }
        guard crf != nil || bitRate != nil else { throw values.wrong(.crf, "is missing, and so is bitRate") }
    }
}

/// How sound is to be.
public struct AudioSettings: Hashable, Codable, Sendable {
    /// FFmpeg's name of the codec, such as `aac`.
    public var codec: String
    /// FFmpeg's name of the encoder.
    public var encoder: String
    /// Bits a second; nil where the codec has none.
    public var bitRate: Int?
    /// More channels than this are mixed down.
    public var maxChannels: Int
    /// A higher rate than this is lowered.
    public var maxSampleRate: Int

    /// Settings from their parts.
    public init(codec: String, encoder: String, bitRate: Int?, maxChannels: Int, maxSampleRate: Int) {
        self.codec = codec
        self.encoder = encoder
        self.bitRate = bitRate
        self.maxChannels = maxChannels
        self.maxSampleRate = maxSampleRate
    }

    /// What is encoded is what is decoded again.
    public var isLossless: Bool { codec == "flac" || codec == "alac" || codec.hasPrefix("pcm_") }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case codec, encoder, bitRate, maxChannels, maxSampleRate
    }

    /// Reads and checks.
    public init(from decoder: any Decoder) throws {
        let values = try StrictKeys(decoder, CodingKeys.self)
        codec = try values.need(.codec, String.self)
        encoder = try values.need(.encoder, String.self)
        bitRate = try values.may(.bitRate, Int.self)
        maxChannels = try values.need(.maxChannels, Int.self)
        maxSampleRate = try values.need(.maxSampleRate, Int.self)
        if let bitRate, !(8000...2_000_000 ~= bitRate) {
            throw values.wrong(.bitRate, "is \(bitRate), and must be 8000 to 2000000 bits a second")
        }
        guard 1...64 ~= maxChannels else {
            throw values.wrong(.maxChannels, "is \(maxChannels), and must be 1 to 64")
        }
        guard 8000...384000 ~= maxSampleRate else {
            throw values.wrong(.maxSampleRate, "is \(maxSampleRate), and must be 8000 to 384000")
        }
    }
}
