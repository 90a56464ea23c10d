// The image file types trimd writes. Values only.

/// An image file type.
public enum ImageType: String, Hashable, Codable, Sendable, CaseIterable {
    case png, jpg

    /// The type with this lower-case extension.
    public init?(fileExtension: String) {
        switch fileExtension {
        case "png": self = .png
        case "jpg", "jpeg": self = .jpg
        default: return nil
        }
    }
}
