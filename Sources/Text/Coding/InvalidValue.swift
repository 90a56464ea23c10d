// The error of a value that people wrote and that is out of its range. Pure.

/// A value that is out of its range.
public struct InvalidValue: Error {
    /// Its key.
    public let key: any CodingKey
    /// What it is and must be, as the end of a sentence that begins with the key.
    public let reason: String

    /// Creates an error.
    public init(_ key: any CodingKey, _ reason: String) {
        self.key = key
        self.reason = reason
    }

    /// Throws unless a number is in its range; nil is.
    public static func check<Number: Comparable>(
        _ key: any CodingKey, _ number: Number?, in range: ClosedRange<Number>, _ unit: String = ""
    ) throws(InvalidValue) {
        guard let number, !range.contains(number) else { return }
        throw InvalidValue(
            key, "is \(number), and must be \(range.lowerBound) to \(range.upperBound)\(unit)")
    }
}
