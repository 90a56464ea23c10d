// The lines of a playlist: bytes in, text out, each with its number. Pure.
internal import Text

/// The lines of a playlist, one after the other.
struct PlaylistLines {
    private let bytes: [UInt8]
    private var offset = 0
    /// The number of the last line, counted from 1.
    private(set) var number = 0

    /// Lines of a file.
    init(_ bytes: [UInt8]) throws(PlaylistError) {
        guard bytes.count <= PlaylistLimits.bytes else {
            throw PlaylistError(.tooLarge, "it has more than \(PlaylistLimits.bytes) bytes")
        }
        self.bytes = bytes
        offset = PlaylistSignature.markLength(of: bytes)
    }

    /// The next line that is not empty; nil at the end.
    mutating func next() throws(PlaylistError) -> String? {
        while offset < bytes.count {
            let end = bytes[offset...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            var line = bytes[offset..<end]
            offset = end + 1
            number += 1
            while let last = line.last, last == 0x0D || last == 0x20 || last == 0x09 { line.removeLast() }
            guard !line.isEmpty else { continue }
            guard line.count <= PlaylistLimits.line else {
                throw PlaylistError(
                    .tooLarge, line: number, "it has more than \(PlaylistLimits.line) bytes in one line")
            }
            guard !line.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) else {
                throw PlaylistError(.malformed, line: number, "it holds a control character")
            }
            guard let text = String(validating: line, as: UTF8.self) else {
                throw PlaylistError(.malformed, line: number, "it is not UTF-8")
            }
            return text
        }
        return nil
    }
}
