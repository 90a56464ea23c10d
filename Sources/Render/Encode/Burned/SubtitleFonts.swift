// SubtitleFonts: the fonts that text subtitles are drawn in. The program gives them once, as files that it read before it was sealed;
// those that a film brings come before them.
internal import Libass
internal import Libav
internal import Synchronization

/// The fonts of this process.
public enum SubtitleFonts {
    /// A file that the settings name.
    public struct Given: Sendable {
        /// Its path, for messages.
        public var name: String
        /// Its bytes; nil: it cannot be read.
        public var bytes: [UInt8]?

        /// Creates a file.
        public init(_ name: String, _ bytes: [UInt8]?) { (self.name, self.bytes) = (name, bytes) }
    }

    private static let given = Mutex<[Given]>([])

    /// Types of attachments that are fonts, and ends of their names where the type says nothing.
    private static let types = ["font", "truetype", "opentype"], ends = [".ttf", ".otf", ".ttc"]
    /// The most bytes of attached fonts.
    private static let most = 64 << 20

    /// Gives the files of the fonts for all exports of this process. They are read when a text is drawn.
    public static func use(_ files: [Given]) { given.withLock { $0 = files } }

    /// Those that were given, without files that are no fonts.
    static var all: [FontFile] { given.withLock { $0 }.compactMap { $0.bytes.flatMap(FontFile.init) } }

    /// Why a file that was given is not among them, a sentence each.
    static var unusable: [String] {
        given.withLock { $0 }.compactMap { file in
            guard let bytes = file.bytes else { return "the font \(file.name) cannot be read" }
            return FontFile(bytes) == nil ? "\(file.name) is no font" : nil
        }
    }

    /// The fonts attached to a film (Matroska).
    static func attached(to demuxer: Demuxer) -> [FontFile] {
        var room = most
        return (0..<demuxer.trackCount).compactMap { track in
            guard let (bytes, name, type) = demuxer.attachment(track), bytes.count <= room,
                types.contains(where: { type.lowercased().contains($0) })
                    || ends.contains(where: { name.lowercased().hasSuffix($0) }),
                let font = FontFile(bytes)
            else { return nil }
            room -= bytes.count
            return font
        }
    }
}
