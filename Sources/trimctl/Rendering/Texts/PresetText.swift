// Formats presets: the list, one preset with all its settings, and faults found in files. Text only.
internal import Media
internal import MediaTime
internal import Text
internal import Wire

/// Formats presets.
enum PresetText {
    /// All presets, one per line.
    static func table(_ presets: [Preset], width: Int? = nil) -> String {
        var table = Columns([("ID", .left), ("NAME", .left), ("TYPES", .left), ("AVFOUNDATION", .left)])
        for preset in presets {
            let audioOnly = (preset.audioOnlyFileTypes ?? []).filter { !preset.fileTypes.contains($0) }
            let types =
                preset.fileTypes.joined(separator: " ")
                + (audioOnly.isEmpty ? "" : " (\(audioOnly.joined(separator: " ")))")
            table.add([preset.id, preset.name, types, preset.appleName ?? "-"])
        }
        return table.text(within: width)
    }

    /// One preset with all its settings: each key of a preset file changes the page. A key without a phrase here is shown by its
    /// name, so that a new one needs nothing.
    static func page(_ preset: Preset) -> String {
        var lines = Labelled()
        lines.add("Apple", preset.appleName)
        lines.add("types", preset.fileTypes.joined(separator: ", "))
        lines.add(
            "", preset.audioOnlyFileTypes.map { "\($0.joined(separator: ", ")) for a file without video" })
        if preset.isPassthrough {
            lines.add("tracks", "copied as they are stored")
        } else {
            lines.add("video", preset.video.map(video) ?? "none")
            lines.add("audio", preset.audio.map(audio) ?? "none")
        }
        if preset.alwaysEncodes {
            lines.add("copying", "never, even if the file already is as the preset asks")
        }
        if preset.optimizeForNetwork { lines.add("index", "before the media (fast start)") }
        return "\(preset.id): \(preset.name)\n" + lines.text
    }

    private static func video(_ video: VideoSettings) -> String {
        let names = [
            video.codec, video.profile, video.level.map { "level \($0)" }, video.tier.map { "\($0) tier" },
        ]
        var codec = names.compactMap(\.self).joined(separator: " ")
        codec += " by \(video.encoder)" + (video.speed.map { " (\($0))" } ?? "") + ", \(video.pixelFormat)"
        if let alpha = video.alphaPixelFormat { codec += ", \(alpha) with alpha" }
        let options = (video.options ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        let phrased: Set = [
            "codec", "encoder", "profile", "level", "tier", "maxWidth", "maxHeight", "maxFrameRate",
            "alternatives",
            "crf", "bitRate", "maxBitRate", "bufferSize", "twoPass", "speed", "keyframeInterval",
            "pixelFormat",
            "alphaPixelFormat", "options",
        ]
        let text = [
            codec, size(video), rate(video), options.joined(separator: " "), others(video, but: phrased),
        ]
        return text.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private static func size(_ video: VideoSettings) -> String {
        var size = "as large as the source"
        if let width = video.maxWidth, let height = video.maxHeight {
            size = "at most \(width)x\(height), rotated for portrait sources"
        }
        if let rate = video.maxFrameRate { size += "; at most \(Units.rate(rate)) frames/s" }
        for box in video.alternatives ?? [] {
            size +=
                "\nat most \(box.maxWidth)x\(box.maxHeight) up to \(Units.rate(box.maxFrameRate)) frames/s"
        }
        return size
    }

    private static func rate(_ video: VideoSettings) -> String {
        var rate: [String] = []
        if let crf = video.crf { rate.append("constant quality \(Units.trimmed(Units.fixed(crf, 2)))") }
        if let bits = video.bitRate { rate.append("on average \(Units.bitRate(Int64(bits)))") }
        if let bits = video.maxBitRate { rate.append("at most \(Units.bitRate(Int64(bits)))") }
        if let bits = video.bufferSize {
            rate.append("decoder buffer \(Units.trimmed(Units.fixed(Double(bits) / 1_000_000, 3))) Mbit")
        }
        if let twice = video.twoPass { rate.append(twice ? "in two passes" : "in one pass") }
        rate.append("a keyframe every \(video.keyframeInterval) s at least")
        return rate.joined(separator: ", ")
    }

    /// The keys of settings for which there is no phrase, with their values.
    static func others(_ settings: some Encodable, but phrased: Set<String>) -> String {
        let members = (try? JSONValue(encoding: settings))?.object?.members ?? []
        return members.filter { !phrased.contains($0.name) && $0.value.content != .null }
            .map { "\($0.name) \(String(decoding: $0.value.encoded, as: UTF8.self))" }
            .joined(separator: ", ")
    }

    private static func audio(_ audio: AudioSettings) -> String {
        let rate = audio.bitRate.map { ", \(Units.bitRate(Int64($0)))" } ?? ""
        let surround = audio.surroundBitRate.map { ", \(Units.bitRate(Int64($0))) for surround" } ?? ""
        let track = audio.trackBitRate.map { ", \(Units.bitRate(Int64($0))) a track" } ?? ""
        let bits = audio.maxBits.map { ", at most \($0) bits" } ?? ""
        let channels =
            audio.maxChannels == 1
            ? "mono" : audio.maxChannels == 2 ? "stereo" : "\(audio.maxChannels) channels"
        let phrased: Set = [
            "codec", "encoder", "bitRate", "surroundBitRate", "trackBitRate", "maxChannels", "maxSampleRate",
            "maxBits",
        ]
        let others = others(audio, but: phrased)
        return
            "\(audio.codec) by \(audio.encoder)\(rate)\(surround)\(track)\(bits), at most \(channels) and \(audio.maxSampleRate) Hz"
            + (others.isEmpty ? "" : "\n" + others)
    }
}
