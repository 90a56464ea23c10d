// Metadata in the key space of an output: entries for FFmpeg's muxer, entries written directly to a movie box, and entries the
// container cannot hold. Pure.
internal import Media

/// Metadata for one container.
struct TagTranslation: Sendable {
    /// Entries for FFmpeg's muxer.
    var dictionary: [String: String] = [:]
    /// Entries for the movie box; nil for other containers.
    var movie: MovieMetadata?
    /// An image stored as an attachment, a stream or a comment.
    var artwork: Artwork?
    /// Names of entries the container cannot hold.
    var lost: [String] = []

    /// Translates metadata.
    /// - Parameter muxer: FFmpeg's muxer name.
    init(_ tags: Tags, artwork: Artwork?, muxer: String) {
        switch muxer {
        case "mp4", "ipod": iTunes(tags, artwork)
        case "mov": quickTime(tags, artwork)
        case "matroska", "webm": matroska(tags, artwork, isWebM: muxer == "webm")
        case "flac", "ogg", "opus", "oga": vorbis(tags, artwork, isOgg: muxer != "flac")
        case "wav": broadcastWave(tags, artwork)
        case "mp3", "aiff", "adts":
            dictionary = tags.values
            if muxer == "adts" { lost = artwork == nil ? [] : ["artwork"] } else { self.artwork = artwork }
        // Its entries have any name.
        case "caf": (dictionary, lost) = (tags.values, artwork == nil ? [] : ["artwork"])
        case "ogv":
            vorbis(tags, nil, isOgg: true)
            if artwork != nil { lost.append("artwork") }
        default: few(tags, artwork, muxer)
        }
        // FFmpeg's muxers write their own name there; for movies trimd writes the given value.
        let isISOMedia = ["mp4", "ipod", "mov"].contains(muxer)
        if !isISOMedia, tags.values["encoder"] != nil, !lost.contains("encoder") {
            for key in ["encoder", "ENCODER"] { dictionary[key] = nil }
            lost.append("encoder")
        }
    }

    private mutating func iTunes(_ tags: Tags, _ artwork: Artwork?) {
        var movie = MovieMetadata()
        movie.artwork = artwork
        for (name, value) in tags.values.sorted(by: { $0.key < $1.key }) {
            let key = MetadataKey.named(name)
            switch name {
            // The movie header holds it.
            case "creation_time": dictionary[name] = value
            case "make": movie.userData.append(("©mak", value))
            case "model": movie.userData.append(("©mod", value))
            case "location": movie.userData.append(("©xyz", value))
            case "content_rating": movie.freeForm.append(("iTunEXTC", value))
            default:
                if let atom = key?.iTunes, let bytes = MovieMetadata.value(value, key?.form ?? .text) {
                    movie.atoms.append((atom, bytes))
                } else {
                    movie.freeForm.append((name, value))
                }
            }
        }
        self.movie = movie
    }

    private mutating func quickTime(_ tags: Tags, _ artwork: Artwork?) {
        var movie = MovieMetadata()
        movie.artwork = artwork
        movie.isQuickTime = true
        for (name, value) in tags.values.sorted(by: { $0.key < $1.key }) {
            if name == "creation_time" {
                dictionary[name] = value
                continue
            }
            let key = MetadataKey.named(name)
            movie.keys.append((key?.quickTime.map { "com.apple.quicktime.\($0)" } ?? name, value))
            // For readers that know only the older form of QuickTime metadata; FFmpeg writes these.
            if TagTranslation.olderQuickTime.contains(name) { dictionary[name] = value }
        }
        self.movie = movie
    }

    private static let olderQuickTime: Set<String> = [
        "title", "artist", "album", "date", "comment", "genre", "copyright", "make", "model", "location",
        "keywords",
    ]

