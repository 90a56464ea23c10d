// The metadata boxes of movies: iTunes items (mp4, m4v, m4a), QuickTime keys and items (mov), and the older user data. Bytes
// only; MovieEdit adds them to a movie box.
internal import ISOMedia
internal import Media

/// Metadata of a movie, ready to be written.
struct MovieMetadata: Sendable {
    /// Standard iTunes items: the atom, and the body of its data.
    var atoms: [(String, Value)] = []
    /// iTunes items with custom names.
    var freeForm: [(String, String)] = []
    /// QuickTime user data: the atom and its text.
    var userData: [(String, String)] = []
    /// QuickTime keys and their texts.
    var keys: [(String, String)] = []
    var artwork: Artwork?
    /// A QuickTime movie: keys and items instead of iTunes items.
    var isQuickTime = false

    /// The body of an item.
    struct Value: Sendable {
        /// 0 binary, 1 UTF-8, 13 JPEG, 14 PNG, 21 signed integer.
        var type: UInt32
        var bytes: [UInt8]
    }

    /// The body for a value in the iTunes form of its key; nil if it has none.
    static func value(_ text: String, _ form: MetadataKey.Form) -> Value? {
        switch form {
        case .text, .date, .moment, .place, .rating: Value(type: 1, bytes: Array(text.utf8))
        case .flag: Value(type: 21, bytes: [text == "1" ? 1 : 0])
        case .number: Int32(text).map { Value(type: 21, bytes: BigEndian.bytes($0, 4)) }
        case .mediaType: MetadataValue.mediaType(text).map { Value(type: 21, bytes: [UInt8($0)]) }
        case .position:
            MetadataValue.position(text).map {
                Value(
                    type: 0,
                    bytes: BigEndian.bytes($0.0, 4) + [UInt8($0.1 >> 8), UInt8($0.1 & 255), 0, 0])
            }
        }
    }

    /// Approximate size in bytes that it adds to a movie box.
    var size: Int {
        let texts = userData.map(\.1) + freeForm.map(\.1) + keys.flatMap { [$0.0, $0.1] }
        return texts.reduce(atoms.reduce(256) { $0 + $1.1.bytes.count + 32 }) { $0 + $1.utf8.count + 96 }
            + (artwork?.bytes.count ?? 0)
    }

    /// The boxes for the movie's user data.
    var userDataBoxes: [Box] {
        // Readers treat boxes after the iTunes metadata as part of it, so the older ones come first.
        var boxes = userData.map { name, text -> Box in
            let bytes = Array(text.utf8.prefix(65_535))
            let head = [UInt8(bytes.count >> 8), UInt8(bytes.count & 255)] + [0x55, 0xc4]  // packed "und"
            return Box(name, head + bytes)
        }
        if !isQuickTime, let items = iTunesBox { boxes.append(items) }
        return boxes
    }

    private var iTunesBox: Box? {
        var items = atoms.map { name, value -> Box in
            // Atoms that iTunes writes as one byte.
            let isByte = ["stik", "rtng", "hdvd", "pgap", "cpil", "pcst"].contains(name)
            let bytes = isByte ? Array(value.bytes.suffix(1)) : value.bytes
            let shown = name == "disk" ? Array(bytes.prefix(6)) : bytes
            return Box(name, MovieMetadata.data(value.type, shown).bytes)
        }
        items += freeForm.map { name, text in
            Box(
                "----",
                Box("mean", [0, 0, 0, 0] + Array("com.apple.iTunes".utf8)).bytes
                    + Box("name", [0, 0, 0, 0] + Array(name.utf8)).bytes
                    + MovieMetadata.data(1, Array(text.utf8)).bytes)
        }
        if let artwork { items.append(Box("covr", MovieMetadata.picture(artwork).bytes)) }
        guard !items.isEmpty else { return nil }
        return Box(
            "meta",
            [0, 0, 0, 0] + MovieMetadata.handler("mdir", "appl").bytes
                + Box("ilst", items.flatMap(\.bytes)).bytes)
    }

    /// The movie's metadata box with QuickTime keys.
    var keysBox: Box? {
        guard isQuickTime else { return nil }
        var entries = keys.map { ($0.0, MovieMetadata.data(1, Array($0.1.utf8))) }
        if let artwork { entries.append(("com.apple.quicktime.artwork", MovieMetadata.picture(artwork))) }
        guard !entries.isEmpty else { return nil }
        let names = entries.flatMap { Box("mdta", Array($0.0.utf8)).bytes }
        let items = entries.enumerated().flatMap { index, entry in
            Box(type: BigEndian.bytes(index + 1, 4), entry.1.bytes).bytes
        }
        return Box(
            "meta",
            MovieMetadata.handler("mdta", "").bytes
                + Box("keys", [0, 0, 0, 0] + BigEndian.bytes(entries.count, 4) + names).bytes
                + Box("ilst", items).bytes)
    }

    private static func picture(_ artwork: Artwork) -> Box {
        data(artwork.format == .jpeg ? 13 : 14, artwork.bytes)
    }

    private static func data(_ type: UInt32, _ bytes: [UInt8]) -> Box {
        Box("data", BigEndian.bytes(type, 4) + [0, 0, 0, 0] + bytes)
    }

    private static func handler(_ type: String, _ maker: String) -> Box {
        let name = Array(maker.utf8) + [UInt8](repeating: 0, count: 4 - maker.utf8.count)
        return Box(
            "hdlr",
            [UInt8](repeating: 0, count: 8) + Array(type.utf8) + name + [UInt8](repeating: 0, count: 9))
    }
}
