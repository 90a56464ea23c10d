// Dates in metadata (ISO 8601): a year, a month, a day, or a moment. Validated against the calendar; integers only.

/// A valid date.
public struct DateSpelling: Hashable, Sendable {
    /// The date; month and day are nil if not given.
    public let year: Int, month: Int?, day: Int?
    /// Seconds since midnight, if a time is given.
    public let second: Int?
    /// The fraction of a second, with its point; empty if there is none.
    public let fraction: String
    /// The zone's offset from UTC in seconds; nil if there is no zone.
    public let offset: Int?

    /// Parses `2026`, `2026-01`, `2026-01-31` or `2026-01-31T12:00:00.25+02:00`; the T may be a space, and seconds, fraction
    /// and zone are optional. Nil if the text is not a valid date.
    public init?(_ text: String) {
        var rest = text[...]
        guard let year = DateSpelling.number(&rest, 4), year > 0 else { return nil }
        self.year = year
        (month, rest) = DateSpelling.part(rest, 1...12)
        (day, rest) =
            month.map { DateSpelling.part(rest, 1...DateSpelling.days(in: $0, of: year)) } ?? (nil, rest)
        guard !rest.isEmpty else {
            (second, fraction, offset) = (nil, "", nil)
            return
        }
        guard day != nil, rest.first == "T" || rest.first == " " else { return nil }
        rest.removeFirst()
        guard let hour = DateSpelling.number(&rest, 2), hour < 24, rest.popFirst() == ":",
            let minute = DateSpelling.number(&rest, 2), minute < 60
        else { return nil }
        var seconds = 0
        var parts = ""
        if rest.first == ":" {
            rest.removeFirst()
            guard let read = DateSpelling.number(&rest, 2), read < 60 else { return nil }
            seconds = read
            if rest.first == "." {
                let digits = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
                guard 1...9 ~= digits.count else { return nil }
                parts = "." + digits
                rest = rest.dropFirst(1 + digits.count)
            }
        }
        second = (hour * 60 + minute) * 60 + seconds
        fraction = parts
        guard let zone = DateSpelling.zone(rest) else { return nil }
        offset = zone
    }

    /// A number with this many digits.
    private static func number(_ rest: inout Substring, _ digits: Int) -> Int? {
        let text = rest.prefix(digits)
        guard text.count == digits, text.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
        rest = rest.dropFirst(digits)
        return Int(text)
    }

    /// A number after a dash, if there is one.
    private static func part(_ rest: Substring, _ range: ClosedRange<Int>) -> (Int?, Substring) {
        guard rest.first == "-" else { return (nil, rest) }
        var behind = rest.dropFirst()
        guard let value = number(&behind, 2), range.contains(value) else { return (nil, rest) }
        return (value, behind)
    }

    /// The seconds of `Z`, `+02:00`, `+0200` or nothing; nil for anything else.
    private static func zone(_ text: Substring) -> Int?? {
        if text.isEmpty { return .some(nil) }
        if text == "Z" { return 0 }
        guard let sign = text.first, sign == "+" || sign == "-" else { return nil }
        var rest = text.dropFirst()
        guard let hours = number(&rest, 2), hours <= 14 else { return nil }
        if rest.first == ":" { rest.removeFirst() }
        guard rest.isEmpty || rest.count == 2 else { return nil }
        let minutes = rest.isEmpty ? 0 : number(&rest, 2)
        guard let minutes, minutes < 60 else { return nil }
        return .some((hours * 60 + minutes) * 60 * (sign == "-" ? -1 : 1))
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The moment in UTC, as `2026-01-31T10:00:00Z`; a day stands for its start, and a missing zone for UTC. Nil for a year or
    /// a month, and before 1970, which movie readers misinterpret.
    public var moment: String? {
        guard let month, let day, year >= 1970, year <= 2200 else { return nil }
        var (year, of, date) = (year, month, day)
        var clock = (second ?? 0) - (offset ?? 0)
        while clock < 0 {
            clock += 86_400
            date -= 1
            if date == 0 {
                (year, of) = of == 1 ? (year - 1, 12) : (year, of - 1)
                date = DateSpelling.days(in: of, of: year)
            }
        }
        while clock >= 86_400 {
            clock -= 86_400
            date += 1
            if date > DateSpelling.days(in: of, of: year) {
                date = 1
                (year, of) = of == 12 ? (year + 1, 1) : (year, of + 1)
            }
        }
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let time = "\(two(clock / 3600)):\(two(clock / 60 % 60)):\(two(clock % 60))"
        return "\(year)-\(two(of))-\(two(date))T\(time)\(fraction)Z"
    }
}
