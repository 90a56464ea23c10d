// Formats presets: the list, one preset with all its settings, and faults found in files. Text only.
internal import Media
internal import MediaTime

/// Formats presets.
enum PresetText {
    /// All presets, one per line.
    static func table(_ presets: [Preset]) -> String {
        var table = Columns([("ID", .left), ("NAME", .left), ("TYPES", .left), ("AVFOUNDATION", .left)])
        for preset in presets {
            let sound = (preset.audioOnlyFileTypes ?? []).filter { !preset.fileTypes.contains($0) }
            let types =
                preset.fileTypes.joined(separator: " ")
                + (sound.isEmpty ? "" : " (\(sound.joined(separator: " ")))")
            table.add([preset.id, preset.name, types, preset.appleName ?? "-"])
        }
        return table.text
    }

    /// One preset with all its settings.
    static func page(_ preset: Preset) -> String {
        var lines = Labelled()
        lines.add("Apple", preset.appleName)
        lines.add("types", preset.fileTypes.joined(separator: ", "))
        lines.add(
            "", preset.audioOnlyFileTypes.map { "\($0.joined(separator: ", ")) for a file without video" })
        lines.add("video", preset.video.map(video) ?? "none")
        lines.add("audio", preset.audio.map(audio) ?? "none")
        if preset.optimizeForNetwork { lines.add("index", "before the media (fast start)") }
        return "\(preset.id): \(preset.name)\n" + lines.text
    }

    private static func video(_ video: VideoSettings) -> String {
        var codec = [video.codec, video.profile, video.level].compactMap(\.self).joined(separator: " ")
        codec += " by \(video.encoder)" + (video.speed.map { " (\($0))" } ?? "") + ", \(video.pixelFormat)"
        var size = "as large as the source"
        if let width = video.maxWidth, let height = video.maxHeight {
            size = "at most \(width)x\(height), rotated for portrait sources"
        }
        if let rate = video.maxFrameRate { size += "; at most \(Units.rate(rate)) frames/s" }
        for box in video.alternatives ?? [] {
            size +=
                "\nat most \(box.maxWidth)x\(box.maxHeight) up to \(Units.rate(box.maxFrameRate)) frames/s"
        }
        if video.alphaPixelFormat != nil { size += "; alpha is kept" }
        var rate: [String] = []
        if let crf = video.crf { rate.append("constant quality \(Units.trimmed(Units.fixed(crf, 2)))") }
        if let bits = video.bitRate { rate.append("on average \(Units.bitRate(Int64(bits)))") }
        if let bits = video.maxBitRate { rate.append("at most \(Units.bitRate(Int64(bits)))") }
        if video.twoPass == true { rate.append("in two passes") }
        rate.append("a keyframe every \(video.keyframeInterval) s at least")
        return [codec, size, rate.joined(separator: ", ")].joined(separator: "\n")
    }

    private static func audio(_ audio: AudioSettings) -> String {
        let rate = audio.bitRate.map { ", \(Units.bitRate(Int64($0)))" } ?? ""
        let bits = audio.maxBits.map { ", at most \($0) bits" } ?? ""
        let channels =
            audio.maxChannels == 1
            ? "mono" : audio.maxChannels == 2 ? "stereo" : "\(audio.maxChannels) channels"
        return
            "\(audio.codec) by \(audio.encoder)\(rate)\(bits), at most \(channels) and \(audio.maxSampleRate) Hz"
    }
}
