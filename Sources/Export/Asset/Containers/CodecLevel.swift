// Formats codec levels as in their standards. Pure.

/// The written form of a codec's level number.
enum CodecLevel {
    /// For example `3.1`; nil if unknown.
    static func text(_ level: Int32, codec: String) -> String? {
        guard level > 0 else { return nil }
        switch codec {
        case "h264": return level == 9 ? "1b" : "\(level / 10).\(level % 10)"
        case "hevc": return "\(level / 30).\(level % 30 / 3)"
        case "av1": return "\(2 + level / 4).\(level % 4)"
        case "vp9": return "\(level / 10).\(level % 10)"
        default: return "\(level)"
        }
    }
}
