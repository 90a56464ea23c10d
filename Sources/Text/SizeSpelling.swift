// Sizes and rates as people write them: a number and a unit. Pure.

/// Parses sizes and rates.
public enum SizeSpelling {
    /// Bytes: `2500000`, `25M` (10 to the power of 6), `25MiB` (2 to the power of 20); nil for anything else.
    public static func bytes(_ text: String) -> Int64? {
        value(text, decimal.merging(["b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9]) { $1 }.merging(binary) { $1 })
    }

    /// Bits a second: `5000000`, `5M`, `2.5M` or `128k`; nil for anything else.
    public static func bitRate(_ text: String) -> Int? { value(text, decimal).flatMap { Int(exactly: $0) } }

    private static let decimal = ["": 1, "k": 1e3, "m": 1e6, "g": 1e9]
    private static let binary: [String: Double] = ["kib": 1024, "mib": 1_048_576, "gib": 1_073_741_824]

    private static func value(_ text: String, _ units: [String: Double]) -> Int64? {
        let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let value = Double(number), let unit = units[text.dropFirst(number.count).lowercased()],
            value * unit < 1e15
        else { return nil }
        return Int64(exactly: (value * unit).rounded())
    }
}
