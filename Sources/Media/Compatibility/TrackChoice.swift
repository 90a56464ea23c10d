// Which tracks an export selects: all, the default one, or those with given numbers, languages or characteristics. The same
// spelling for video, audio and subtitles. Pure.

/// A selection of tracks of one kind.
public enum TrackChoice: Hashable, Sendable {
    case all
    /// The track with the default disposition, else the first.
    case standard
    case none
    /// Track numbers, languages (ISO 639 or BCP 47) and characteristics; selects every track that matches one of them.
    case listed([String])

    /// Track characteristics by their user-visible names, with FFmpeg's dispositions.
    public static let characteristics: [(name: String, dispositions: Set<String>)] = [
        ("default", ["default"]), ("forced", ["forced"]),
        ("hearing-impaired", ["hearing_impaired", "captions"]),
        ("visual-impaired", ["visual_impaired", "descriptions"]), ("original", ["original"]),
        ("dub", ["dub"]), ("commentary", ["comment"]), ("lyrics", ["lyrics"]), ("karaoke", ["karaoke"]),
        ("clean-effects", ["clean_effects"]),
    ]

    /// Parses a spelling; nil selects all.
    public init(_ spelling: String?) {
        switch spelling?.lowercased() {
        case nil, "all"?: self = .all
        case "default"?: self = .standard
        case "none"?: self = .none
        case let list?:
            self = .listed(list.split(separator: ",").map { String($0.filter { !$0.isWhitespace }) })
        }
    }

    /// The selected tracks, in order.
    public func tracks(of tracks: [Track]) -> [Track] {
        switch self {
        case .all: return tracks
        case .none: return []
        case .standard:
            let first = tracks.first { $0.dispositions.contains("default") && $0.isDecodable }
            return [first ?? tracks.first { $0.isDecodable } ?? tracks.first].compactMap(\.self)
        case .listed(let names):
            return tracks.filter { track in names.contains { TrackChoice.matches(track, $0) } }
        }
    }

    private static func matches(_ track: Track, _ name: String) -> Bool {
        if let number = Int(name) { return track.index == number }
        let plain = name.replacing("_", with: "-")
        if let known = characteristics.first(where: { $0.name == plain || $0.dispositions.contains(name) }) {
            return !known.dispositions.isDisjoint(with: track.dispositions)
        }
        guard let language = track.language else { return name == "und" }
        // A tag with subtags, such as pt-BR, must match in full.
        if name.contains("-") { return language.lowercased() == name }
        return LanguageCode.areSame(language, name)
    }
}

/// The tracks an export selects from an asset.
public struct TrackSelection: Hashable, Sendable {
    private let asset: Asset
    private let options: ExportOptions

    /// Creates the selection for an asset.
    public init(_ options: ExportOptions, of asset: Asset) {
        self.asset = asset
        self.options = options
    }

    /// An option that selects tracks.
    private struct Choice {
        var option: String
        var kind: String
        var spelling: String?
        /// The tracks that it selects from.
        var among: [Track]
        /// Its words that are neither numbers nor languages, as the end of a sentence.
        var words = "all, default or none"
    }

    private var choices: [Choice] {
        let subtitles = asset.subtitleTracks
        return [
            Choice(
                option: "--video", kind: "video", spelling: options.video, among: asset.videoTracks,
                words: "default or none"),
            Choice(option: "--audio", kind: "audio", spelling: options.audio, among: asset.audioTracks),
            Choice(option: "--subtitles", kind: "subtitle", spelling: options.subtitles, among: subtitles),
            Choice(
                option: "--burn-subtitles", kind: "subtitle",
                spelling: options.burnedFile == nil ? options.burnSubtitles : nil,
                among: subtitles, words: "default; a file is \(ExportOptions.subtitleFileRule)"),
        ]
    }

    /// The selected audio tracks.
    public var audio: [Track] { TrackChoice(options.audio).tracks(of: asset.audioTracks) }
    /// The selected subtitle tracks.
    public var subtitles: [Track] { TrackChoice(options.subtitles).tracks(of: asset.subtitleTracks) }

    /// The subtitle track that is drawn on the frames; nil: none was asked for, or there is none, or a file is drawn.
    public var burned: Track? {
        guard options.burnedFile == nil else { return nil }
        return options.burnSubtitles.flatMap { TrackChoice($0).tracks(of: asset.subtitleTracks).first }
    }

    /// The asset with the selected main video track. Throws if an option matches nothing.
    public func chosen() throws(MediaError) -> Asset {
        for choice in choices {
            guard case .listed = TrackChoice(choice.spelling),
                TrackChoice(choice.spelling).tracks(of: choice.among).isEmpty
            else { continue }
            let what = "\(choice.option) \(choice.spelling ?? ""): no \(choice.kind) track matches"
            guard !choice.among.isEmpty else {
                throw MediaError(
                    .invalidRequest, "\(what), since the file has none",
                    remedy: "leave out \(choice.option)"
                        + (choice.option == "--burn-subtitles"
                            ? "; a file of subtitles is \(ExportOptions.subtitleFileRule)" : ""))
            }
            let names = choice.among.map(TrackSelection.name).joined(separator: ", ")
            throw MediaError(
                .invalidRequest, "\(what); there are \(names)",
                remedy: "name one of these by its number, its language or what it is for, or say "
                    + choice.words)
        }
        var asset = asset
        switch TrackChoice(options.video) {
        case .all, .standard: break
        case .none: asset.videoChoice = .none
        case .listed:
            let track = TrackChoice(options.video).tracks(of: asset.videoTracks).first
            asset.videoChoice = track.map { .track($0.index) } ?? .none
        }
        return asset
    }

    /// A track with the properties it can be selected by: `2 (aac, fre, commentary)`.
    static func name(_ track: Track) -> String {
        let uses = TrackChoice.characteristics.filter {
            !$0.dispositions.isDisjoint(with: track.dispositions)
        }
        .map(\.name)
        let facts = [track.codec, track.language].compactMap(\.self) + uses
        return "\(track.index) (\(facts.joined(separator: ", ")))"
    }
}
