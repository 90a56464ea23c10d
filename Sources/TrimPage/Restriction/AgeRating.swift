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

    /// The age of a file's own rating; nil: it has none.
    init?(of asset: Media.Asset) {
        var found: AgeRating?
        for (name, value) in asset.metadata {
            switch MetadataKey.named(name)?.name {
            case "content_rating": found = AgeRating.later(found, AgeRating(value))
            // Apple's mark of explicit content.
            case "rating" where ["1", "4"].contains(value): found = AgeRating.later(found, AgeRating("18"))
            default: break
            }
        }
        guard let found else { return nil }
        self = found
    }

    private static func later(_ one: AgeRating?, _ other: AgeRating?) -> AgeRating? {
        guard let one, let other else { return one ?? other }
        return one < other ? other : one
    }

    static func < (a: AgeRating, b: AgeRating) -> Bool { a.years < b.years }
}
