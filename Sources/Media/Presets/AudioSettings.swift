// The audio settings of a preset. A pure value; decoding checks every key and number.
public import Text

/// The audio settings of a preset.
public struct AudioSettings: Hashable, Codable, StrictDecodable, Sendable {
    /// FFmpeg's name of the codec, such as `aac`.
    public var codec: String
    /// FFmpeg's name of the encoder.
    public var encoder: String
    /// Bits per second for two channels; nil if the codec has no bit rate.
    public var bitRate: Int?
    /// Bits per second for more than two channels; nil: in proportion to two.
    public var surroundBitRate: Int?
    /// More channels are mixed down to this number.
    public var maxChannels: Int
    /// A higher sample rate is lowered to this one.
    public var maxSampleRate: Int
    /// Maximum bits per sample, 16, 24 or 32, of lossless codecs; nil: 16.
    public var maxBits: Int?
    /// Bits per second of a track, whatever its channels, in place of the other rates; nil: those hold.
    public var trackBitRate: Int?

    /// Creates settings.
    public init(
        codec: String, encoder: String, bitRate: Int?, maxChannels: Int, maxSampleRate: Int,
        surroundBitRate: Int? = nil, maxBits: Int? = nil
    ) {
        self.codec = codec
        self.encoder = encoder
        self.bitRate = bitRate
        self.maxChannels = maxChannels
        self.maxSampleRate = maxSampleRate
        self.surroundBitRate = surroundBitRate
        self.maxBits = maxBits
    }

    /// Bits per second for these channels and sample rate; 0 if the codec has no bit rate. Fewer samples need fewer bits.
    public func bitRate(channels: Int, sampleRate: Int) -> Int {
        guard let bitRate else { return 0 }
        if let trackBitRate { return trackBitRate }
        let share = min(1, max(0.25, Double(sampleRate) / 44100))
        if channels > 2 {
            return Int(Double(surroundBitRate ?? bitRate * channels / 2) * share)
        }
        return Int(Double(bitRate) * Double(channels) / 2 * share)
    }

    /// Throws for the first value that is out of its range.
    public func validate() throws(InvalidValue) {
        for (key, rate) in [
            (CodingKeys.bitRate, bitRate), (.surroundBitRate, surroundBitRate), (.trackBitRate, trackBitRate),
        ] {
            try InvalidValue.check(key, rate, in: 8000...2_000_000, " bits a second")
        }
        try InvalidValue.check(CodingKeys.maxChannels, maxChannels, in: 1...64)
        try InvalidValue.check(CodingKeys.maxSampleRate, maxSampleRate, in: 8000...384_000)
        if let maxBits, ![16, 24, 32].contains(maxBits) {
            throw InvalidValue(CodingKeys.maxBits, "is \(maxBits), and must be 16, 24 or 32")
        }
    }
}