    private mutating func matroska(_ tags: Tags, _ artwork: Artwork?, isWebM: Bool) {
        for (name, value) in tags.values {
            guard let key = MetadataKey.named(name) else {
                dictionary[name] = value
                continue
            }
            if key.name == "date" {
                dictionary[value.count > 10 ? "DATE_RECORDED" : "DATE_RELEASED"] = value
            } else if key.matroska == "" {
                dictionary[name] = value
            } else {
                // FFmpeg maps its names for these two to Matroska's.
                dictionary[
                    name == "track" || name == "performer" ? name : key.matroska ?? name.uppercased()] = value
            }
        }
        if isWebM, artwork != nil { lost.append("artwork") } else { self.artwork = artwork }
    }

    private mutating func vorbis(_ tags: Tags, _ artwork: Artwork?, isOgg: Bool) {
        for (name, value) in tags.values {
            switch name {
            // FFmpeg writes `comment` as DESCRIPTION.
            case "description": dictionary["comment"] = value
            case "comment":
                if tags.values["description"] == nil {
                    dictionary["comment"] = value
                } else {
                    lost.append(name)
                }
            case "creation_time": dictionary["CREATION_TIME"] = value
            default: dictionary[name] = value
            }
        }
        if let artwork, isOgg {
            dictionary["METADATA_BLOCK_PICTURE"] = Base64.text(artwork.pictureBlock)
        } else {
            self.artwork = artwork
        }
    }

    /// The fields of a `bext` chunk (EBU Tech 3285), as FFmpeg's muxer calls them, by trimd's names, with their lengths in bytes.
    private static let broadcast: [(name: String, field: String, length: Int)] = [
        ("comment", "description", 256), ("encoded_by", "originator", 32),
        ("originator_reference", "originator_reference", 32), ("date", "origination_date", 10),
        ("creation_time", "origination_time", 8), ("time_reference", "time_reference", 20),
        ("umid", "umid", 130),
        ("coding_history", "coding_history", .max),
    ]
    /// The fields that only such a chunk has: metadata with one of them comes from one.
    private static let onlyBroadcast: Set<String> = [
        "time_reference", "originator_reference", "umid", "coding_history",
    ]
    /// Whether the entries for FFmpeg's muxer are those of a `bext` chunk, which it writes when asked to.
    var isBroadcast: Bool { dictionary["time_reference"] != nil }

    /// WAVE: a `bext` chunk for what comes from one, and fixed fields for the rest.
    private mutating func broadcastWave(_ tags: Tags, _ artwork: Artwork?) {
        guard !TagTranslation.onlyBroadcast.isDisjoint(with: tags.values.keys) else {
            return few(tags, artwork, "wav")
        }
        var rest = tags
        var chunk = ["time_reference": "0"]
        for (name, field, length) in TagTranslation.broadcast {
            guard let value = tags.values[name], value.utf8.count <= length else { continue }
            chunk[field] = value
            rest.values[name] = nil
        }
        few(rest, artwork, "wav")
        dictionary.merge(chunk) { _, field in field }
    }

    /// Containers with a few fixed fields.
    private mutating func few(_ tags: Tags, _ artwork: Artwork?, _ muxer: String) {
        let known: [String: String] =
            switch muxer {
            case "3gp":
                Dictionary(
                    uniqueKeysWithValues: [
                        "title", "artist", "genre", "comment", "album", "copyright", "date", "location",
                    ].map { ($0, $0) })
            case "mpegts": ["title": "service_name", "publisher": "service_provider"]
            case "wav", "avi":
                Dictionary(
                    uniqueKeysWithValues: [
                        "title", "artist", "album", "comment", "copyright", "date", "genre", "track",
                        "encoder",
                        "language", "encoded_by",
                    ].map { ($0, $0) })
            default: [:]
            }
        for (name, value) in tags.values {
            if let key = known[name] { dictionary[key] = value } else { lost.append(name) }
        }
        if artwork != nil { lost.append("artwork") }
        lost.sort()
    }
}

/// Base 64, as comments hold images.
package enum Base64 {
    private static let letters = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The text of some bytes.
    package static func text(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count / 3 * 4 + 4)
        for at in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[at..<min(at + 3, bytes.count)]
            let number = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for index in 0..<4 {
                text.append(
                    index <= group.count ? letters[number >> (18 - 6 * index) & 63] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
