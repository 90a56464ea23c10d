// Encoder settings for audio that should keep its codec but cannot be copied: at cut points in containers without edit lists, and
// where parts are joined.
internal import Media

/// Settings that keep a track's codec where an encoder for it exists.
enum AudioReuse {
    /// The settings for a track.
    static func settings(for track: Track) -> AudioSettings {
        let channels = max(1, track.audio?.channels ?? 2)
        let (codec, encoder, most): (String, String, Int?) =
            switch track.codec {
            case "flac": ("flac", "flac", nil)
            case "alac": ("alac", "alac", nil)
            case "opus": ("opus", "libopus", 256_000)
            case "vorbis": ("vorbis", "libvorbis", 256_000)
            case "mp3": ("mp3", "libmp3lame", 320_000)
            case "ac3": ("ac3", "ac3", 640_000)
            case "eac3": ("eac3", "eac3", 1_024_000)
            default: ("aac", "aac", 256_000)
            }
        // Re-encoding loses quality twice: a third more bits than the source's compensate for it, with a floor.
        let own = track.bitRate.map { Int($0) * 4 / 3 } ?? 96_000 * channels
        return AudioSettings(
            codec: codec, encoder: encoder,
            bitRate: most.map { min(max(own, 64_000 * channels), $0 * max(1, channels / 2)) },
            maxChannels: 64, maxSampleRate: 384_000)
    }
}
