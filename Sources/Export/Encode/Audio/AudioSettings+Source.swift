// Encoder settings for audio that should keep its codec but cannot be copied: at cut points in containers without edit lists, and
// where parts are joined.
internal import Codecs
internal import Libav
internal import Media

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
    func fitting(_ fileType: FileType) -> AudioSettings? {
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
