// The dates of a playlist (ISO 8601), as microseconds. Pure; it has no clock.

/// The dates of a playlist.
enum PlaylistDate {
    /// Microseconds since 1970 of `2026-01-02T03:04:05.678Z`; nil for anything else. The offset is `Z`, `+01:00`, `+0100`, `+01` or
    /// left out (UTC); of decimals six count.
    static func microseconds(_ text: some StringProtocol) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 19, bytes.count <= 64 else { return nil }
        func number(_ range: Range<Int>) -> Int64? {
            guard range.upperBound <= bytes.count else { return nil }
            var value: Int64 = 0
            for byte in bytes[range] {
                guard (0x30...0x39).contains(byte) else { return nil }
                value = value * 10 + Int64(byte - 0x30)
            }
            return value
        }
        func has(_ character: Unicode.Scalar, at index: Int) -> Bool {
            bytes[index] == UInt8(ascii: character)
        }
        guard let year = number(0..<4), has("-", at: 4), let month = number(5..<7), has("-", at: 7),
            let day = number(8..<10), has("T", at: 10) || has("t", at: 10) || has(" ", at: 10),
            let hour = number(11..<13), has(":", at: 13), let minute = number(14..<16), has(":", at: 16),
            let second = number(17..<19), (1...12).contains(month), (1...31).contains(day), hour < 24,
            minute < 60, second <= 60
        else { return nil }
        var index = 19
        var fraction: Int64 = 0
        if index < bytes.count, has(".", at: index) || has(",", at: index) {
            var end = index + 1
            while end < bytes.count, (0x30...0x39).contains(bytes[end]) { end += 1 }
            let digits = min(end, index + 7)
            guard digits > index + 1, let value = number(index + 1..<digits) else { return nil }
            fraction = value
            for _ in (digits - index - 1)..<6 { fraction *= 10 }
            index = end
        }
        guard let offset = offset(bytes[index...], number) else { return nil }
        let days = days(year, month, day)
        return (((days * 24 + hour) * 60 + minute - offset) * 60 + second) * 1_000_000 + fraction
    }

    /// Minutes that a zone is ahead of UTC.
    private static func offset(_ zone: ArraySlice<UInt8>, _ number: (Range<Int>) -> Int64?) -> Int64? {
        guard let sign = zone.first else { return 0 }
        let first = zone.startIndex + 1
        if zone.count == 1 { return sign | 0x20 == UInt8(ascii: "z") ? 0 : nil }
        guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), let hours = number(first..<first + 2)
        else { return nil }
        let minutes: Int64? =
            switch zone.count {
            case 3: 0
            case 5: number(first + 2..<first + 4)
            case 6: zone[first + 2] == UInt8(ascii: ":") ? number(first + 3..<first + 5) : nil
            default: nil
            }
        guard let minutes, hours < 24, minutes < 60 else { return nil }
        return (sign == UInt8(ascii: "-") ? -1 : 1) * (hours * 60 + minutes)
    }

    /// Days since 1970 in the Gregorian calendar: years begin with March, so that a leap day is a year's last.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}
