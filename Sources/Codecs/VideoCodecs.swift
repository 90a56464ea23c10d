// The registry of video codecs.
package import Media

/// All video codecs that trimd knows something of.
package enum VideoCodecs {
    private static let all: [any VideoCodec.Type] = [
        H264Codec.self, HEVCCodec.self, MPEG12Codec.self, MPEG4Codec.self, H263Codec.self,
        MicrosoftCodec.self,
        VP8Codec.self, VP9Codec.self, AV1Codec.self, TheoraCodec.self, FFV1Codec.self, AnimationCodec.self,
        ProResCodec.self, MotionJPEGCodec.self,
    ]

    private static let byName = Dictionary(
        all.flatMap { codec in codec.names.map { ($0, codec) } }, uniquingKeysWith: { first, _ in first })

    /// The codec with one of FFmpeg's names.
    package static func named(_ name: String) -> any VideoCodec.Type { byName[name] ?? OtherVideoCodec.self }
}

/// A codec of which nothing is known: its samples are copied as they are.
package enum OtherVideoCodec: VideoCodec {
    package static let names: Set<String> = []
}

extension Track {
    /// The codec of a video track.
    package var videoCodec: any VideoCodec.Type { VideoCodecs.named(codec) }
}
