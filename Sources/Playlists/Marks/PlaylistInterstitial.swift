// A part of a film that is no part of the program, as a playlist marks it: an advertisement, a trailer. A value.
public import MediaTime

/// A part that a playlist marks as no part of the program.
public struct PlaylistInterstitial: Hashable, Sendable {
    /// How it is marked.
    public enum Kind: Hashable, Sendable {
        /// EXT-X-DATERANGE of the class com.apple.hls.interstitial.
        case interstitial
        /// EXT-X-DATERANGE with SCTE35-OUT.
        case scte35
        /// EXT-X-CUE-OUT.
        case cue
        /// Segments from elsewhere, between discontinuities.
        case part
    }

    /// The actions that a viewer is denied while it is shown.
    public enum Restriction: String, Hashable, Sendable, CaseIterable {
        case skip = "SKIP"
        case jump = "JUMP"
    }

    /// How it is marked.
    public var kind: Kind
    /// Its name in the playlist; nil: it has none.
    public var id: String?
    /// Where it begins, counted from the playlist's beginning.
    public var start: Time
    /// How long it is; nil: not known.
    public var duration: Time?
    /// The actions that a viewer is denied while it is shown.
    public var restrictions: [Restriction] = []
    /// Whether it lies in the playlist's own time. Otherwise players insert it at its start.
    public var isStitched: Bool
    /// The asset that players show, as the playlist names it; nil: its own segments, or not named.
    public var asset: String?
    /// The line that marks it.
    public var line: Int

    /// Where it ends in the playlist's time; nil: not known. One that is inserted ends where it begins.
    public var end: Time? { isStitched ? duration.map { start + $0 } : start }
}

extension PlaylistInterstitial {
    /// Longer texts of a playlist are cut: all interstitials together must fit an answer.
    private static let longestText = 200

    /// The beginning of a text of the playlist.
    static func shortened(_ text: String?) -> String? {
        guard let text, !text.isEmpty else { return nil }
        return text.unicodeScalars.count > longestText
            ? String(String.UnicodeScalarView(text.unicodeScalars.prefix(longestText))) + "…" : text
    }
}
