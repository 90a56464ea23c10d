// Which audio tracks of an asset an export takes: all, the one that would be heard, or those of some languages or numbers.
// Pure.

/// A choice of audio tracks.
public enum AudioChoice: Hashable, Sendable {
    case all
    /// The one with the default disposition, else the first.
    case standard
    case none
    /// Languages (ISO 639-2 or -1) and track numbers, in the order of preference of whoever wrote them; all that match.
    case listed([String])

    /// A choice as it is spelled; nothing is all.
    public init(_ spelling: String?) {
        switch spelling?.lowercased() {
        case nil, "all"?: self = .all
        case "default"?: self = .standard
        case "none"?: self = .none
        case let list?: self = .listed(list.split(separator: ",").map { String($0.filter { $0 != " " }) })
        }
    }

    /// The tracks of an asset that are taken, in the asset's order.
    public func tracks(of asset: Asset) -> [Track] {
        let tracks = asset.audioTracks
        switch self {
        case .all: return tracks
        case .none: return []
        case .standard:
            let first = tracks.first { $0.dispositions.contains("default") && $0.isDecodable }
            return [first ?? tracks.first { $0.isDecodable } ?? tracks.first].compactMap(\.self)
        case .listed(let names):
            return tracks.filter { track in names.contains { AudioChoice.matches(track, $0) } }
        }
    }

    private static func matches(_ track: Track, _ name: String) -> Bool {
        if let number = Int(name) { return track.index == number }
        guard let language = track.language?.lowercased() else { return name == "und" }
        return language == name || language.hasPrefix(name + "-") || names[name] == language
            || names[name].flatMap { twins[$0] } == language || twins[name] == language
    }

    /// Two letters for three, of languages that films are often made in.
    private static let names = [
        "en": "eng", "de": "ger", "fr": "fre", "es": "spa", "it": "ita", "pt": "por", "nl": "dut",
        "sv": "swe",
        "da": "dan", "no": "nor", "fi": "fin", "pl": "pol", "cs": "cze", "ru": "rus", "uk": "ukr",
        "ja": "jpn",
        "ko": "kor", "zh": "chi", "ar": "ara", "he": "heb", "hi": "hin", "tr": "tur", "el": "gre",
        "hu": "hun",
    ]
    /// ISO 639-2 has two words for some languages.
    private static let twins = pairs.merging(pairs.map { ($0.value, $0.key) }) { a, _ in a }
    private static let pairs = [
        "ger": "deu", "fre": "fra", "dut": "nld", "cze": "ces", "chi": "zho", "gre": "ell",
    ]
}
