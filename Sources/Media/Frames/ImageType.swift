// The kinds of picture files that trimd draws. Values only.

/// A kind of picture file.
public enum ImageType: String, Hashable, Codable, Sendable, CaseIterable {
    case png, jpg

    /// The kind that an extension in lower case names.
    public init?(fileExtension: String) {
        switch fileExtension {
        case "png": self = .png
        case "jpg", "jpeg": self = .jpg
        default: return nil
        }
    }
}
