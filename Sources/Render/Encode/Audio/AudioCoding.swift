// Sample formats of lossless codecs: as deep as the source, no deeper than the preset; and settings for audio that should keep its codec
// but cannot be copied: at cut points in containers without edit lists, and where parts are joined. Pure.
internal import Codecs
internal import Libav
package import Media

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

extension AudioSettings {
    /// Settings that keep a track's codec where an encoder for it exists.
    static func keepingCodec(of track: Track, in fileType: FileType) -> AudioSettings {
        if track.audioCodec is PCMCodec.Type, fileType.holds(track.codec), Encoder.exists(track.codec) {
            return AudioSettings(
                codec: track.codec, encoder: track.codec, bitRate: nil, maxChannels: 64,
                maxSampleRate: 384_000, maxBits: 32)
        }
        let channels = max(1, track.audio?.channels ?? 2)
        let reuse = fileType == .tta ? LosslessCodec.trueAudio : track.audioCodec.reuse
        if !fileType.holds(reuse.codec), let other = AudioCodecChoice.aac.settings.fitting(fileType) {
            return other
        }
        var settings = AudioSettings(
            codec: reuse.codec, encoder: reuse.encoder, bitRate: reuse.highestBitRate,
            maxChannels: 64, maxSampleRate: 384_000,
            maxBits: track.audioCodec.isLossless ? 32 : nil)
        if reuse.highestBitRate != nil {
            // Re-encoding loses quality twice: a third more bits than the source's compensate for it, with a floor.
            let own = track.bitRate.map { Int($0) * 4 / 3 } ?? 96_000 * channels
            let useful = settings.bitRate(channels: channels, sampleRate: track.audio?.sampleRate ?? 44_100)
            let most = AudioCodecChoice(rawValue: reuse.codec)?.highestBitRate
            let possible = most.map { min($0.track, $0.channel * channels) } ?? .max
            settings.trackBitRate = min(max(own, 64_000 * channels), useful, possible)
        }
        return settings
    }

    /// These settings, or others where the file type cannot hold their codec; their limits are the encoder's, so that channels and
    /// samples stay. Nil: there is no encoder for the file type.
    package func fitting(_ fileType: FileType) -> AudioSettings? {
        let own = AudioCodecChoice(rawValue: codec).map { [$0] } ?? []
        let choices = (own + AudioCodecChoice.allCases).map { $0.settings.ordered(for: fileType) }
        let fitting = (choices + AudioSettings.kept).first {
            fileType.holds($0.codec) && Encoder.exists($0.encoder)
        }
        guard let choice = fitting, choice.codec == codec else { return fitting }
        var settings = self
        settings.maxChannels = max(maxChannels, choice.maxChannels)
        settings.maxSampleRate = max(maxSampleRate, choice.maxSampleRate)
        return settings
    }

    /// These settings, or PCM for a track that loses nothing, where the file type holds it.
    func lossless(for track: Track, in fileType: FileType) -> AudioSettings {
        let pcm = AudioCodecChoice.pcm.settings.ordered(for: fileType)
        return track.audioCodec.isLossless && fileType.holds(pcm.codec) ? pcm : self
    }
}
