// TimeSpellingParser: parses user text to a TimeSpelling, exactly. It checks everything that does not need the asset; whether a
// frame or timecode exists is checked later. It never uses floating point.

/// Parses one spelling, and describes mistakes in it.
struct TimeSpellingParser {
    private typealias Bytes = ArraySlice<UInt8>

    private let text: String
    private let bytes: [UInt8]

    init(_ text: some StringProtocol) {
        let blank: Set<Character> = [" ", "\t", "\n", "\r", "\r\n"]
        let inner = text.drop(while: blank.contains)
        let count = inner.reversed().drop(while: blank.contains).count
        self.text = String(inner.prefix(count))
        bytes = Array(self.text.utf8)
    }

    func spelling() throws(TimeError) -> TimeSpelling {
        guard !bytes.isEmpty else { throw refusal("there is no time") }
        guard bytes.count <= 64 else { throw refusal("\(text.quoted) is too long for a time") }
        if text == "end" { return .end }
        if bytes.first == UInt8(ascii: "+") { return .afterStart(try length(bytes.dropFirst())) }
        if bytes.last == UInt8(ascii: "%") { return .percent(try percent(bytes.dropLast())) }
        if let length = fromEnd {
            if length.last == UInt8(ascii: "f") { return .frameFromEnd(try frame(length.dropLast())) }
            let (time, isDecimal) = try amount(length)
            return isDecimal ? .decimalFromEnd(time) : .fromEnd(time)
        }
        if bytes.last == UInt8(ascii: "f") { return .frame(try frame(bytes.dropLast())) }
        if isTimecode(bytes[...]) { return try timecode() }
        let (time, isDecimal) = try amount(bytes[...])
        return isDecimal ? .decimal(time) : .time(time)
    }

    /// The text after `-` or `end-`.
    private var fromEnd: Bytes? {
        if bytes.first == UInt8(ascii: "-") { return bytes.dropFirst() }
        return text.hasPrefix("end-") ? bytes.dropFirst(4) : nil
    }

    /// A length of time, or of frames.
    private func length(_ part: Bytes) throws(TimeError) -> TimeSpelling {
        if part.last == UInt8(ascii: "f") { return .frame(try frame(part.dropLast())) }
        let (time, isDecimal) = try amount(part)
        return isDecimal ? .decimal(time) : .time(time)
    }

