// A chapter request: which source chapters define the range, and which chapters the output gets. Values only.
public import MediaTime
public import Text

/// A chapter set by the user: it lasts until the next one, or to the end of the range.
public struct ChapterMark: Hashable, Codable, StrictDecodable, Sendable {
    /// Its start, in source time.
    public var time: TimeSpelling
    /// Its title.
    public var title: String

    /// Creates a mark.
    public init(time: TimeSpelling, title: String) {
        self.time = time
        self.title = title
    }

    /// Parses `TIME=NAME`; nil if there is no `=`.
    public static func parse(_ text: String) throws(TimeError) -> ChapterMark? {
        guard let cut = text.firstIndex(of: "=") else { return nil }
        return ChapterMark(
            time: try TimeSpelling.parse(text[..<cut]), title: String(text[text.index(after: cut)...]))
    }
}

/// A chapter request.
public struct ChapterRequest: Hashable, Codable, StrictDecodable, Sendable {
    /// The output's chapters, instead of the source's.
    public var marks: [ChapterMark]?
    /// The range starts with this source chapter, counted from 1; instead of a start.
    public var first: Int?
    /// The range ends with this source chapter; nil, if `first` is given: the last one.
    public var last: Int?
    /// Whether each of several sources without chapters is a chapter by its file's name; nil: it is.
    public var seams: Bool?

    /// Creates a request.
    public init(
        marks: [ChapterMark]? = nil, first: Int? = nil, last: Int? = nil, seams: Bool? = nil
    ) {
        self.marks = marks
        self.first = first
        self.last = last
        self.seams = seams
    }

    /// Why the request is not valid for any asset, and whether `last` is at fault; nil if it is valid.
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

    /// Maximum number of chapters: the limit of the chapter lists in movies.
    public static let most = 255
    /// Maximum bytes of a title: the limit of the chapter lists in movies.
    public static let longest = 255

    /// Parses `2..4`, `2..` or `2`; nil if it is none of them.
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

    /// Throws for the first value that is out of its range.
    public func validate() throws(InvalidValue) {
        if let fault {
            throw InvalidValue(fault.last ? CodingKeys.last : first == nil ? .marks : .first, fault.why)
        }
    }
}

extension String {
    /// The first occurrence of a substring.
    fileprivate func range(of letters: String) -> (lower: Index, upper: Index)? {
        var at = startIndex
        while at < endIndex {
            if self[at...].hasPrefix(letters) { return (at, index(at, offsetBy: letters.count)) }
            at = index(after: at)
        }
        return nil
    }
}
