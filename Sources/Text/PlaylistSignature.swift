// How every HLS playlist begins. Pure: who may read no media looks for it as well as who reads playlists.

/// The beginning of a playlist.
public enum PlaylistSignature {
    /// Its first line.
    public static let line = "#EXTM3U"
    /// How many bytes `isAtStart` needs.
    public static let length = 10

    /// Bytes of the byte order mark that text begins with: 3, or 0 if it has none.
    public static func markLength(of bytes: [UInt8]) -> Int {
        bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    /// Whether a file begins as a playlist does, after a byte order mark if there is one.
    public static func isAtStart(of bytes: [UInt8]) -> Bool {
        bytes.dropFirst(markLength(of: bytes)).starts(with: line.utf8)
    }
}
