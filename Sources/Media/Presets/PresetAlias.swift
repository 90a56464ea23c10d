// Names by which people of other programs call presets. Where a name means one preset, it is accepted; where it may mean several, the
// error says which. A table of data. Pure.

/// Another name of a preset.
public struct PresetAlias: Hashable, Sendable {
    /// The name, in small letters.
    public let name: String
    /// The ID of the preset that it means; nil: it may mean several, and `hint` says which.
    public let id: String?
    /// Advice, where the name is not accepted.
    public let hint: String?

    private init(_ name: String, is id: String) { (self.name, self.id, hint) = (name, id, nil) }
    private init(_ name: String, hint: String) { (self.name, id, self.hint) = (name, nil, hint) }

    /// The row of a name, in any case.
    public static func row(of name: String) -> PresetAlias? {
        let wanted = name.lowercased()
        return all.first { $0.name == wanted }
    }

    private static func lines(_ presets: String) -> String { "there are \(presets)" }
    private static let types =
        "the extension of the output says the file type; for a preset choose highest, or m4v720 for a smaller file"

    /// All rows.
    public static let all: [PresetAlias] = [
        PresetAlias("copy", is: "passthrough"), PresetAlias("remux", is: "passthrough"),
        PresetAlias("aac", is: "m4a"), PresetAlias("prores", is: "prores422"),
        PresetAlias("hevc", is: "hevc-highest"),
        PresetAlias("h265", is: "hevc-highest"), PresetAlias("h.265", is: "hevc-highest"),
        PresetAlias("h264", is: "highest"), PresetAlias("h.264", is: "highest"),
        PresetAlias("4k", is: "3840x2160"), PresetAlias("2160p", is: "3840x2160"),
        PresetAlias("uhd", is: "3840x2160"),
        PresetAlias(
            "lossless",
            hint:
                "passthrough keeps all as it is stored; flac is lossless audio, and prores4444 nearly lossless video"
        ),
        PresetAlias("480p", hint: lines("640x480 and m4v480")),
        PresetAlias("540p", hint: lines("960x540")),
        PresetAlias("720p", hint: lines("1280x720 and, smaller, m4v720")),
        PresetAlias("1080p", hint: lines("1920x1080, m4v1080 and hevc1080")),
        PresetAlias("av1", hint: lines("av1-1080 and av1-2160")),
        PresetAlias("vp9", hint: lines("vp9-720 and vp9-1080")),
        PresetAlias("webm", hint: lines("vp9-720, vp9-1080, av1-1080 and opus")),
        PresetAlias("mp4", hint: types), PresetAlias("mov", hint: types), PresetAlias("mkv", hint: types),
        PresetAlias("m4v", hint: lines("m4v480, m4v720 and m4v1080")),
        PresetAlias("best", hint: "highest is the best H.264, hevc-highest the best HEVC"),
        PresetAlias("high", hint: "highest is the best H.264, hevc-highest the best HEVC"),
        PresetAlias("fast", hint: "without a preset only the ends are encoded"),
    ]

    /// Advice for the name of a preset of HandBrake's, such as `Fast 1080p30`; nil: it has not the form of one.
    static func handBrake(_ name: String) -> String? {
        guard let shape = name.split(separator: " ").first(where: { $0.contains(/^\d{3,4}p\d{2}$/) }) else {
            return nil
        }
        let lines = shape.prefix { $0 != "p" }
        return "this is one of HandBrake's: `trimctl presets import FILE` imports its presets; near it is "
            + (["480", "720", "1080"].contains(lines)
                ? "m4v\(lines)" : lines == "2160" ? "hevc2160" : "m4v720")
    }
}
