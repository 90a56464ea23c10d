// Whether a track already conforms to a preset, so that its samples can be copied. Pure.
internal import MediaTime

/// Checks tracks against a preset's settings: nil if they conform, else the reason, as the end of a sentence.
public enum Conformance {
    private static let profiles = ["Constrained Baseline", "Baseline", "Main", "High"]

    /// Pixel formats that the settings ask for, or lower ones: a player of 10 bits plays 8.
    private static func accepted(_ settings: VideoSettings) -> Set<String> {
        var formats: Set<String> = [settings.pixelFormat]
        if let alpha = settings.alphaPixelFormat { formats.insert(alpha) }
        if settings.pixelFormat == "yuv420p10le" { formats.insert("yuv420p") }
        return formats
    }

    /// FFmpeg's names for the profile that an encoder spells differently; nil: any profile conforms.
    private static func ranks(_ settings: VideoSettings) -> [String]? {
        switch (settings.codec, settings.profile?.lowercased()) {
        case ("h264", let wanted?):
            profiles.firstIndex { $0.lowercased() == wanted }.map { Array(profiles[...$0]) }
        case ("hevc", "main10"?): ["Main", "Main 10"]
        case ("hevc", "main"?): ["Main"]
        case ("vp9", "0"?): ["Profile 0"]
        case ("prores", "standard"?): ["Standard"]
        case ("prores", "4444"?): ["4444"]
        default: nil
        }
    }

    /// Why a video track does not conform to the settings.
    public static func obstacle(_ track: Track, _ settings: VideoSettings) -> String? {
        guard let format = track.video else { return "it has no video" }
        if track.codec != settings.codec { return "its codec is \(track.codec), not \(settings.codec)" }
        if let wanted = settings.profile, let profile = track.profile, let allowed = ranks(settings),
            !allowed.contains(where: { $0.lowercased() == profile.lowercased() })
        {
            return "its profile is \(profile), not \(wanted)"
        }
        if let wanted = settings.level.flatMap(Double.init), let level = track.level.flatMap(Double.init),
            level > wanted
        {
            return "its level is \(level), above \(wanted)"
        }
        let isTurned = format.rotation % 180 != 0
        let (width, height) = isTurned ? (format.height, format.width) : (format.width, format.height)
        let (long, short) = (max(width, height), min(width, height))
        if let boxWidth = settings.maxWidth, let boxHeight = settings.maxHeight {
            let (boxLong, boxShort) = (max(boxWidth, boxHeight), min(boxWidth, boxHeight))
            if long > boxLong || short > boxShort { return "its size is \(width)x\(height)" }
        }
        if format.crop != nil { return "its clean aperture is not the whole frame" }
        if format.width % 2 != 0 || format.height % 2 != 0 { return "its size is odd" }
        if format.sampleAspect != Ratio(1) { return "its pixels are not square" }
        if let pixels = format.pixelFormat, !accepted(settings).contains(pixels) {
            return "its pixels are \(pixels)"
        }
        if format.hasAlpha, settings.alphaPixelFormat == nil { return "it has alpha" }
        if format.fieldOrder == .topFieldFirst || format.fieldOrder == .bottomFieldFirst {
            return "it is interlaced"
        }
        if format.color.dynamicRange != nil, !settings.isDeep { return "it is HDR" }
        if format.color.range == "pc" { return "its colours are of full range" }
        if let cap = settings.maxFrameRate, let rate = format.frameRate, rate > cap {
            return "its frame rate is \(rate)"
        }
        if let most = settings.maxBitRate ?? settings.bitRate, let rate = track.bitRate, rate > Int64(most) {
            return "its bit rate is \(rate)"
        }
        return nil
    }

    /// Why an audio track does not conform to the settings.
    public static func obstacle(_ track: Track, _ settings: AudioSettings) -> String? {
        guard let format = track.audio else { return "it has no audio" }
        if track.codec != settings.codec { return "its codec is \(track.codec), not \(settings.codec)" }
        if track.codec == "aac", let profile = track.profile, profile != "LC" {
            return "its profile is \(profile)"
        }
        if let bits = format.bits, bits > settings.maxBits ?? 16, settings.bitRate == nil {
            return "its samples have \(bits) bits"
        }
        if format.channels > settings.maxChannels { return "it has \(format.channels) channels" }
        if format.sampleRate > settings.maxSampleRate { return "its rate is \(format.sampleRate)" }
        if let most = settings.bitRate, let rate = track.bitRate, Double(rate) > Double(most) * 1.25 {
            return "its bit rate is \(rate)"
        }
        return nil
    }
}
