// The audio settings of a preset. A pure value; decoding checks every key and number.

/// The audio settings of a preset.
public struct AudioSettings: Hashable, Codable, Sendable {
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

    enum CodingKeys: String, CodingKey, CaseIterable {
        case codec, encoder, bitRate, surroundBitRate, trackBitRate, maxChannels, maxSampleRate, maxBits
    }

    /// Decodes and checks.
    public init(from decoder: any Decoder) throws {
        let values = try StrictKeys(decoder, CodingKeys.self)
        codec = try values.need(.codec, String.self)
        encoder = try values.need(.encoder, String.self)
        bitRate = try values.may(.bitRate, Int.self)
        surroundBitRate = try values.may(.surroundBitRate, Int.self)
        trackBitRate = try values.may(.trackBitRate, Int.self)
        maxChannels = try values.need(.maxChannels, Int.self)
        maxSampleRate = try values.need(.maxSampleRate, Int.self)
        maxBits = try values.may(.maxBits, Int.self)
        let rates = [
            (CodingKeys.bitRate, bitRate), (.surroundBitRate, surroundBitRate), (.trackBitRate, trackBitRate),
        ]
        for (key, rate) in rates {
            if let rate, !(8000...2_000_000 ~= rate) {
                throw values.wrong(key, "is \(rate), and must be 8000 to 2000000 bits a second")
            }
        }
        guard 1...64 ~= maxChannels else {
            throw values.wrong(.maxChannels, "is \(maxChannels), and must be 1 to 64")
        }
        guard 8000...384000 ~= maxSampleRate else {
            throw values.wrong(.maxSampleRate, "is \(maxSampleRate), and must be 8000 to 384000")
        }
        if let maxBits, ![16, 24, 32].contains(maxBits) {
            throw values.wrong(.maxBits, "is \(maxBits), and must be 16, 24 or 32")
        }
    }
}
