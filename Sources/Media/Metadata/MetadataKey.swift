// The metadata keys trimd knows, with all their names: FFmpeg's (which trimd uses), AVFoundation's common identifiers, and
// those of container key spaces. One table drives reading, writing and checking.

/// A metadata key that several containers support.
public struct MetadataKey: Hashable, Sendable {
    /// The format of a value.
    public enum Form: Hashable, Sendable {
        /// Any text.
        case text
        /// A year, a month, a day or a moment, in ISO 8601.
        case date
        /// A day or a moment, in ISO 8601: a date that containers store as a count.
        case moment
        /// A whole number.
        case number
        /// `n` or `n/m`.
        case position
        /// A Boolean: 1 or 0.
        case flag
        /// A location in ISO 6709.
        case place
        /// A content rating: `mpaa|PG-13|300|`.
        case rating
        /// An iTunes media type.
        case mediaType
    }

    /// FFmpeg's name, which trimd uses.
    public let name: String
    /// AVFoundation's common identifier, if there is one.
    public let common: String?
    /// The format of its values.
    public let form: Form
    /// The name after `com.apple.quicktime.`, if QuickTime has one.
    public let quickTime: String?
    /// The four characters of the iTunes atom (`©` is one character), if there is one.
    public let iTunes: String?
    /// The Matroska tag, if it is not the name in capitals.
    public let matroska: String?
    /// Other names used in files.
    public let others: [String]
    /// Whether sharing keeps it: it describes the work, not its author, location or device.
    public let isShared: Bool
    /// Whether it says when something was made: sharing keeps it only where that is requested.
    public var isDate: Bool { form == .date || form == .moment }

    init(
        _ name: String, _ form: Form = .text, common: String? = nil, qt: String? = nil, itunes: String? = nil,
        mkv: String? = nil, others: [String] = [], shared: Bool = true
    ) {
        self.name = name
        self.form = form
        self.common = common
        quickTime = qt
        iTunes = itunes
        matroska = mkv
        self.others = others
        isShared = shared
    }

    /// All known keys.
    public static let all: [MetadataKey] = [
        MetadataKey("title", common: "title", qt: "title", itunes: "©nam", others: ["displayname"]),
        MetadataKey("artist", common: "artist", qt: "artist", itunes: "©ART"),
        MetadataKey("album_artist", itunes: "aART", others: ["albumartist"]),
        MetadataKey("album", common: "albumName", qt: "album", itunes: "©alb"),
        MetadataKey("composer", common: "creator", qt: "creator", itunes: "©wrt"),
        MetadataKey("author", common: "author", qt: "author", mkv: "WRITTEN_BY", shared: false),
        MetadataKey("performer", qt: "performer", others: ["lead_performer"]),
        MetadataKey("director", qt: "director"),
        MetadataKey("producer", qt: "producer"),
        MetadataKey("contributor", common: "contributor"),
        MetadataKey("publisher", common: "publisher", qt: "publisher", others: ["organization", "label"]),
        MetadataKey("subject", common: "subject"),
        MetadataKey(
            "date", .date, common: "creationDate", qt: "creationdate", itunes: "©day", mkv: "DATE_RELEASED",
            others: ["date_recorded", "year", "tyer"]),
        MetadataKey("creation_time", .moment, mkv: "", others: ["creationtime"]),
        MetadataKey("modification_date", .date, common: "lastModifiedDate"),
        MetadataKey("description", common: "description", qt: "description", itunes: "desc"),
        MetadataKey("synopsis", qt: "information", itunes: "ldes"),
        MetadataKey("comment", qt: "comment", itunes: "©cmt"),
        MetadataKey("copyright", common: "copyrights", qt: "copyright", itunes: "cprt"),
        MetadataKey("genre", common: "type", qt: "genre", itunes: "©gen"),
        MetadataKey("keywords", qt: "keywords", itunes: "keyw"),
        MetadataKey("lyrics", itunes: "©lyr"),
        MetadataKey("grouping", itunes: "©grp"),
        MetadataKey("language", common: "language"),
        MetadataKey("source", common: "source"),
        MetadataKey("relation", common: "relation"),
        MetadataKey("format", common: "format", others: ["original_format"]),
        MetadataKey("identifier", common: "assetIdentifier", qt: "content.identifier", shared: false),
        MetadataKey(
            "accessibility_description", common: "accessibilityDescription", qt: "accessibility.description"),
        MetadataKey(
            "encoder", common: "software", qt: "software", itunes: "©too", others: ["software"],
            shared: false),
        MetadataKey("encoded_by", itunes: "©enc", shared: false),
        MetadataKey("make", common: "make", qt: "make", shared: false),
        MetadataKey("model", common: "model", qt: "model", shared: false),
        MetadataKey(
            "location", .place, common: "location", qt: "location.ISO6709", mkv: "RECORDING_LOCATION",
            others: ["location-eng"], shared: false),
        MetadataKey("track", .position, itunes: "trkn", mkv: "PART_NUMBER", others: ["tracknumber"]),
        MetadataKey("disc", .position, itunes: "disk", others: ["discnumber"]),
        MetadataKey("show", itunes: "tvsh"),
        MetadataKey("episode_id", itunes: "tven"),
        MetadataKey("season_number", .number, itunes: "tvsn"),
        MetadataKey("episode_sort", .number, itunes: "tves"),
        MetadataKey("network", itunes: "tvnn"),
        MetadataKey("media_type", .mediaType, itunes: "stik"),
        MetadataKey("hd_video", .number, itunes: "hdvd"),
        MetadataKey("gapless_playback", .flag, itunes: "pgap"),
        MetadataKey("compilation", .flag, itunes: "cpil"),
        MetadataKey("podcast", .flag, itunes: "pcst"),
        MetadataKey("rating", .number, itunes: "rtng"),
        MetadataKey("content_rating", .rating, itunes: "----", others: ["itunextc"]),
        MetadataKey("sort_name", itunes: "sonm", others: ["titlesort"]),
        MetadataKey("sort_artist", itunes: "soar", others: ["artistsort"]),
        MetadataKey("sort_album", itunes: "soal", others: ["albumsort"]),
        MetadataKey("sort_album_artist", itunes: "soaa", others: ["albumartistsort"]),
        MetadataKey("sort_composer", itunes: "soco"),
        MetadataKey("sort_show", itunes: "sosn"),
    ]

    private static let byName: [String: MetadataKey] = {
        var names: [String: MetadataKey] = [:]
        // Names take precedence: one key's alias can be another key's name.
        for key in all { names[key.name] = key }
        for key in all {
            let more = [key.common, key.quickTime.map { "com.apple.quicktime.\($0)" }, key.matroska]
            for name in more.compactMap(\.self) + key.others where !name.isEmpty {
                if names[name.lowercased()] == nil { names[name.lowercased()] = key }
            }
        }
        return names
    }()

    /// The key's names in other key spaces.
    public var otherNames: [String] {
        let matroska = matroska.flatMap { $0.isEmpty ? nil : $0 }
        return [quickTime.map { "com.apple.quicktime.\($0)" }, matroska].compactMap(\.self) + others
    }

    /// The key with this name in any key space, case-insensitive.
    public static func named(_ name: String) -> MetadataKey? { byName[name.lowercased()] }

    /// All accepted key names.
    public static var names: [String] { byName.keys.sorted() }
}
