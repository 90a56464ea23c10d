// A picture's preview for a terminal. Values only.
public import Text

/// The form of a picture's preview: it comes with the report, since a terminal shows a picture that it is sent.
public struct PreviewRequest: Hashable, Codable, StrictDecodable, Sendable {
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

    /// Throws for the first value that is out of its range.
    public func validate() throws(InvalidValue) {
        try InvalidValue.check(CodingKeys.width, width, in: 16...4096)
        try InvalidValue.check(CodingKeys.height, height, in: 16...4096)
    }
}
