// When the subtitles to draw are a file, and not a track of the film. Pure.
internal import Text

extension RenderOptions {
    /// The ends of the names of subtitle files.
    public static let subtitleTypes = ["srt", "ass", "ssa", "vtt"]
    /// The rule for people, as the end of a sentence.
    public static let subtitleFileRule = "a name with a / in it, or one that ends in .srt, .ass, .ssa or .vtt"

    /// The path of the file whose subtitles are drawn; nil: none, or a track's. No language and no number has a slash or such an end.
    public var burnedFile: String? {
        burnSubtitles.flatMap { RenderOptions.isSubtitleFile($0) ? $0 : nil }
    }

    /// Whether a value of `burnSubtitles` is the path of a file.
    public static func isSubtitleFile(_ value: String) -> Bool {
        if value.utf8.contains(UInt8(ascii: "/")) { return true }
        let name = value.lowercased()
        return subtitleTypes.contains { name.hasSuffix("." + $0) }
    }
}
