// The codecs that options can choose, each with its encoder and the settings that it has without a preset's. Values only.
internal import MediaTime

/// A video codec that an option can choose, by FFmpeg's name.
public enum VideoCodecChoice: String, Hashable, Codable, Sendable, CaseIterable {
    case h264, hevc, av1, vp9, prores

    /// Qualities that its encoder takes, best first; nil: its profile fixes the quality.
    public var qualities: ClosedRange<Double>? {
        switch self {
        case .h264, .hevc: 0...51
        // Of SVT-AV1, 0 means that none is chosen.
        case .av1: 1...63
        case .vp9: 0...63
        case .prores: nil
        }
    }

    /// FFmpeg's name of its encoder.
    public var encoder: String {
        switch self {
        case .h264: "libx264"
        case .hevc: "libx265"
        case .av1: "libsvtav1"
        case .vp9: "libvpx-vp9"
        case .prores: "prores_ks"
        }
    }

    /// Its settings without any limit, at the quality of the presets of 1080 lines.
    /// - Parameter isDeep: with 10 bits, where it has both.
    func settings(isDeep: Bool) -> VideoSettings {
        let pixels = isDeep ? "yuv420p10le" : "yuv420p"
        var settings = VideoSettings(codec: rawValue, encoder: encoder, pixelFormat: pixels)
        settings.keyframeInterval = Ratio(2)
        switch self {
        case .h264:
            (settings.profile, settings.crf, settings.speed) = (isDeep ? "high10" : "high", 20, "medium")
        case .hevc:
            (settings.profile, settings.crf, settings.speed) = (isDeep ? "main10" : "main", 22, "medium")
        case .av1:
            (settings.crf, settings.speed) = (32, "6")
        case .vp9:
            settings.crf = 30
            if !isDeep { settings.alphaPixelFormat = "yuva420p" }
            settings.options = ["deadline": "good", "cpu-used": "2", "row-mt": "1"]
        case .prores:
            (settings.profile, settings.pixelFormat) = ("standard", "yuv422p10le")
            (settings.keyframeInterval, settings.options) = (Ratio(1), ["vendor": "apl0"])
        }
        return settings
    }

    /// Its settings for frames that should stay as they are: their pixel format, and a quality that hardly shows.
    func settings(like format: VideoFormat) -> VideoSettings {
        let own = format.pixelFormat ?? "yuv420p"
        let isDeep = ["10", "12", "16", "p010"].contains { own.contains($0) }
        var settings = settings(isDeep: isDeep)
        switch self {
        case .h264, .hevc:
            settings.crf = self == .h264 ? 17 : 18
            for part in ["422", "444"] where own.hasPrefix("yuv\(part)p") || own.hasPrefix("yuvj\(part)p") {
                settings.pixelFormat = "yuv\(part)p" + (isDeep ? "10le" : "")
                settings.profile = nil
            }
        case .av1: settings.crf = 24
        case .vp9: settings.crf = 20
        case .prores:
            guard own.contains("444") || format.hasAlpha else { break }
            (settings.profile, settings.pixelFormat) = ("4444", "yuv444p10le")
            settings.alphaPixelFormat = "yuva444p10le"
            settings.options = ["vendor": "apl0", "alpha_bits": "16"]
        }
        return settings
    }
}

extension AudioSettings {
    /// Settings that keep stored codecs which are no choices of their own: samples in floating point, which integers would clip at full
    /// scale, Dolby Digital Plus, and what files of one codec hold.
    public static let kept =
        ["pcm_f32le", "pcm_f64le"].map {
            AudioSettings(
                codec: $0, encoder: $0, bitRate: nil, maxChannels: 16, maxSampleRate: 192_000)
        }
        + ["wavpack", "tta"].map {
            AudioSettings(
                codec: $0, encoder: $0, bitRate: nil, maxChannels: 8, maxSampleRate: 192_000, maxBits: 24)
        } + [
            AudioSettings(
                codec: "mp2", encoder: "mp2", bitRate: 256_000, maxChannels: 2, maxSampleRate: 48_000),
            AudioSettings(
                codec: "eac3", encoder: "eac3", bitRate: 256_000, maxChannels: 6, maxSampleRate: 48_000,
                surroundBitRate: 640_000),
        ]

    /// These settings with PCM in the byte order of a file type.
    public func ordered(for type: FileType) -> AudioSettings {
        guard type.isBigEndian, AudioCodecChoice(codec: codec) == .pcm else { return self }
        var settings = self
        (settings.codec, settings.encoder) = (codec.dropLast(2) + "be", encoder.dropLast(2) + "be")
        return settings
    }

    /// Every encoder of PCM by whose name settings may ask, in both byte orders.
    public static let encodersOfPCM = ["s16", "f32", "f64"].flatMap { ["pcm_\($0)le", "pcm_\($0)be"] }

    /// The settings of ``kept`` for a stored codec, in either byte order; nil: there are none.
    static func kept(codec: String) -> AudioSettings? {
        kept.first { $0.codec == codec || $0.codec == codec.dropLast(2) + "le" }
    }
}

/// An audio codec that an option can choose.
public enum AudioCodecChoice: String, Hashable, Codable, Sendable, CaseIterable {
    case aac, opus, mp3, ac3, flac, alac, pcm

    /// The choice that is a stored codec; nil if there is none.
    init?(codec: String) {
        if codec.hasPrefix("pcm_") { self = .pcm } else { self.init(rawValue: codec) }
    }

    /// Bits per second that its encoder takes for one channel at most, and for a track at most; nil: it has no bit rate.
    public var highestBitRate: (channel: Int, track: Int)? {
        switch self {
        case .aac: (256_000, 1_536_000)
        case .opus: (256_000, 2_000_000)
        case .mp3: (320_000, 320_000)
        case .ac3: (640_000, 640_000)
        case .flac, .alac, .pcm: nil
        }
    }

    /// Its settings without a preset's limits.
    public var settings: AudioSettings {
        switch self {
        case .aac:
            AudioSettings(
                codec: "aac", encoder: "aac", bitRate: 192_000, maxChannels: 8, maxSampleRate: 96_000)
        case .opus:
            AudioSettings(
                codec: "opus", encoder: "libopus", bitRate: 160_000, maxChannels: 8, maxSampleRate: 48_000)
        case .mp3:
            AudioSettings(
                codec: "mp3", encoder: "libmp3lame", bitRate: 192_000, maxChannels: 2, maxSampleRate: 48_000)
        case .ac3:
            AudioSettings(
                codec: "ac3", encoder: "ac3", bitRate: 192_000, maxChannels: 6, maxSampleRate: 48_000,
                surroundBitRate: 448_000)
        case .flac:
            AudioSettings(
                codec: "flac", encoder: "flac", bitRate: nil, maxChannels: 8, maxSampleRate: 192_000,
                maxBits: 24)
        case .alac:
            AudioSettings(
                codec: "alac", encoder: "alac", bitRate: nil, maxChannels: 8, maxSampleRate: 192_000,
                maxBits: 24)
        case .pcm:
            AudioSettings(
                codec: "pcm_s16le", encoder: "pcm_s16le", bitRate: nil, maxChannels: 16,
                maxSampleRate: 192_000,
                maxBits: 24)
        }
    }
}
