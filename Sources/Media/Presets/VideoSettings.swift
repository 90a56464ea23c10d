// The video settings of a preset. A pure value; decoding checks every key and number.
public import MediaTime
public import Text

/// The video settings of a preset.
public struct VideoSettings: Hashable, Codable, StrictDecodable, Sendable {
    /// FFmpeg's name of the codec, such as `h264`.
    public var codec: String
    /// FFmpeg's name of the encoder, such as `libx264`.
    public var encoder: String
    /// The profile, by the encoder's name.
    public var profile: String?
    /// The level as the standard writes it, such as `3.1`; nil: the lowest that the video needs.
    public var level: String?
    /// The tier of an HEVC stream, `main` or `high`; nil: main.
    public var tier: String?
    /// The box frames must fit into, in pixels; rotated for portrait sources. Both nil: the source's size.
    public var maxWidth: Int?, maxHeight: Int?
    /// Maximum frames per second; nil: the source's rate.
    public var maxFrameRate: Ratio?
    /// Alternative boxes, each for sources up to its own frame rate; the first that suits is used instead.
    public var alternatives: [PictureBox]?
    /// Constant quality of the encoder, 0 (best) to 63.
    public var crf: Double?
    /// Average bits per second, if quality is not constant; for frames that fill the box at its frame rate.
    public var bitRate: Int?
    /// Maximum bits per second over the buffer.
    public var maxBitRate: Int?
    /// The decoder buffer size in bits.
    public var bufferSize: Int?
    /// Whether to encode in two passes; needs an average rate.
    public var twoPass: Bool?
    /// The encoder's speed preset.
    public var speed: String?
    /// Maximum seconds between keyframes.
    public var keyframeInterval: Ratio
    /// FFmpeg's name of the pixel format.
    public var pixelFormat: String
    /// The pixel format for sources with alpha; nil: the preset cannot keep alpha.
    public var alphaPixelFormat: String?
    /// Additional encoder options, by the encoder's names.
    public var options: [String: String]?

    /// Creates settings without limits, for frames that are not written to a file.
    public init(codec: String, encoder: String, pixelFormat: String) {
        self.codec = codec
        self.encoder = encoder
        self.pixelFormat = pixelFormat
        keyframeInterval = Ratio(1)
    }

    /// Intra-only encoders without a rate or a quality: their profile fixes it, or they lose nothing.
    public static let intraEncoders: Set<String> = [
        "prores", "prores_aw", "prores_ks", "dnxhd", "ffv1", "gif",
    ]

    /// Encoders that can encode in two passes.
    public static let twoPassEncoders: Set<String> = ["libx264", "libx265", "libvpx", "libvpx-vp9"]

    /// Whether components have more than 8 bits, so that HDR can be kept.
    public var isDeep: Bool { pixelFormat.contains("10") || pixelFormat.contains("12") }

    /// The settings for a source frame rate: with the box of the first alternative that suits it.
    public func suiting(_ rate: Ratio?) -> VideoSettings {
        guard let rate, let box = alternatives?.first(where: { rate <= $0.maxFrameRate }) else { return self }
        var settings = self
        (settings.maxWidth, settings.maxHeight) = (box.maxWidth, box.maxHeight)
        settings.maxFrameRate = box.maxFrameRate
        return settings
    }

    private func checkLevel() throws(InvalidValue) {
        guard let level, let levels = VideoLevel.all(of: codec) else { return }
        guard let known = VideoLevel.named(level, of: codec) else {
            let names = levels.map(\.name).joined(separator: ", ")
            throw InvalidValue(CodingKeys.level, "is '\(level)'; known are \(names)")
        }
        let most = known.bitRate(profile: profile, tier: tier)
        if let rate = maxBitRate ?? bitRate, rate > most {
            throw InvalidValue(
                maxBitRate == nil ? CodingKeys.bitRate : .maxBitRate,
                "is \(rate), and level \(level) allows \(most) bits a second")
        }
    }

    /// Throws for the first value that is out of its range.
    public func validate() throws(InvalidValue) {
        try InvalidValue.check(CodingKeys.maxWidth, maxWidth, in: 16...16384)
        try InvalidValue.check(CodingKeys.maxHeight, maxHeight, in: 16...16384)
        if (maxWidth == nil) != (maxHeight == nil) {
            throw InvalidValue(
                maxWidth == nil ? CodingKeys.maxWidth : .maxHeight,
                "is missing: a box has a width and a height")
        }
        if let tier, tier != "main", tier != "high" {
            throw InvalidValue(CodingKeys.tier, "is '\(tier)', and must be main or high")
        }
        try InvalidValue.check(CodingKeys.crf, crf, in: 0...63)
        for (key, rate) in [
            (CodingKeys.bitRate, bitRate), (.maxBitRate, maxBitRate), (.bufferSize, bufferSize),
        ] {
            try InvalidValue.check(key, rate, in: 1000...1_000_000_000, " bits")
        }
        if maxBitRate != nil, bufferSize == nil {
            throw InvalidValue(CodingKeys.bufferSize, "is missing beside maxBitRate")
        }
        if twoPass == true {
            guard VideoSettings.twoPassEncoders.contains(encoder) else {
                let known = VideoSettings.twoPassEncoders.sorted().joined(separator: ", ")
                throw InvalidValue(
                    CodingKeys.twoPass, "is true, and \(encoder) has one pass; two have \(known)")
            }
            guard bitRate != nil else {
                throw InvalidValue(
                    CodingKeys.twoPass,
                    "is true, and without bitRate there is nothing that a second pass could hold")
            }
        }
        try InvalidValue.check(CodingKeys.maxFrameRate, maxFrameRate, in: Ratio(1)...Ratio(1000))
        guard 0.1...600 ~= keyframeInterval.value else {
            throw InvalidValue(
                CodingKeys.keyframeInterval, "is \(keyframeInterval), and must be 1/10 to 600 seconds")
        }
        guard crf != nil || bitRate != nil || VideoSettings.intraEncoders.contains(encoder) else {
            throw InvalidValue(CodingKeys.crf, "is missing, and so is bitRate")
        }
        try checkLevel()
    }
}

/// A box for frames, with its maximum frame rate.
public struct PictureBox: Hashable, Codable, StrictDecodable, Sendable {
    /// The box in pixels; rotated for portrait sources.
    public var maxWidth: Int, maxHeight: Int
    /// Maximum frames per second; faster sources do not use this box.
    public var maxFrameRate: Ratio

    /// Throws for the first value that is out of its range.
    public func validate() throws(InvalidValue) {
        try InvalidValue.check(CodingKeys.maxWidth, maxWidth, in: 16...16384)
        try InvalidValue.check(CodingKeys.maxHeight, maxHeight, in: 16...16384)
        try InvalidValue.check(CodingKeys.maxFrameRate, maxFrameRate, in: Ratio(1)...Ratio(1000))
    }
}
