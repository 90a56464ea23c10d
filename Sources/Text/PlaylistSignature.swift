// How every list of media files begins that is read as a source. Pure: who may read no media looks for it as well as who reads the lists.

/// The beginning of a list of media files.
public enum PlaylistSignature {
    /// The first line of an HLS playlist.
    public static let line = "#EXTM3U"
    /// The first word of a list of FFmpeg's concat format.
    public static let concat = "ffconcat"
    /// How many bytes `isAtStart` needs.
    public static let length = 11

    /// Bytes of the byte order mark that text begins with: 3, or 0 if it has none.
    public static func markLength(of bytes: [UInt8]) -> Int {
        bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    /// Whether a file begins as such a list does, after a byte order mark if there is one.
    public static func isAtStart(of bytes: [UInt8]) -> Bool {
        let text = bytes.dropFirst(markLength(of: bytes))
        return text.starts(with: line.utf8) || text.starts(with: concat.utf8)
    }
}
