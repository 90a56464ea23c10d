// The video settings of a preset. A pure value; decoding checks every key and number.
public import MediaTime

/// The video settings of a preset.
public struct VideoSettings: Hashable, Codable, Sendable {
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

    enum CodingKeys: String, CodingKey, CaseIterable {
        case codec, encoder, profile, level, tier, maxWidth, maxHeight, maxFrameRate, alternatives, crf,
            bitRate
        case maxBitRate, bufferSize, twoPass, speed, keyframeInterval, pixelFormat, alphaPixelFormat, options
    }

    /// Decodes and checks.
    public init(from decoder: any Decoder) throws {
        let values = try StrictKeys(decoder, CodingKeys.self)
        codec = try values.need(.codec, String.self)
        encoder = try values.need(.encoder, String.self)
        profile = try values.may(.profile, String.self)
        level = try values.may(.level, String.self)
        tier = try values.may(.tier, String.self)
        maxWidth = try values.may(.maxWidth, Int.self)
        maxHeight = try values.may(.maxHeight, Int.self)
        maxFrameRate = try values.may(.maxFrameRate, Ratio.self)
        alternatives = try values.may(.alternatives, [PictureBox].self)
        crf = try values.may(.crf, Double.self)
        bitRate = try values.may(.bitRate, Int.self)
        maxBitRate = try values.may(.maxBitRate, Int.self)
        bufferSize = try values.may(.bufferSize, Int.self)
        twoPass = try values.may(.twoPass, Bool.self)
        speed = try values.may(.speed, String.self)
        keyframeInterval = try values.need(.keyframeInterval, Ratio.self)
        pixelFormat = try values.need(.pixelFormat, String.self)
        alphaPixelFormat = try values.may(.alphaPixelFormat, String.self)
        options = try values.may(.options, [String: String].self)
        for (key, size) in [(CodingKeys.maxWidth, maxWidth), (.maxHeight, maxHeight)] {
            if let size, !(16...16384 ~= size) {
                throw values.wrong(key, "is \(size), and must be 16 to 16384")
            }
        }
        if (maxWidth == nil) != (maxHeight == nil) {
            throw values.wrong(
                maxWidth == nil ? .maxWidth : .maxHeight, "is missing: a box has a width and a height")
        }
        if let tier, tier != "main", tier != "high" {
            throw values.wrong(.tier, "is '\(tier)', and must be main or high")
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
        if twoPass == true {
            guard VideoSettings.twoPassEncoders.contains(encoder) else {
                let known = VideoSettings.twoPassEncoders.sorted().joined(separator: ", ")
                throw values.wrong(.twoPass, "is true, and \(encoder) has one pass; two have \(known)")
            }
            guard bitRate != nil else {
                throw values.wrong(
                    .twoPass, "is true, and without bitRate there is nothing that a second pass could hold")
            }
        }
        if let rate = maxFrameRate, !(1...1000 ~= rate.value) {
            throw values.wrong(.maxFrameRate, "is \(rate), and must be 1 to 1000")
        }
        guard 0.1...600 ~= keyframeInterval.value else {
            throw values.wrong(.keyframeInterval, "is \(keyframeInterval), and must be 1/10 to 600 seconds")
        }
        guard crf != nil || bitRate != nil || VideoSettings.intraEncoders.contains(encoder) else {
            throw values.wrong(.crf, "is missing, and so is bitRate")
        }
        try checkLevel(values)
    }

    private func checkLevel(_ values: StrictKeys<CodingKeys>) throws {
        guard let level, let levels = VideoLevel.all(of: codec) else { return }
        guard let known = VideoLevel.named(level, of: codec) else {
            let names = levels.map(\.name).joined(separator: ", ")
            throw values.wrong(.level, "is '\(level)'; known are \(names)")
        }
        let most = known.bitRate(profile: profile, tier: tier)
        if let rate = maxBitRate ?? bitRate, rate > most {
            throw values.wrong(
                maxBitRate == nil ? .bitRate : .maxBitRate,
                "is \(rate), and level \(level) allows \(most) bits a second")
        }
    }
}

/// A box for frames, with its maximum frame rate.
public struct PictureBox: Hashable, Codable, Sendable {
    /// The box in pixels; rotated for portrait sources.
    public var maxWidth: Int, maxHeight: Int
    /// Maximum frames per second; faster sources do not use this box.
    public var maxFrameRate: Ratio

    enum CodingKeys: String, CodingKey, CaseIterable { case maxWidth, maxHeight, maxFrameRate }

    /// Decodes and checks.
    public init(from decoder: any Decoder) throws {
        let values = try StrictKeys(decoder, CodingKeys.self)
        maxWidth = try values.need(.maxWidth, Int.self)
        maxHeight = try values.need(.maxHeight, Int.self)
        maxFrameRate = try values.need(.maxFrameRate, Ratio.self)
        for (key, size) in [(CodingKeys.maxWidth, maxWidth), (.maxHeight, maxHeight)]
        where !(16...16384 ~= size) {
            throw values.wrong(key, "is \(size), and must be 16 to 16384")
        }
        if !(1...1000 ~= maxFrameRate.value) {
            throw values.wrong(.maxFrameRate, "is \(maxFrameRate), and must be 1 to 1000")
        }
    }
}
