// What a user says of chapters: which of the asset's make the range, and which the output is to have. Values only.
public import MediaTime

/// A chapter as a user sets it: it lasts to the next one, or to the end of the range.
public struct ChapterMark: Hashable, Codable, Sendable {
    /// Where it begins, a time of the source.
    public var time: TimeSpelling
    /// Its title.
    public var title: String

    /// A mark from its parts.
    public init(time: TimeSpelling, title: String) {
        self.time = time
        self.title = title
    }

    enum CodingKeys: String, CodingKey, CaseIterable { case time, title }

    /// Reads; an unknown key is an error.
    public init(from decoder: any Decoder) throws {
        let values = try StrictKeys(decoder, CodingKeys.self)
        time = try values.need(.time, TimeSpelling.self)
        title = try values.need(.title, String.self)
    }

    /// Reads `TIME=NAME`; nil where there is no `=`.
    public static func parse(_ text: String) throws(TimeError) -> ChapterMark? {
        guard let cut = text.firstIndex(of: "=") else { return nil }
        return ChapterMark(
            time: try TimeSpelling.parse(text[..<cut]), title: String(text[text.index(after: cut)...]))
    }
}

/// What a user asks of chapters.
public struct ChapterRequest: Hashable, Codable, Sendable {
    /// The output's chapters, instead of the source's.
    public var marks: [ChapterMark]?
    /// The range begins where this chapter of the source begins, counted from 1; instead of a start.
    public var first: Int?
    /// The range ends where this chapter of the source ends; nil, where `first` is given: the last one.
    public var last: Int?

    /// A request from its parts.
    public init(marks: [ChapterMark]? = nil, first: Int? = nil, last: Int? = nil) {
        self.marks = marks
        self.first = first
        self.last = last
    }

    enum CodingKeys: String, CodingKey, CaseIterable { case marks, first, last }

    /// Reads; an unknown key is an error, and so is a list that fits no asset.
    public init(from decoder: any Decoder) throws {
        let values = try StrictKeys(decoder, CodingKeys.self)
        marks = try values.may(.marks, [ChapterMark].self)
        first = try values.may(.first, Int.self)
        last = try values.may(.last, Int.self)
        if let fault { throw values.wrong(fault.last ? .last : first == nil ? .marks : .first, fault.why) }
    }

    /// Why no asset could be cut so; nil where one could. Whether it is the last chapter that is wrong, for who reports it.
    private var fault: (why: String, last: Bool)? {
        if let first, first < 1 { return ("is \(first), and chapters are counted from 1", false) }
        if let last {
            guard let first else { return ("is given without the first one", true) }
            if last < first { return ("is \(last), before the first one, \(first)", true) }
        }
        if let marks {
            if marks.count > ChapterRequest.most {
                return ("has \(marks.count) chapters, and at most \(ChapterRequest.most) can be", false)
            }
            if let mark = marks.first(where: { !(1...ChapterRequest.longest ~= $0.title.utf8.count) }) {
                return (
                    "has the title '\(mark.title.prefix(64))' at \(mark.time); a title has 1 to \(ChapterRequest.longest) bytes",
                    false
                )
            }
        }
        return nil
    }

    /// Chapters an output may be given: what the lists in movies hold.
    public static let most = 255
    /// Bytes of a title: what the lists in movies hold.
    public static let longest = 255

    /// Reads `2..4`, `2..` or `2`; nil where it is none of them.
    public static func parse(range text: String) -> ChapterRequest? {
        func number(_ text: Substring) -> Int? { text.allSatisfy(\.isNumber) ? Int(text) : nil }
        guard let dots = text.range(of: "..") else {
            guard let only = number(text[...]), only > 0 else { return nil }
            return ChapterRequest(first: only, last: only)
        }
        guard let first = number(text[..<dots.lower]), first > 0 else { return nil }
        let rest = text[dots.upper...]
        if rest.isEmpty { return ChapterRequest(first: first) }
        guard let last = number(rest), last >= first else { return nil }
        return ChapterRequest(first: first, last: last)
    }
}

extension String {
    /// The first place of some letters.
    fileprivate func range(of letters: String) -> (lower: Index, upper: Index)? {
        var at = startIndex
        while at < endIndex {
            if self[at...].hasPrefix(letters) { return (at, index(at, offsetBy: letters.count)) }
            at = index(after: at)
        }
        return nil
    }
}
