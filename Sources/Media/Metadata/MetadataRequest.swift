// A metadata request, and its validation. Values only; the worker alone reads the image.
public import Text

/// Which of the source's metadata is copied.
public enum MetadataPolicy: String, Hashable, Codable, Sendable, CaseIterable {
    /// All of it.
    case keep
    /// Items that describe the work; no location, device, person, serial number or date.
    case sharing
    /// Nothing.
    case strip
}

/// A metadata request.
public struct MetadataRequest: Hashable, Codable, StrictDecodable, Sendable {
    /// Items to set, by any name of a known key, or by a custom key; an empty value removes the source's item.
    public var items: [String: String]?
    /// The absolute path of a JPEG or PNG image to use as cover art.
    @SpelledPathIfAny public var artwork: String? = nil
    /// Which metadata is copied; nil: all. It does not affect items that are set.
    public var policy: MetadataPolicy?
    /// Whether creation dates move to the in point.
    public var advancesDate: Bool?
    /// Whether `sharing` copies dates too.
    public var keepsDates: Bool?
    /// The identity of the image when it was shown for another user's job; set by the daemon only.
    public var artworkPlace: String?

    /// Creates a request; omitted arguments take their defaults.
    public init(
        items: [String: String]? = nil, artwork: String? = nil, policy: MetadataPolicy? = nil,
        advancesDate: Bool? = nil, keepsDates: Bool? = nil
    ) {
        self.items = items
        self.artwork = artwork
        self.policy = policy
        self.advancesDate = advancesDate
        self.keepsDates = keepsDates
    }

    /// Throws if an item is not valid.
    public func check() throws(MediaError) {
        for (name, value) in (items ?? [:]).sorted(by: { $0.key < $1.key }) {
            if let why = MetadataValue.fault(name, value) {
                throw MediaError(.invalidRequest, "the metadata \(why)")
            }
        }
    }

    /// Throws for the first value that is out of its range.
    public func validate() throws(InvalidValue) {
        for (name, value) in items ?? [:] {
            if let why = MetadataValue.fault(name, value) { throw InvalidValue(CodingKeys.items, why) }
        }
    }
}

/// Validates metadata values.
public enum MetadataValue {
    /// Maximum bytes of one value.
    public static let longest = 64 * 1024

    /// Why an item is not valid; nil if it is.
    public static func fault(_ name: String, _ value: String) -> String? {
        guard !name.isEmpty, name.utf8.count <= 256,
            name.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0 != "=" })
        else { return "key '\(name.prefix(64))' is none: it has 1 to 256 bytes, and neither blanks nor '='" }
        guard value.utf8.count <= longest, !value.utf8.contains(0) else {
            return
                "value of '\(name)' is \(value.utf8.count) bytes, or holds a NUL; at most \(longest) can be"
        }
        guard let key = MetadataKey.named(name) else {
            if name.contains(".") || value.isEmpty { return nil }
            let near = nearestNames(to: name, in: MetadataKey.names)
            let hint =
                near.first.map { "did you mean '\($0)'?" } ?? "such as title, artist, description, genre"
            return
                "key '\(name)' is not known (\(hint)); `trimctl export --metadata help` lists the keys, and a key of your own has a dot in it, as com.example.key"
        }
        guard !value.isEmpty, let wanted = fault(value, of: key.form) else { return nil }
        return "\(name) '\(value.prefix(64))' is not \(wanted)"
    }

    /// The expected format, if the value does not have it; nil if it does.
    private static func fault(_ value: String, of form: MetadataKey.Form) -> String? {
        let isRight =
            switch form {
            case .text: true
            case .number: Int32(value) != nil
            case .flag: ["0", "1"].contains(value)
            case .position: position(value) != nil
            case .date: DateSpelling(value) != nil
            case .moment: DateSpelling(value)?.moment != nil
            case .place: isPlace(value)
            case .rating: ContentRating.text(value) != nil
            case .mediaType: mediaType(value) != nil
            }
        return isRight ? nil : words(form)
    }

    /// A description of a value format, for people.
    public static func words(_ form: MetadataKey.Form) -> String {
        switch form {
        case .text: "text"
        case .number: "a whole number"
        case .flag: "0 or 1"
        case .position: "a number, or one of how many: 3 or 3/12"
        case .date: "a date that exists: 2026, 2026-01, 2026-01-31 or 2026-01-31T12:00:00Z"
        case .moment: "a day or a moment from 1970 on: 2026-01-31 or 2026-01-31T12:00:00+02:00"
        case .place: "a place in ISO 6709, such as +48.1374+011.5755/"
        case .rating: "a rating: \(ContentRating.examples), or SYSTEM|RATING|NUMBER|NOTE"
        case .mediaType: "one of \(mediaTypes.map(\.0).joined(separator: ", "))"
        }
    }

    /// Parses `3/12`.
    public static func position(_ value: String) -> (Int, Int)? {
        let parts = value.split(separator: "/", omittingEmptySubsequences: false)
        guard 1...2 ~= parts.count, let first = UInt16(parts[0]) else { return nil }
        guard parts.count == 2 else { return (Int(first), 0) }
        guard let count = UInt16(parts[1]) else { return nil }
        return (Int(first), Int(count))
    }

    private static let mediaTypes: [(String, Int)] = [
        ("movie", 9), ("tvshow", 10), ("music", 1), ("audiobook", 2), ("musicvideo", 6), ("shortfilm", 9),
        ("podcast", 21), ("homevideo", 0),
    ]

    /// The iTunes number of a media type.
    public static func mediaType(_ value: String) -> Int? {
        if let number = UInt8(value) { return Int(number) }
        return mediaTypes.first { $0.0 == value.lowercased() }?.1
    }

    private static func isPlace(_ value: String) -> Bool {
        var rest = value[...]
        for limit in [90.0, 180.0] {
            guard let sign = rest.first, sign == "+" || sign == "-" else { return false }
            let number = rest.dropFirst().prefix { $0.isNumber || $0 == "." }
            guard let degrees = Double(number), degrees <= limit * 10_000 else { return false }
            rest = rest.dropFirst(1 + number.count)
        }
        return true
    }
}
