// Formats numbers for people: durations, sizes, speeds, percentages, ages. Pure; independent of clock and locale.
internal import Media
internal import MediaTime

/// Formats numbers for people.
enum Units {
    /// A number with a fixed number of decimals, rounded half away from zero.
    static func fixed(_ value: Double, _ digits: Int) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return value.isNaN ? "?" : "\(value)" }
        let unit = (0..<digits).reduce(Int64(1)) { unit, _ in unit * 10 }
        let scaled = Int64((value * Double(unit)).rounded())
        let (whole, rest) = scaled.magnitude.quotientAndRemainder(dividingBy: unit.magnitude)
        let sign = scaled < 0 ? "-" : ""
        guard digits > 0 else { return "\(sign)\(whole)" }
        return "\(sign)\(whole).\(zeros("\(rest)", digits))"
    }

    /// A count with its noun: `1 frame`, `2 frames`.
    static func count(_ number: some BinaryInteger, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }

    /// A duration: `0.42 s`, `12 s`, `1 min 05 s`, `2 h 05 min`, `3 d 04 h`.
    static func duration(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds >= 0 else { return "?" }
        if seconds < 9.95 { return fixed(seconds, seconds < 0.995 ? 2 : 1) + " s" }
        guard seconds < 1e12 else { return "?" }
        let whole = Int64(seconds.rounded())
        if whole < 60 { return "\(whole) s" }
        if whole < 3600 { return "\(whole / 60) min \(zeros("\(whole % 60)", 2)) s" }
        if whole < 86400 { return "\(whole / 3600) h \(zeros("\(whole % 3600 / 60)", 2)) min" }
        return "\(whole / 86400) d \(zeros("\(whole % 86400 / 3600)", 2)) h"
    }

    /// The remaining time, in whole seconds: it is an estimate.
    static func remaining(_ seconds: Double) -> String {
        duration(seconds.isFinite ? max(seconds, 0).rounded(.up) : seconds).replacingSuffix(
            ".0 s", with: " s"
        )
        .replacingSuffix("0.00 s", with: "0 s")
    }

    /// A size in MB (1 000 000 bytes): `1.23 MB`, `45.6 MB`, `1234 MB`; a very small one in bytes or kB, a very large one in GB.
    static func size(_ bytes: Int64) -> String {
        if bytes < 1000 { return count(bytes, "byte") }
        if bytes < 100_000 { return fixed(Double(bytes) / 1000, 1) + " kB" }
        if bytes >= 10_000_000_000 { return fixed(Double(bytes) / 1e9, 1) + " GB" }
        return megabytes(bytes) + " MB"
    }

    /// A size in MB without its unit, for columns.
    static func megabytes(_ bytes: Int64) -> String {
        let size = Double(bytes) / 1_000_000
        return fixed(size, size < 9.995 ? 2 : size < 999.95 ? 1 : 0)
    }

    /// Whole percent, rounded down: only 1 gives 100.
    static func percent(_ fraction: Double) -> Int {
        guard fraction.isFinite else { return 0 }
        return Int((min(max(fraction, 0), 1) * 100).rounded(.down))
    }

    /// Seconds of media per second: `0.85x`, `2.1x`, `21x`.
    static func speed(_ speed: Double) -> String {
        fixed(speed, speed < 0.995 ? 2 : speed < 9.95 ? 1 : 0) + "x"
    }

    /// Bits per second: `128 kbit/s`, `4.5 Mbit/s`.
    static func bitRate(_ rate: Int64) -> String {
        rate < 1_000_000
            ? fixed(Double(rate) / 1000, 0) + " kbit/s" : fixed(Double(rate) / 1_000_000, 1) + " Mbit/s"
    }

    /// A frame rate: `25`, `29.97 (30000/1001)`.
    static func rate(_ rate: Ratio) -> String {
        rate.denominator == 1 ? "\(rate)" : "\(trimmed(fixed(rate.value, 3))) (\(rate))"
    }

    /// The age of a moment: `just now`, `5 min ago`.
    static func age(_ moment: Moment, now: Moment) -> String {
        let seconds = (now.milliseconds - moment.milliseconds) / 1000
        switch seconds {
        case ..<5: return "just now"
        case ..<60: return "\(seconds) s ago"
        case ..<3600: return "\(seconds / 60) min ago"
        case ..<86400: return "\(seconds / 3600) h ago"
        default: return "\(seconds / 86400) d ago"
        }
    }

    /// Seconds with at most six decimals: a fraction belongs into the JSON.
    static func seconds(_ time: Time) -> String {
        time.isNumeric ? trimmed(fixed(time.seconds, 6)) : time.description
    }

    /// An asset time as a clock, with microseconds where milliseconds are not exact.
    static func clock(_ time: Time) -> String {
        guard time.isNumeric else { return time.description }
        let isExact = Int128(time.value) * 1000 % Int128(time.timescale) == 0
        return time.clock(digits: isExact ? 3 : 6)
    }

    /// A range of the asset, with its duration.
    static func span(_ span: TimeSpan) -> String {
        let length = span.end - span.start
        let seconds = length.isNumeric ? " (\(trimmed(fixed(length.seconds, 3))) s)" : ""
        return "\(clock(span.start)) to \(clock(span.end))\(seconds)"
    }

    /// Without trailing zeros: `60.000` is `60`.
    static func trimmed(_ number: String) -> String {
        guard number.contains(".") else { return number }
        var text = number
        while text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return text
    }

    private static func zeros(_ text: String, _ width: Int) -> String {
        String(repeating: "0", count: max(0, width - text.count)) + text
    }
}

extension String {
    fileprivate func replacingSuffix(_ suffix: String, with other: String) -> String {
        hasSuffix(suffix) ? dropLast(suffix.count) + other : self
    }
}
