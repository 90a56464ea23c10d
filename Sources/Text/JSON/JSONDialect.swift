// The three JSON dialects: messages of programs, our files that people write, and lists of other programs. They differ in what
// they accept, not in the resulting tree. Pure values.

/// The extensions of RFC 8259 that a parser accepts, and its depth limit.
public struct JSONDialect: Hashable, Sendable {
    /// Which of two members with the same name takes precedence.
    enum Duplicates: Hashable, Sendable { case first, last }

    /// Maximum levels of arrays and objects.
    let depthLimit: Int
    /// Comments, unquoted names, single quotes, literals for `null` and plus signs.
    let isJSON5: Bool
    /// A comma after the last element or member.
    let allowsTrailingComma: Bool
    /// `\u0000`, and a byte order mark before the value.
    let allowsNUL: Bool, allowsByteOrderMark: Bool
    /// Numbers as `decimal`, with all their digits, not as `int` and `double`.
    let keepsDigits: Bool
    let duplicates: Duplicates

    /// A message: strict RFC 8259, 64 levels; of two members with the same name the later takes precedence.
    public static let message = JSONDialect(
        depthLimit: 64, isJSON5: false, allowsTrailingComma: false, allowsNUL: false,
        allowsByteOrderMark: false,
        keepsDigits: false, duplicates: .last)

    /// What trimd wrote itself and keeps: every text that it can hold, to the depth of a file.
    public static let stored = JSONDialect(
        depthLimit: 512, isJSON5: false, allowsTrailingComma: false, allowsNUL: true,
        allowsByteOrderMark: false,
        keepsDigits: false, duplicates: .last)

    /// A file written by hand: also accepts a trailing comma and a byte order mark, 512 levels; of two members with the same
    /// name the first takes precedence. Numbers keep their digits.
    public static let file = JSONDialect(
        depthLimit: 512, isJSON5: false, allowsTrailingComma: true, allowsNUL: true,
        allowsByteOrderMark: true,
        keepsDigits: true, duplicates: .first)

    /// JSON5, as other programs write their projects, 128 levels; invalid UTF-8 is replaced, and of two members with the same
    /// name the later takes precedence. Numbers keep their digits.
    public static let json5 = JSONDialect(
        depthLimit: 128, isJSON5: true, allowsTrailingComma: true, allowsNUL: false,
        allowsByteOrderMark: false,
        keepsDigits: true, duplicates: .last)
}
