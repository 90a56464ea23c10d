// The video settings of a HandBrake preset as those of a preset of trimd's. HandBrake's names and numbers are those of releases 1.6 to 1.11:
// its source, libhb/common.c, encx264.c, encx265.c, encsvtav1.c and encavcodec.c.
internal import Media
internal import MediaTime

extension HandBrakeSettings {
    /// An encoder of HandBrake's, and the one that trimd has for it.
    private struct Encoder {
        let codec: String, encoder: String, pixelFormat: String
        /// A software encoder in place of one of the hardware's.
        var isSubstitute = false
        /// The profile that fixes the quality, for codecs of production.
        var profile: String?
        var options: [String: String]?
    }

    /// The encoder of a name, in any case: releases differ in it.
    private static func encoder(_ word: String, profile: String?) -> Encoder? {
        let name = word.lowercased()
        let bits = name.hasSuffix("_12bit") ? 12 : name.hasSuffix("_10bit") ? 10 : 8
        let pixels = bits == 8 ? "yuv420p" : "yuv420p\(bits)le"
        let plain = bits == 8 ? name : String(name.dropLast(6))
        switch plain {
        case "x264" where bits < 12: return Encoder(codec: "h264", encoder: "libx264", pixelFormat: pixels)
        case "x265": return Encoder(codec: "hevc", encoder: "libx265", pixelFormat: pixels)
        case "svt_av1": return Encoder(codec: "av1", encoder: "libsvtav1", pixelFormat: pixels)
        case "vp8": return Encoder(codec: "vp8", encoder: "libvpx", pixelFormat: "yuv420p")
        case "vp9": return Encoder(codec: "vp9", encoder: "libvpx-vp9", pixelFormat: pixels)
        case "ffv1": return Encoder(codec: "ffv1", encoder: "ffv1", pixelFormat: pixels)
        case "prores":
            let known: String =
                ["proxy", "lt", "standard", "hq", "4444", "4444xq"].first { $0 == profile } ?? "standard"
            return Encoder(
                codec: "prores", encoder: "prores_ks",
                pixelFormat: known.hasPrefix("4444") ? "yuv444p10le" : "yuv422p10le", profile: known,
                options: ["vendor": "apl0"])
        case "dnxhr":
            let known: String = ["lb", "sq", "hq", "hqx", "444"].first { $0 == profile } ?? "sq"
            let format = ["hqx": "yuv422p10le", "444": "yuv444p10le"][known] ?? "yuv422p"
            return Encoder(codec: "dnxhd", encoder: "dnxhd", pixelFormat: format, profile: "dnxhr_" + known)
        default: break
        }
        // vce_h264, nvenc_h265, qsv_av1, mf_h265, vt_h265
        guard let codec = plain.split(separator: "_").last, plain.contains("_") else { return nil }
        switch codec {
        case "h264":
            return Encoder(codec: "h264", encoder: "libx264", pixelFormat: "yuv420p", isSubstitute: true)
        case "h265":
            return Encoder(codec: "hevc", encoder: "libx265", pixelFormat: pixels, isSubstitute: true)
        case "av1":
            return Encoder(codec: "av1", encoder: "libsvtav1", pixelFormat: pixels, isSubstitute: true)
        default: return nil
        }
    }

    /// The video settings; nil with the reason if there is no encoder for them.
    mutating func video() -> (settings: VideoSettings?, reason: String?) {
        let name = text("VideoEncoder") ?? "x264"
        let profile = text("VideoProfile")
        guard let encoder = HandBrakeSettings.encoder(name, profile: profile) else {
            return (nil, "there is no encoder for VideoEncoder=\(name)")
        }
        var settings = VideoSettings(
            codec: encoder.codec, encoder: encoder.encoder, pixelFormat: encoder.pixelFormat)
        if encoder.isSubstitute {
            approximate("VideoEncoder", "encoded by \(encoder.encoder), in software")
        }
        box(&settings)
        if VideoSettings.intraEncoders.contains(encoder.encoder) {
            (settings.profile, settings.options) = (encoder.profile, encoder.options)
            fixedQuality(encoder)
        } else {
            // As HandBrake sets them where nothing else is asked for: ten seconds.
            settings.keyframeInterval = Ratio(10)
            self.profile(&settings, encoder)
            speed(&settings, encoder)
            options(&settings)
            guard rate(&settings) else { return (nil, "there is neither a quality nor a bit rate") }
        }
        carry(HandBrakeSettings.described(settings))
        return (settings, nil)
    }

    /// Settings of codecs of production, whose profile fixes the quality: each frame is a keyframe.
    private mutating func fixedQuality(_ encoder: Encoder) {
        pass([
            "VideoQualityType", "VideoQualitySlider", "VideoAvgBitrate", "VideoMultiPass", "VideoTwoPass",
            "VideoTurboMultiPass", "VideoTurboTwoPass", "VideoLevel", "VideoPreset", "VideoTune",
        ])
        if encoder.profile == nil {
            approximate("VideoEncoder", "frames are \(encoder.pixelFormat), whatever the source's are")
        }
        if text("VideoOptionExtra") != nil { leaveOut("VideoOptionExtra", "the profile fixes the quality") }
    }

    private mutating func profile(_ settings: inout VideoSettings, _ encoder: Encoder) {
        if let profile = text("VideoProfile"), profile != "auto" {
            if ["h264", "hevc"].contains(settings.codec), !encoder.isSubstitute {
                settings.profile = profile
            } else if !encoder.isSubstitute {
                approximate("VideoProfile", "the profile that the pixel format \(settings.pixelFormat) has")
            }
        }
        guard let level = text("VideoLevel"), level != "auto" else { return }
        let name = level.hasSuffix(".0") ? String(level.dropLast(2)) : level
        guard let known = VideoLevel.named(name, of: settings.codec) else {
            if ["h264", "hevc"].contains(settings.codec) {
                leaveOut("VideoLevel", "the lowest level that the video needs")
            }
            return
        }
        settings.level = known.name
        // HandBrake lets the encoder use all that the level allows.
        let most = known.bitRate(profile: settings.profile, tier: nil)
        (settings.maxBitRate, settings.bufferSize) = (most, most)
    }

