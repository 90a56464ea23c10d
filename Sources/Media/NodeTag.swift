// NodeTag: how tags of nodes and names of roots are spelled. Pure.

/// A tag of a node, or the name of a root.
public enum NodeTag {
    /// The most tags of a node, and of a job.
    public static let most = 16
    /// How one is spelled, for errors.
    public static let rule =
        "it is made of letters, digits, '.', '_' and '-', begins with a letter or a digit, and has 64 at most"

    /// Whether a word may be one.
    public static func isValid(_ word: String) -> Bool {
        guard 1...64 ~= word.utf8.count, let first = word.utf8.first, isAlphanumeric(first) else {
            return false
        }
        return word.utf8.allSatisfy { isAlphanumeric($0) || [".", "_", "-"].contains(UnicodeScalar($0)) }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch UnicodeScalar(byte) {
        case "a"..."z", "A"..."Z", "0"..."9": true
        default: false
        }
    }
}
