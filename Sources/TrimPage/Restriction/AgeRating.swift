// The age that a content rating asks for, so that ratings of different systems can be compared. Pure.
internal import Media

/// A content rating as an age.
struct AgeRating: Hashable, Comparable, Sendable {
    /// Suitable from this age on, in years.
    let years: Int

    private static let ages: [String: Int] = [
        "mpaa|g": 0, "mpaa|pg": 8, "mpaa|pg-13": 13, "mpaa|r": 17, "mpaa|nc-17": 18,
        "us-tv|tv-y": 0, "us-tv|tv-y7": 7, "us-tv|tv-g": 0, "us-tv|tv-pg": 10, "us-tv|tv-14": 14,
        "us-tv|tv-ma": 17,
        "uk-movie|u": 0, "uk-movie|uc": 0, "uk-movie|pg": 8,
    ]

    /// The age of a rating in short or full form (`PG-13`, `mpaa|PG-13|300|`), or of a number of years; nil: it says none.
    init?(_ text: String) {
        if let years = Int(text), 0...99 ~= years {
            self.years = years
            return
        }
        guard let parts = ContentRating.text(text)?.split(separator: "|", omittingEmptySubsequences: false),
            parts.count > 1
        else { return nil }
        let name = parts[1].lowercased()
        if ["nr", "not rated", "unrated"].contains(name) { return nil }
        if let years = AgeRating.ages["\(parts[0].lowercased())|\(name)"] {
            self.years = years
            return
        }
        // 12A and FSK 16 name the age; of a system that is not known, nobody is let in unasked.
        let digits = name.drop { !$0.isNumber }.prefix { $0.isNumber }
        years = Int(digits) ?? 99
    }

    /// For adults: the age of a rating that is not understood.
    static let highest = AgeRating(years: 99)

    private init(years: Int) { self.years = years }

    /// The tags that hold a rating, in lower case: those of iTunes, of Matroska, and of programs that write their own.
    private static let tags: Set<String> = [
        "content_rating", "contentrating", "itunextc", "law_rating", "certification", "parental_rating",
        "age_rating", "mpaa_rating", "fsk",
    ]

    /// The highest age that ratings of a file or of one of its tracks name; nil: it has none. One that is not understood is the highest.
    init?(of asset: Media.Asset) {
        var found: AgeRating?
        for (name, value) in Array(asset.metadata) + asset.tracks.flatMap(\.metadata) {
            // Matroska names the language behind the tag: LAW_RATING-ger.
            let tag = name.lowercased().split(separator: "-").first.map(String.init) ?? ""
            if AgeRating.tags.contains(tag) {
                found = AgeRating.later(found, AgeRating.named(value))
            } else if MetadataKey.named(name)?.name == "rating", ["1", "4"].contains(value) {
                // Apple's mark of explicit content.
                found = AgeRating.later(found, AgeRating("18"))
            }
        }
        guard let found else { return nil }
        self = found
    }

    /// The age of a tag's text, as people write it: `FSK 16`, `Rated R`, `12+`; nil: it says that there is no rating.
    private static func named(_ text: String) -> AgeRating? {
        let words = text.lowercased().split { $0.isWhitespace || $0 == ":" }.map(String.init)
        let plain = words.joined(separator: " ")
        if ["", "nr", "not rated", "unrated", "none"].contains(plain) { return nil }
        if let parts = ContentRating.text(text)?.split(separator: "|", omittingEmptySubsequences: false),
            parts.count > 1, ["nr", "not rated", "unrated"].contains(parts[1].lowercased())
        {
            return nil
        }
        if let known = AgeRating(text) ?? words.last.flatMap({ AgeRating($0) }) { return known }
        let digits = plain.drop { !$0.isNumber }.prefix { $0.isNumber }
        return AgeRating(String(digits)) ?? .highest
    }

    private static func later(_ one: AgeRating?, _ other: AgeRating?) -> AgeRating? {
        guard let one, let other else { return one ?? other }
        return one < other ? other : one
    }

    static func < (a: AgeRating, b: AgeRating) -> Bool { a.years < b.years }
}
