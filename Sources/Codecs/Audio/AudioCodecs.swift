// The registry of audio codecs.
package import Media

/// All audio codecs with rules of their own.
package enum AudioCodecs {
    private static let all: [any AudioCodec.Type] = [
        AACCodec.self, MPEGAudioCodec.self, OpusCodec.self, VorbisCodec.self, FLACCodec.self, ALACCodec.self,
        AC3Codec.self, EAC3Codec.self, AMRCodec.self, OverlappedCodec.self, TrueHDCodec.self, MLPCodec.self,
        LosslessCodec.self, WavPackCodec.self,
    ]

    private static let byName = Dictionary(
        all.flatMap { codec in codec.names.map { ($0, codec) } }, uniquingKeysWith: { first, _ in first })

    /// The codec with one of FFmpeg's names.
    package static func named(_ name: String) -> any AudioCodec.Type {
        byName[name] ?? (name.hasPrefix("pcm_") ? PCMCodec.self : OtherAudioCodec.self)
    }
}

/// A codec of which nothing is known.
package enum OtherAudioCodec: AudioCodec {
    package static let names: Set<String> = []
}

extension Track {
    /// The codec of an audio track.
    package var audioCodec: any AudioCodec.Type { AudioCodecs.named(codec) }
}