    private mutating func speed(_ settings: inout VideoSettings, _ encoder: Encoder) {
        let preset = text("VideoPreset")
        switch settings.encoder {
        case "libvpx", "libvpx-vp9":
            // encavcodec.c, apply_vpx_preset
            let speeds = [
                "veryfast": "5", "faster": "4", "fast": "3", "medium": "2", "slow": "1", "slower": "0",
                "veryslow": "0",
            ]
            settings.speed = speeds[preset ?? ""] ?? "2"
            settings.options = ["deadline": preset == "veryslow" ? "best" : "good"]
            if settings.encoder == "libvpx-vp9" { settings.options?["row-mt"] = "1" }
        case _ where encoder.isSubstitute:
            settings.speed = settings.encoder == "libsvtav1" ? "8" : "medium"
            if preset != nil { approximate("VideoPreset", "\(settings.encoder) \(settings.speed ?? "")") }
        default: settings.speed = preset
        }
    }

    /// Quality or bit rate; false if there is neither.
    private mutating func rate(_ settings: inout VideoSettings) -> Bool {
        pass(["VideoTurboTwoPass", "VideoTurboMultiPass"])
        let isTwoPass = flag("VideoTwoPass") || flag("VideoMultiPass")
        let (quality, kilobits) = (number("VideoQualitySlider"), number("VideoAvgBitrate"))
        if number("VideoQualityType") == 1, let kilobits, kilobits >= 1 {
            settings.bitRate = Int(min(kilobits, 1e6) * 1000)
            if isTwoPass, VideoSettings.twoPassEncoders.contains(settings.encoder) {
                settings.twoPass = true
            } else if isTwoPass {
                leaveOut("VideoTwoPass", "\(settings.encoder) has one pass here")
            }
            return true
        }
        guard let quality, quality >= 0 else { return false }
        settings.crf = min(quality, settings.codec == "h264" || settings.codec == "hevc" ? 51 : 63)
        return true
    }

    /// The encoder's own options: rates and keyframes as trimd's settings, the others as they are.
    private mutating func options(_ settings: inout VideoSettings) {
        var rest: [(String, String)] = []
        let separator: Character = ":"
        let rate = settings.maxFrameRate?.value ?? 30
        for word in (text("VideoOptionExtra") ?? "").split(separator: separator) {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map(String.init)
            guard !parts[0].isEmpty else { continue }
            let (key, value) = (parts[0], parts.count > 1 ? parts[1] : "1")
            switch (key, Double(value)) {
            case ("vbv-maxrate", let kilobits?) where 1..<1e6 ~= kilobits:
                settings.maxBitRate = Int(kilobits * 1000)
            case ("vbv-bufsize", let kilobits?) where 1..<1e6 ~= kilobits:
                settings.bufferSize = Int(kilobits * 1000)
            case ("keyint", let frames?) where 1..<1e6 ~= frames:
                let interval =
                    Int64(exactly: rate.rounded()).flatMap { Ratio(Int64(frames), $0) } ?? Ratio(10)
                // A preset's interval is in seconds, and at least a tenth of one.
                let isShort = interval.value < 0.1
                settings.keyframeInterval = isShort ? Ratio(1, 10) ?? interval : interval
                if isShort { rest.append((key, value)) }
            // Chunks and scene cuts begin with a keyframe at any distance.
            case ("min-keyint", _): break
            default: rest.append((key, value))
            }
        }
        if settings.maxBitRate != nil, settings.bufferSize == nil {
            settings.bufferSize = settings.maxBitRate
        }
        if settings.maxBitRate == nil { settings.bufferSize = nil }
        if let tune = text("VideoTune"), tune != "none" {
            if settings.encoder == "libx264" || settings.encoder == "libx265" {
                settings.options = (settings.options ?? [:]).merging(["tune": tune]) { $1 }
            } else {
                leaveOut("VideoTune", "\(settings.encoder) is not tuned")
            }
        }
        guard !rest.isEmpty else { return }
        let joined = rest.map { "\($0.0)=\($0.1)" }.joined(separator: ":")
        let own: [String: String] =
            switch settings.encoder {
            case "libx264": ["x264-params": joined]
            case "libx265": ["x265-params": joined]
            case "libsvtav1": ["svtav1-params": joined]
            default: Dictionary(rest) { $1 }
            }
        settings.options = (settings.options ?? [:]).merging(own) { $1 }
    }

    /// The settings in a few words.
    private static func described(_ settings: VideoSettings) -> String {
        var words = [settings.codec]
        words += [settings.profile, settings.level.map { "level \($0)" }].compactMap(\.self)
        if let crf = settings.crf { words.append("CRF \(crf.formatted)") }
        if let rate = settings.bitRate { words.append("\(rate / 1000) kbit/s") }
        if settings.twoPass == true { words.append("two passes") }
        if let speed = settings.speed { words.append("speed \(speed)") }
        if let width = settings.maxWidth, let height = settings.maxHeight {
            words.append("at most \(width)x\(height)")
        }
        if let rate = settings.maxFrameRate { words.append("at most \(rate) frames/s") }
        return words.joined(separator: ", ")
    }
}

extension Double {
    fileprivate var formatted: String { self == rounded() && abs(self) < 1e9 ? "\(Int(self))" : "\(self)" }
}
