// A picture's preview for a terminal. Values only.

/// The form of a picture's preview: it comes with the report, since a terminal shows a picture that it is sent.
public struct PreviewRequest: Hashable, Codable, Sendable {
    /// The form of a preview.
    public enum Format: String, Hashable, Codable, Sendable, CaseIterable {
        /// The data of a Sixel control string, without its introducer and its terminator: printable ASCII.
        case sixel
        /// A PNG file in base64.
        case png
    }

    /// The form.
    public var format: Format
    /// The largest size in pixels, 16 to 4096 each.
    public var width: Int, height: Int

    /// Creates a request.
    public init(_ format: Format, width: Int, height: Int) {
        self.format = format
        self.width = width
        self.height = height
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case format, width, height
    }

    /// Decodes and checks; an unknown key is an error.
    public init(from decoder: any Decoder) throws {
        let values = try StrictKeys(decoder, CodingKeys.self)
        format = try values.need(.format, Format.self)
        width = try values.need(.width, Int.self)
        height = try values.need(.height, Int.self)
        for (key, size) in [(CodingKeys.width, width), (.height, height)] where !(16...4096 ~= size) {
            throw values.wrong(key, "is \(size), and must be 16 to 4096")
        }
    }
}