    /// A number from 0 to 100, in at most six decimals.
    private func percent(_ part: Bytes) throws(TimeError) -> Ratio {
        let isPlain = part.allSatisfy { isNumber([$0]) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ",") }
        guard isPlain, case (let share, true) = try amount(part), share >= .zero, share <= Time(100, 1),
            let ratio = Ratio(share.value, Int64(share.timescale))
        else { throw notATime("a part of the duration is from 0% to 100%, such as 50% or 33.3%") }
        return ratio
    }

    private func isTimecode(_ part: Bytes) -> Bool {
        part.contains(UInt8(ascii: ";")) || part.count { $0 == UInt8(ascii: ":") } > 2
    }

    private func frame(_ digits: Bytes) throws(TimeError) -> Int64 {
        guard isNumber(digits) else {
            throw notATime("a frame is a whole number from 0, such as 250f or -1f")
        }
        guard let frame = Int64(exactly: try number(digits)) else { throw tooLarge() }
        return frame
    }

    private func timecode() throws(TimeError) -> TimeSpelling {
        let dropFrame = bytes.contains(UInt8(ascii: ";"))
        let last = bytes.lastIndex { $0 == UInt8(ascii: dropFrame ? ";" : ":") } ?? bytes.endIndex
        let fields =
            bytes[..<last].split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            + [bytes[last...].dropFirst()]
        guard fields.count == 4, fields.allSatisfy(isNumber), fields.prefix(3).allSatisfy({ $0.count <= 2 }),
            let frameField = fields.last, frameField.count <= 3
        else {
            throw notATime("a timecode has four numbers: 01:00:10:12, or 01:00:10;12 in drop-frame")
        }
        var numbers: [Int] = []
        for field in fields { numbers.append(Int(clamping: try number(field))) }
        guard numbers[0] < 24, numbers[1] < 60, numbers[2] < 60 else {
            throw TimeError(
                .noSuchTimecode,
                "there is no timecode \(text.quoted): hours go to 23, minutes and seconds to 59")
        }
        return .timecode(
            hours: numbers[0], minutes: numbers[1], seconds: numbers[2], frames: numbers[3],
            dropFrame: dropFrame)
    }

    /// A duration: `10`, `10.5`, `.5`, `10s`, `1m10s`, `1:10`, `00:01:10.250`, `00:01:10,250`, `441000/44100`; and whether
    /// it has so few decimals that it may be a frame's time, rounded.
    private func amount(_ part: Bytes) throws(TimeError) -> (time: Time, isDecimal: Bool) {
        if part.contains(UInt8(ascii: "/")) { return (try fraction(part), false) }
        if isTimecode(part) { throw notATime("a length counts from the end or the start, no timecode") }
        if part.suffix(2).elementsEqual("ms".utf8) { return try milliseconds(part.dropLast(2)) }
        let fields = try fields(of: part)
        guard let lastField = fields.last else { throw notATime() }
        // Subtitles and half of the world write a comma before decimals.
        let point = UInt8(ascii: lastField.contains(UInt8(ascii: ",")) ? "," : ".")
        let halves = lastField.split(separator: point, maxSplits: 1, omittingEmptySubsequences: false)
        guard var wholeSeconds = halves.first else { throw notATime() }
        var decimals = halves.count == 2 ? halves[1] : []
        if fields.count == 1, wholeSeconds.isEmpty, !decimals.isEmpty { wholeSeconds = [UInt8(ascii: "0")] }
        let wholes = fields.dropLast() + [wholeSeconds]
        guard wholes.allSatisfy(isNumber), halves.count == 1 || isNumber(decimals) else { throw notATime() }
        var seconds: Int128 = 0
        for (position, field) in wholes.enumerated() {
            let count = try number(field)
            guard position == 0 || count < 60 else {
                throw notATime("minutes and seconds after a larger unit go from 00 to 59")
            }
            seconds = seconds * 60 + count
        }
        guard seconds <= Int128(Int64.max) else { throw tooLarge() }
        let written = decimals.count
        while decimals.last == UInt8(ascii: "0") { decimals = decimals.dropLast() }
        return (
            try decimal(seconds, decimals, digitsToKeep: written), written <= TimeSpelling.mostDecimals
        )
    }

    /// `500` or `1.5` of `500ms` and `1.5ms`, as seconds with three decimals more.
    private func milliseconds(_ part: Bytes) throws(TimeError) -> (time: Time, isDecimal: Bool) {
        let point = UInt8(ascii: part.contains(UInt8(ascii: ",")) ? "," : ".")
        let halves = part.split(separator: point, maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.allSatisfy(isNumber), let whole = halves.first else {
            throw notATime("milliseconds are a number alone, such as 500ms")
        }
        let digits = [UInt8](repeating: UInt8(ascii: "0"), count: max(0, 4 - whole.count)) + whole
        let decimals = digits.suffix(3) + (halves.count == 2 ? halves[1] : [])
        let seconds = try number(digits.dropLast(3)[...])
        guard seconds <= Int128(Int64.max) else { throw tooLarge() }
        return (
            try decimal(seconds, decimals[...], digitsToKeep: decimals.count),
            decimals.count <= TimeSpelling.mostDecimals
        )
    }

    /// Hours, minutes and seconds, as far as they are written: between colons, or before their units.
    private func fields(of part: Bytes) throws(TimeError) -> [Bytes] {
        let units = [UInt8(ascii: "h"), UInt8(ascii: "m"), UInt8(ascii: "s")]
        guard part.contains(where: units.contains) else {
            let fields = part.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            guard fields.count <= 3 else { throw notATime() }
            return fields
        }
        var fields: [Bytes] = []
        var rest = part
        for unit in units {
            guard let end = rest.firstIndex(of: unit) else {
                if !fields.isEmpty { fields.append([UInt8(ascii: "0")]) }
                continue
            }
            fields.append(rest[..<end])
            rest = rest[(end + 1)...]
        }
        guard rest.isEmpty else { throw notATime("units are h, m and s, in this order, as in 1h2m3.5s") }
        return fields
    }

    /// Seconds and decimals: in tenths, hundredths and so on as written where that fits, otherwise in lowest terms.
    private func decimal(
        _ seconds: Int128, _ decimals: Bytes, digitsToKeep written: Int
    ) throws(TimeError) -> Time {
        // More than 19 digits would not fit 128 bits. They are refused anyway; a last digit of 1 represents the rest.
        let digits = min(decimals.count, 19)
        let scale = power(of10: digits)
        let kept = decimals.count > 19 ? decimals.prefix(18) + [UInt8(ascii: "1")] : decimals
        let scaled = seconds * scale + (try number(kept))
        if written <= 9, written > digits,
            let value = Int64(exactly: scaled * power(of10: written - digits))
        {
            return Time(value, Int32(clamping: power(of10: written)))
        }
        if digits <= 9, let value = Int64(exactly: scaled) { return Time(value, Int32(clamping: scale)) }
        let (above, below) = lowestTerms(scaled, scale)
        if digits == decimals.count, let value = Int64(exactly: above), let divisor = Int32(exactly: below) {
            return Time(value, divisor)
        }
        guard digits > 9 else { throw tooLarge() }
        let nano = divide(scaled, by: power(of10: digits - 9), rounding: .towardZero).quotient
        let hint = ", in decimals \(Time.decimal(nano, digits: 9)) and \(Time.decimal(nano + 1, digits: 9))"
        throw Time.tooFine(above, below, spelled: text.quoted, hint: hint)
    }

    private func fraction(_ part: Bytes) throws(TimeError) -> Time {
        let sides = part.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard sides.count == 2, sides.allSatisfy(isNumber) else {
            throw notATime("value/timescale takes two whole numbers, as in 441000/44100")
        }
        return try Time.checked(number(sides[0]), number(sides[1]))
    }

    private func isNumber(_ part: Bytes) -> Bool {
        !part.isEmpty && part.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// The value of digits; refused beyond 27 digits, so that products with a day's seconds fit 128 bits.
    private func number(_ digits: Bytes) throws(TimeError) -> Int128 {
        var result: Int128 = 0
        for digit in digits {
            guard result < power(of10: 26) else { throw tooLarge() }
            result = result * 10 + Int128(digit - UInt8(ascii: "0"))
        }
        return result
    }

    private func tooLarge() -> TimeError {
        TimeError(.outOfRange, "\(text.quoted) is larger than a time can be (\(Int64.max) at most)")
    }

    private func notATime(_ reason: String? = nil) -> TimeError {
        refusal("\(text.quoted) is not a time" + (reason.map { ": \($0)" } ?? ""))
    }

    private func refusal(_ reason: String) -> TimeError {
        TimeError(.notATime, "\(reason); write it as \(TimeSpelling.examples)")
    }
}

extension StringProtocol {
    /// The text in quotes for a message: shortened, control characters escaped.
    var quoted: String {
        let shown = prefix(64).unicodeScalars.map { $0.escaped(asASCII: false) }.joined()
        return "\"\(shown)\(count > 64 ? "…" : "")\""
    }
}
