// Content ratings as Apple's players read them: `mpaa|PG-13|300|`, in the iTunes item iTunEXTC.

/// Content ratings.
public enum ContentRating {
    /// Rating systems and their ratings; the numbers are those in iTunes files.
    private static let boards: [(board: String, ratings: [(String, Int)])] = [
        ("mpaa", [("NR", 0), ("G", 100), ("PG", 200), ("PG-13", 300), ("R", 400), ("NC-17", 500)]),
        (
            "us-tv",
            [("TV-Y", 100), ("TV-Y7", 200), ("TV-G", 300), ("TV-PG", 400), ("TV-14", 500), ("TV-MA", 600)]
        ),
        ("uk-movie", [("U", 100), ("Uc", 150), ("12A", 325), ("15", 350), ("18", 400)]),
        (
            "de-movie", [("FSK 0", 75), ("FSK 6", 100), ("FSK 12", 200), ("FSK 16", 500), ("FSK 18", 600)]
        ),
    ]

    /// Examples of the short form.
    static let examples = "PG-13, TV-MA, FSK 12"

    /// The full form of a rating given in short or full form; nil if it is neither.
    public static func text(_ value: String) -> String? {
        let parts = value.split(separator: "|", omittingEmptySubsequences: false)
        if parts.count == 3 || parts.count == 4 {
            guard !parts[0].isEmpty, !parts[1].isEmpty, UInt16(parts[2]) != nil else { return nil }
            return parts.count == 4 ? value : value + "|"
        }
        guard parts.count == 1 else { return nil }
        for (board, ratings) in boards {
            for (name, number) in ratings where name.lowercased() == value.lowercased() {
                return "\(board)|\(name.hasPrefix("FSK ") ? String(name.dropFirst(4)) : name)|\(number)|"
            }
        }
        return nil
    }
}
