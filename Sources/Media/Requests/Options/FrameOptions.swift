// The values of options that change frames: a box, a crop, deinterlacing. Pure; each is spelled the same on the command line, in
// lists and on the socket.
public import MediaTime

/// A box that frames must fit into, in pixels: `1280x720`, or `720p` or `720` for the 16:9 box with that many lines. It turns for portrait
/// sources, and never enlarges.
public struct FrameBox: Hashable, Codable, Sendable, CustomStringConvertible {
    /// Pixels, 16 to 16384 each.
    public let width: Int, height: Int

    /// Parses `1280x720`, `720p` or `720`; nil for anything else.
    public init?(_ text: String) {
        let sides: [Int?]
        if let lines = Int(text.hasSuffix("p") ? text.dropLast() : text[...]) {
            // 854x480, as presets write it: the nearest even width.
            sides = [(16...16384 ~= lines ? lines * 16 + 9 : 0) / 18 * 2, lines]
        } else {
            sides = text.lowercased().split(omittingEmptySubsequences: false) { $0 == "x" || $0 == "×" }
                .map { Int($0) }
        }
        guard sides.count == 2, let width = sides[0], let height = sides[1], 16...16384 ~= width,
            16...16384 ~= height
        else { return nil }
        (self.width, self.height) = (width, height)
    }

    /// `1280x720`.
    public var description: String { "\(width)x\(height)" }

    /// Decodes either spelling.
    public init(from decoder: any Decoder) throws {
        self = try decoder.spelled(FrameBox.init, "a size such as 1280x720 or 720p")
    }

    /// Encodes `1280x720`.
    public func encode(to encoder: any Encoder) throws {
        var single = encoder.singleValueContainer()
        try single.encode(description)
    }
}

/// A rectangle of the displayed frame, in pixels as a player shows them: `W:H:X:Y`, or `W:H` from the middle.
public struct FrameCrop: Hashable, Codable, Sendable, CustomStringConvertible {
    /// Size in pixels, at least 16 each.
    public let width: Int, height: Int
    /// The left and upper edge; nil: centred.
    public let left: Int?, top: Int?

    /// Parses `W:H:X:Y` or `W:H`; nil for anything else.
    public init?(_ text: String) {
        let numbers = text.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count == 2 || numbers.count == 4,
            numbers.allSatisfy({ $0.map { 0...16384 ~= $0 } ?? false }),
            let width = numbers[0], let height = numbers[1], width >= 16, height >= 16
        else { return nil }
        (self.width, self.height) = (width, height)
        (left, top) = numbers.count == 4 ? (numbers[2], numbers[3]) : (nil, nil)
    }

    /// `W:H:X:Y` or `W:H`.
    public var description: String {
        "\(width):\(height)" + (left.map { ":\($0)" } ?? "") + (top.map { ":\($0)" } ?? "")
    }

    /// Decodes the string from `description`.
    public init(from decoder: any Decoder) throws {
        self = try decoder.spelled(FrameCrop.init, "a rectangle W:H:X:Y or W:H of at least 16 pixels a side")
    }

    /// Encodes `description`.
    public func encode(to encoder: any Encoder) throws {
        var single = encoder.singleValueContainer()
        try single.encode(description)
    }
}

/// How interlaced frames are treated.
public enum Deinterlacing: String, Hashable, Codable, Sendable, CaseIterable {
    /// The two fields of an interlaced frame give one frame.
    case auto
    /// Frames stay as they are, both fields in one.
    case off
    /// Each field gives a frame, at twice the rate.
    case field
}

/// Playback speeds.
public enum PlaybackSpeed {
    /// Speeds that audio can be played at with its pitch kept.
    public static let all = 0.5...4

    /// Parses `2`, `2x`, `1.25` or `4/3`; nil for anything else, and beyond ``all``.
    public static func parse(_ text: String) -> Ratio? {
        let number = text.hasSuffix("x") || text.hasSuffix("×") ? String(text.dropLast()) : text
        guard let speed = Ratio(number) ?? decimal(number), all ~= speed.value else { return nil }
        return speed
    }

    private static func decimal(_ text: String) -> Ratio? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].count <= 6, !parts[1].isEmpty,
            (parts[0] + parts[1]).allSatisfy({ $0.isASCII && $0.isNumber }),
            let digits = Int64(parts[0] + parts[1])
        else { return nil }
        return Ratio(digits, (0..<parts[1].count).reduce(Int64(1)) { power, _ in power * 10 })
    }
}

extension Decoder {
    /// A value spelled as a string.
    /// - Parameter words: what the string has to be.
    fileprivate func spelled<T>(_ parse: (String) -> T?, _ words: String) throws -> T {
        let text = try singleValueContainer().decode(String.self)
        guard let value = parse(text) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: codingPath, debugDescription: "is '\(text)', and must be \(words)"))
        }
        return value
    }
}
