// Sample formats of lossless codecs: as deep as the source, no deeper than the preset. Pure.
internal import Libav
internal import Media

/// The encoder and the sample format for a preset and a source.
struct AudioCoding: Hashable {
    /// FFmpeg's names.
    var codec: String, encoder: String, format: String

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
    }
}
