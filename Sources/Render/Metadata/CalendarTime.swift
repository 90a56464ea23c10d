// A metadata timestamp that can be advanced without losing its format. Pure integers; keeps its own time zone.
internal import MediaTime

/// `2026-01-31T12:00:00.000000Z`, with or without a fraction, with any time zone.
struct CalendarTime: Hashable, CustomStringConvertible {
    /// Microseconds since 1970 in its own time zone.
    private var microseconds: Int64
    /// Number of digits of the fraction.
    private let digits: Int
    /// The suffix: `Z`, `+0200`, or empty.
    private let zone: String
    private let separator: Character

    /// Parses a date with a time; nil for anything else.
    init?(_ text: String) {
        let letters = Array(text)
        guard letters.count >= 19, letters[10] == "T" || letters[10] == " " else { return nil }
        func number(_ range: Range<Int>) -> Int64? { Int64(String(letters[range])) }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
            let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
            1...12 ~= month, 1...31 ~= day
        else { return nil }
        let fraction =
            letters.count > 19 && letters[19] == "." ? letters[20...].prefix { $0.isNumber } : []
        digits = min(6, fraction.count)
        zone = String(letters[(fraction.isEmpty ? 19 : 20 + fraction.count)...])
        separator = letters[10]
        var parts: Int64 = 0
        for index in 0..<6 {
            parts =
                parts * 10
                + (index < fraction.count ? Int64(String(fraction[fraction.startIndex + index])) ?? 0 : 0)
        }
        let days = CalendarTime.days(year, month, day)
        microseconds = (((days * 24 + hour) * 60 + minute) * 60 + second) * 1_000_000 + parts
    }

    /// The time advanced by `time`, in whole units of its last digit.
    func advanced(by time: Time) -> CalendarTime {
        var later = self
        later.microseconds &+= time.converted(to: 1_000_000, rounding: .towardZero).value
        return later
    }

    var description: String {
        let second = microseconds / 1_000_000 - (microseconds % 1_000_000 < 0 ? 1 : 0)
        let (day, clock) = (
            CalendarTime.floor(second, 86_400), second - CalendarTime.floor(second, 86_400) * 86_400
        )
        let (year, month, date) = CalendarTime.date(day)
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        var text = "\(year)-\(two(month))-\(two(date))\(separator)"
        text += "\(two(clock / 3600)):\(two(clock / 60 % 60)):\(two(clock % 60))"
        if digits > 0 {
            let parts = String(1_000_000 + (microseconds - second * 1_000_000)).dropFirst()
            text += ".\(parts.prefix(digits))"
        }
        return text + zone
    }

    private static func floor(_ a: Int64, _ b: Int64) -> Int64 { a / b - (a % b < 0 ? 1 : 0) }

    /// Days since 1970 of a Gregorian date (H. Hinnant's days_from_civil).
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let y = month <= 2 ? year - 1 : year
        let era = floor(y, 400)
        let ofEra = y - era * 400
        let ofYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
    }

    /// The date this many days after 1970-01-01 (civil_from_days).
    private static func date(_ days: Int64) -> (Int64, Int64, Int64) {
        let shifted = days + 719_468
        let era = floor(shifted, 146_097)
        let ofEra = shifted - era * 146_097
        let year = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * year + year / 4 - year / 100)
        let part = (5 * ofYear + 2) / 153
        let month = part + (part < 10 ? 3 : -9)
        return (year + era * 400 + (month <= 2 ? 1 : 0), month, ofYear - (153 * part + 2) / 5 + 1)
    }
}
