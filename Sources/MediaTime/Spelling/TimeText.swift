// Formats a time for people and for JSON. Parsing user input is TimeSpelling's task: this file reads only an object with value
// and timescale.

extension Time: CustomStringConvertible {
    /// Seconds for people: exact where nine decimals suffice, otherwise rounded to six. `exactSpelling` is for machines.
    public var description: String {
        switch rank {
        case .invalid: return "invalid"
        case .indefinite: return "indefinite"
        case .positiveInfinity: return "+infinity"
        case .negativeInfinity: return "-infinity"
        case .numeric: break
        }
        let suffix = epoch == 0 ? "" : " in epoch \(epoch)"
        return (decimal ?? rounded) + suffix
    }

    /// Rounded to six decimals, half away from zero.
    private var rounded: String {
        let scaled = divide(Int128(value) * 1_000_000, by: Int128(timescale), rounding: .halfAwayFromZero)
        return Time.decimal(scaled.quotient, digits: 6)
    }

    /// `value/timescale`, unreduced.
    var fraction: String { "\(value)/\(timescale)" }

    /// The exact decimal expansion, if it has at most nine decimals.
    private var decimal: String? {
        let lowest = reduced
        var digits = 0
        var scale: Int128 = 1
        while scale % Int128(lowest.timescale) != 0 {
            if digits == 9 { return nil }
            digits += 1
            scale *= 10
        }
        return Time.decimal(Int128(lowest.value) * (scale / Int128(lowest.timescale)), digits: digits)
    }

    /// As `TimeSpelling` reads it exactly: in decimals where those are more than a rounded frame time has, else `value/timescale`.
    var exactSpelling: String {
        guard isNumeric, epoch == 0 else { return description }
        let places = decimal.flatMap { text in text.firstIndex(of: ".").map { text[$0...].count - 1 } }
        return places ?? 0 > TimeSpelling.mostDecimals ? description : fraction
    }

    static func decimal(_ scaled: Int128, digits: Int) -> String {
        let sign = scaled < 0 ? "-" : ""
        guard digits > 0 else { return "\(scaled)" }
        let text = padded(scaled.magnitude, to: digits + 1)
        return sign + text.dropLast(digits) + "." + text.suffix(digits)
    }

    /// `hh:mm:ss.fff` for people, rounded half away from zero to 0…9 digits. Not for computation.
    public func clock(digits: Int = 3) -> String {
        guard isNumeric else { return description }
        let digits = min(max(digits, 0), 9)
        let unit = power(of10: digits)
        let scaled = divide(Int128(value) * unit, by: Int128(timescale), rounding: .halfAwayFromZero).quotient
        let (whole, rest) = scaled.magnitude.quotientAndRemainder(dividingBy: UInt128(unit))
        let (minutes, second) = whole.quotientAndRemainder(dividingBy: 60)
        let (hour, minute) = minutes.quotientAndRemainder(dividingBy: 60)
        let sign = scaled < 0 ? "-" : ""
        let clock = [hour, minute, second].map { padded($0, to: 2) }.joined(separator: ":")
        return sign + clock + (digits == 0 ? "" : "." + padded(rest, to: digits))
    }
}

/// Ten to a power from 0 to 38.
func power(of10 exponent: Int) -> Int128 {
    var result: Int128 = 1
    for _ in 0..<exponent { result *= 10 }
    return result
}

/// An integer with at least this many digits.
func padded(_ number: some BinaryInteger, to width: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, width - text.count)) + text
}

extension Time: Codable {
    private enum CodingKeys: String, CodingKey {
        case value
        case timescale
        case seconds
        case flags
        case epoch
    }

    /// Decodes `value` and `timescale`, and `flags` and `epoch` where present; `seconds` is only for people.
    public init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: CodingKeys.self)
        let value = try object.decode(Int64.self, forKey: .value)
        let timescale = try object.decode(Int64.self, forKey: .timescale)
        let flags = try object.decodeIfPresent(UInt32.self, forKey: .flags).map(Flags.init(rawValue:))
        let epoch = try object.decodeIfPresent(Int64.self, forKey: .epoch) ?? 0
        let named = Time(value: 0, timescale: 0, epoch: 0, flags: flags ?? .valid)
        switch named.rank {
        case .invalid: self = .invalid
        case .indefinite: self = .indefinite
        case .positiveInfinity: self = .positiveInfinity
        case .negativeInfinity: self = .negativeInfinity
        case .numeric:
            do throws(TimeError) {
                let time = try Time.checked(Int128(value), Int128(timescale))
                self = Time(value: time.value, timescale: time.timescale, epoch: epoch)
                    .flagged(rounded: flags?.contains(.hasBeenRounded) ?? false)
            } catch {
                throw error.decoding(at: object.codingPath + [CodingKeys.timescale])
            }
        }
    }

    /// Encodes `value`, `timescale` and `seconds`; `flags` and `epoch` only where a plain number is not enough.
    public func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: CodingKeys.self)
        try object.encode(value, forKey: .value)
        try object.encode(timescale, forKey: .timescale)
        if isNumeric { try object.encode(seconds, forKey: .seconds) }
        if flags != .valid { try object.encode(flags.rawValue, forKey: .flags) }
        if epoch != 0 { try object.encode(epoch, forKey: .epoch) }
    }
}
