// Parses a moment at which something is to begin: a delay, a time of day, or a date. Times without a zone are this machine's.
//
// `unsafe` here: localtime_r and mktime fill a struct.
internal import Glibc
internal import Media

/// Parses moments to come.
enum FutureMoment {
    /// The moment that a text means; nil if it means none.
    static func parse(_ text: String, now: Moment) -> Moment? {
        if text.hasPrefix("+") {
            return delay(text.dropFirst()).map { Moment(milliseconds: now.milliseconds + $0 * 1000) }
        }
        if let moment = Moment(text) { return moment }
        let parts = text.split(whereSeparator: { $0 == "T" || $0 == " " }).map(String.init)
        guard let clock = parts.last.flatMap(timeOfDay), var date = LocalDate(now) else { return nil }
        (date.hour, date.minute, date.second) = clock
        switch parts.count {
        case 1:
            guard let today = date.moment else { return nil }
            if today > now { return today }
            date.day += 1
            return date.moment
        case 2:
            let numbers = parts[0].split(separator: "-", omittingEmptySubsequences: false).map { Int32($0) }
            guard numbers.count == 3, let year = numbers[0], let month = numbers[1], let day = numbers[2],
                1970...9999 ~= year, 1...12 ~= month, 1...31 ~= day
            else { return nil }
            (date.year, date.month, date.day) = (year, month, day)
            // The calendar may have no such day.
            return date.moment.flatMap { LocalDate($0)?.day == day ? $0 : nil }
        default: return nil
        }
    }

    /// A thousand years, in seconds.
    private static let longest: Int64 = 31_556_952_000

    /// Seconds of `2h`, `90s`, `1h30m`.
    private static func delay(_ text: Substring) -> Int64? {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        var rest = text
        var sum: Int64 = 0
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(digits.count)
            guard let number = Int64(digits), 0...1_000_000 ~= number, let unit = rest.popFirst(),
                let seconds = units[unit], sum < longest
            else { return nil }
            sum += number * seconds
        }
        return text.isEmpty || sum > longest ? nil : sum
    }

    /// Hours, minutes and seconds of `18:30` or `18:30:15`.
    private static func timeOfDay(_ text: String) -> (Int32, Int32, Int32)? {
        let words = text.split(separator: ":", omittingEmptySubsequences: false)
        let numbers = words.compactMap { $0.count <= 2 ? Int32($0) : nil }
        guard 2...3 ~= words.count, numbers.count == words.count, 0...23 ~= numbers[0],
            numbers.dropFirst().allSatisfy({ 0...59 ~= $0 })
        else { return nil }
        return (numbers[0], numbers[1], numbers.count > 2 ? numbers[2] : 0)
    }
}

/// A date and time in this machine's zone.
private struct LocalDate {
    var year: Int32, month: Int32, day: Int32
    var hour: Int32, minute: Int32, second: Int32

    /// The date of a moment; nil if it has none.
    init?(_ moment: Moment) {
        var seconds = time_t(moment.milliseconds / 1000)
        var date = unsafe tm()
        guard unsafe localtime_r(&seconds, &date) != nil else { return nil }
        (year, month, day) = unsafe (date.tm_year + 1900, date.tm_mon + 1, date.tm_mday)
        (hour, minute, second) = unsafe (date.tm_hour, date.tm_min, date.tm_sec)
    }

    /// The moment of the date; a day beyond the month's last is one of the next.
    var moment: Moment? {
        var date = unsafe tm()
        unsafe (date.tm_year, date.tm_mon, date.tm_mday) = (year - 1900, month - 1, day)
        unsafe (date.tm_hour, date.tm_min, date.tm_sec) = (hour, minute, second)
        unsafe date.tm_isdst = -1
        let seconds = unsafe mktime(&date)
        return seconds == -1 ? nil : Moment(milliseconds: Int64(seconds) * 1000)
    }
}
