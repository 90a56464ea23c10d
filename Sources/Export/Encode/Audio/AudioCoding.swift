// Sample formats of lossless codecs: as deep as the source, no deeper than the preset. Pure.
internal import Libav
internal import Media

/// The encoder and the sample format for a preset and a source.
struct AudioCoding: Hashable {
    /// FFmpeg's names.
    var codec: String, encoder: String, format: String
    /// Bits of a stored integer sample; nil: the codec is lossy, or stores floating point.
    var bits: Int?

    /// For samples of this many bits, or in floating point.
    init(_ settings: AudioSettings, bits: Int, isFloat: Bool = false) {
        let isDeep = min(bits, settings.maxBits ?? 16) > 16
        (codec, encoder) = (settings.codec, settings.encoder)
        if isDeep, encoder.hasPrefix("pcm_s16") {
            codec = codec.replacing("s16", with: "s24")
            encoder = encoder.replacing("s16", with: "s24")
        }
        let formats = Encoder.sampleFormats(of: encoder)
        let float = isFloat ? formats.first(where: ["flt", "fltp"].contains) : nil
        let wanted = isDeep ? ["s32", "s32p"] : ["s16", "s16p"]
        format =
            settings.bitRate == nil
            ? float ?? formats.first(where: wanted.contains) ?? Encoder.sampleFormat(of: encoder)
            : Encoder.sampleFormat(of: encoder)
        guard settings.bitRate == nil else { return }
        switch format {
        case "s16", "s16p": self.bits = 16
        case "s32", "s32p":
            let isWhole = min(bits, settings.maxBits ?? 16) > 24 && AudioCoding.storesAllBits(encoder)
            self.bits = isWhole ? 32 : 24
        default: break
        }
    }

    /// Whether an encoder can store all bits of 32-bit integers.
    static func storesAllBits(_ encoder: String) -> Bool {
        switch encoder {
        case "flac": LibavBuild.codesDeepFLAC
        case "pcm_s32le", "pcm_s32be", "wavpack": true
        default: false
        }
    }

    /// Its bits, where an encoder must be told them.
    var deepBits: Int? { bits == 32 && !encoder.hasPrefix("pcm_") ? 32 : nil }
}
