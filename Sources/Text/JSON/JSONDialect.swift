// The three sorts of JSON that are read: messages of programs, files of ours that people write, and lists of other programs.
// They differ in what they allow, not in the tree that comes out. Pure values.

/// What a reader of JSON allows beyond RFC 8259, and how deep a text may nest.
public struct JSONDialect: Hashable, Sendable {
    /// Which of two members of one name counts.
    enum Duplicates: Hashable, Sendable { case first, last }

    /// The most levels of arrays and objects.
    let depthLimit: Int
    /// Comments, bare names, single quotes, words for `null` and signs of plus.
    let isJSON5: Bool
    /// A comma after the last element or member.
    let allowsTrailingComma: Bool
    /// `\u0000`, and a byte order mark before the value.
    let allowsNUL: Bool, allowsByteOrderMark: Bool
    /// Numbers as `decimal`, with all their digits, not as `int` and `double`.
    let keepsDigits: Bool
    let duplicates: Duplicates

    /// A message: RFC 8259 to the letter, 64 levels; of two members of one name the later counts.
    public static let message = JSONDialect(
        depthLimit: 64, isJSON5: false, allowsTrailingComma: false, allowsNUL: false,
        allowsByteOrderMark: false,
        keepsDigits: false, duplicates: .last)

    /// A file written by hand: also a comma after the last member and a byte order mark, 512 levels; of two members of one
    /// name the first counts. Numbers keep their digits.
    public static let file = JSONDialect(
        depthLimit: 512, isJSON5: false, allowsTrailingComma: true, allowsNUL: true,
        allowsByteOrderMark: true,
        keepsDigits: true, duplicates: .first)

    /// JSON5, as other programs write their projects, 128 levels; invalid UTF-8 is replaced, and of two members of one name
    /// the later counts. Numbers keep their digits.
    public static let json5 = JSONDialect(
        depthLimit: 128, isJSON5: true, allowsTrailingComma: true, allowsNUL: false,
        allowsByteOrderMark: false,
        keepsDigits: true, duplicates: .last)
}
