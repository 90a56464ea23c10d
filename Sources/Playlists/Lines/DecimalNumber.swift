// The numbers of a playlist: decimal integers, decimal seconds and resolutions, within bounds. Pure.
internal import MediaTime

/// The numbers of a playlist.
enum DecimalNumber {
    /// Up to eighteen digits, and nothing else.
    static func integer(_ text: some StringProtocol) -> Int64? {
        guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(text)
    }

    /// Microseconds of a number of seconds; further decimals are left out.
    static func microseconds(_ text: some StringProtocol) -> Int64? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first.flatMap({ $0.isEmpty && parts.count == 2 ? 0 : integer($0) }),
            whole <= PlaylistLimits.seconds
        else { return nil }
        guard parts.count == 2, !parts[1].isEmpty else { return whole * 1_000_000 }
        guard parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let digits = parts[1].prefix(6)
        guard var fraction = integer(digits) else { return nil }
        for _ in digits.utf8.count..<6 { fraction *= 10 }
        return whole * 1_000_000 + fraction
    }

    /// A duration of so many microseconds.
    static func time(microseconds: Int64) -> Time { Time(microseconds, 1_000_000) }

    /// `1280x720`.
    static func resolution(_ text: some StringProtocol) -> (width: Int, height: Int)? {
        let parts = text.split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = integer(parts[0]), let height = integer(parts[1]),
            (1...65_535).contains(width), (1...65_535).contains(height)
        else { return nil }
        return (Int(width), Int(height))
    }
}
