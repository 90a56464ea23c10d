// Codecs as people write them. Constants only.

/// The names of codecs for people.
package enum CodecName {
    private static let names = [
        "h264": "H.264", "prores": "ProRes", "mpeg1video": "MPEG-1", "mpeg2video": "MPEG-2",
        "mpeg4": "MPEG-4",
        "theora": "Theora", "dnxhd": "DNxHD", "cinepak": "Cinepak", "opus": "Opus", "vorbis": "Vorbis",
    ]

    /// The name of a codec that FFmpeg calls `codec`.
    package static func words(_ codec: String) -> String {
        names[codec] ?? (codec.hasPrefix("pcm_") ? "PCM" : codec.uppercased())
    }
}
