// Levels of H.264 and HEVC: the limits of a conforming decoder. Numbers: ITU-T H.264 (08/2021) table A-1 and H.265 (08/2021)
// tables A.8 and A.9. Pure.
public import MediaTime

/// The limits of a level.
public struct VideoLevel: Hashable, Codable, Sendable {
    /// As the standard writes it, such as `3.1`.
    public let name: String
    /// Maximum frame size, and maximum rate per second: in macroblocks (H.264) or luma samples (HEVC).
    private let picture: Int64, rate: Int64
    /// Maximum bits per second of the lowest profile (H.264) or main tier (HEVC), and of the high tier; 0: none.
    private let bits: Int, highTierBits: Int
    private let isHEVC: Bool

    private init(h264 name: String, _ rate: Int64, _ picture: Int64, _ kilobits: Int) {
        (self.name, self.picture, self.rate) = (name, picture, rate)
        (bits, highTierBits, isHEVC) = (kilobits * 1000, 0, false)
    }

    private init(hevc name: String, _ picture: Int64, _ rate: Int64, _ kilobits: Int, _ high: Int) {
        (self.name, self.picture, self.rate) = (name, picture, rate)
        (bits, highTierBits, isHEVC) = (kilobits * 1000, high * 1000, true)
    }

    private static let h264: [VideoLevel] = [
        VideoLevel(h264: "1", 1485, 99, 64), VideoLevel(h264: "1.1", 3000, 396, 192),
        VideoLevel(h264: "1.2", 6000, 396, 384), VideoLevel(h264: "1.3", 11880, 396, 768),
        VideoLevel(h264: "2", 11880, 396, 2000), VideoLevel(h264: "2.1", 19800, 792, 4000),
        VideoLevel(h264: "2.2", 20250, 1620, 4000), VideoLevel(h264: "3", 40500, 1620, 10000),
        VideoLevel(h264: "3.1", 108_000, 3600, 14000), VideoLevel(h264: "3.2", 216_000, 5120, 20000),
        VideoLevel(h264: "4", 245_760, 8192, 20000), VideoLevel(h264: "4.1", 245_760, 8192, 50000),
        VideoLevel(h264: "4.2", 522_240, 8704, 50000), VideoLevel(h264: "5", 589_824, 22080, 135_000),
        VideoLevel(h264: "5.1", 983_040, 36864, 240_000), VideoLevel(h264: "5.2", 2_073_600, 36864, 240_000),
        VideoLevel(h264: "6", 4_177_920, 139_264, 240_000),
        VideoLevel(h264: "6.1", 8_355_840, 139_264, 480_000),
        VideoLevel(h264: "6.2", 16_711_680, 139_264, 800_000),
    ]

    private static let hevc: [VideoLevel] = [
        VideoLevel(hevc: "1", 36864, 552_960, 128, 0), VideoLevel(hevc: "2", 122_880, 3_686_400, 1500, 0),
        VideoLevel(hevc: "2.1", 245_760, 7_372_800, 3000, 0),
        VideoLevel(hevc: "3", 552_960, 16_588_800, 6000, 0),
        VideoLevel(hevc: "3.1", 983_040, 33_177_600, 10000, 0),
        VideoLevel(hevc: "4", 2_228_224, 66_846_720, 12000, 30000),
        VideoLevel(hevc: "4.1", 2_228_224, 133_693_440, 20000, 50000),
        VideoLevel(hevc: "5", 8_912_896, 267_386_880, 25000, 100_000),
        VideoLevel(hevc: "5.1", 8_912_896, 534_773_760, 40000, 160_000),
        VideoLevel(hevc: "5.2", 8_912_896, 1_069_547_520, 60000, 240_000),
        VideoLevel(hevc: "6", 35_651_584, 1_069_547_520, 60000, 240_000),
        VideoLevel(hevc: "6.1", 35_651_584, 2_139_095_040, 120_000, 480_000),
        VideoLevel(hevc: "6.2", 35_651_584, 4_278_190_080, 240_000, 800_000),
    ]

    /// The levels of a codec, lowest first; nil if trimd sets no level for it.
    public static func all(of codec: String) -> [VideoLevel]? {
        switch codec {
        case "h264": h264
        case "hevc": hevc
        default: nil
        }
    }

    /// The level with a name, such as `3.1`; `3.0` is `3`.
    public static func named(_ name: String, of codec: String) -> VideoLevel? {
        let short = name.hasSuffix(".0") ? String(name.dropLast(2)) : name
        return all(of: codec)?.first { $0.name == short }
    }

    /// The lowest level for a frame size and rate; nil if none is high enough.
    public static func lowest(of codec: String, width: Int, height: Int, rate: Ratio) -> VideoLevel? {
        all(of: codec)?.first { $0.allows(width: width, height: height, rate: rate) }
    }

    /// Whether it allows a frame size and rate.
    public func allows(width: Int, height: Int, rate: Ratio) -> Bool {
        let unit: Int64 = isHEVC ? 1 : 16
        // HEVC counts in the smallest coding blocks, of 8.
        let grain: Int64 = isHEVC ? 8 : 16
        let across = (Int64(width) + grain - 1) / grain * (grain / unit)
        let down = (Int64(height) + grain - 1) / grain * (grain / unit)
        let size = across * down
        // Neither side may exceed the square root of eight times the maximum frame size.
        guard size <= picture, max(across, down) * max(across, down) <= 8 * picture else { return false }
        // The tolerance is for rates such as 30.003 from containers that count in milliseconds.
        return Double(size) * rate.value <= Double(self.rate) * 1.002
    }

    /// Maximum bits per second of a profile (H.264) or tier (HEVC).
    public func bitRate(profile: String?, tier: String?) -> Int {
        if isHEVC { return tier == "high" && highTierBits > 0 ? highTierBits : bits }
        switch profile {
        case "high": return bits / 4 * 5
        case "high10": return bits * 3
        case "high422", "high444": return bits * 4
        default: return bits
        }
    }

    /// Whether it has a high tier.
    public var hasHighTier: Bool { highTierBits > 0 }
}
