// The characters of a subtitle file as UTF-8, whatever Unicode encoding the file is in. A file in another encoding is refused: which it
// is cannot be known, and a guess would draw wrong letters. Pure.
internal import Media

/// Reads the characters of text files.
enum SubtitleText {
    /// The characters as UTF-8, without a byte order mark.
    /// - Parameter name: the file's, for errors.
    static func utf8(_ bytes: [UInt8], of name: String) throws(MediaError) -> [UInt8] {
        let text: [UInt8]
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            text = Array(bytes.dropFirst(3))
            try check(text, offset: 3, name)
        } else if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            text = try utf16(bytes, isBigEndian: bytes[0] == 0xFE, name)
        } else {
            text = bytes
            try check(text, offset: 0, name)
        }
        guard text.contains(where: { $0 > 0x20 }) else {
            throw MediaError(
                .invalidRequest, "the subtitle file \(name) is empty",
                remedy: "name a file with subtitles in it")
        }
        return text
    }

    /// Throws at the first byte that is no UTF-8, or no text at all.
    private static func check(_ bytes: [UInt8], offset: Int, _ name: String) throws(MediaError) {
        if let zero = bytes.firstIndex(of: 0) {
            // Latin letters in UTF-16 have every second byte 0.
            if offset == 0, zero < 2, bytes.count > 3, bytes[zero + 2] == 0, bytes[1 - zero] != 0,
                bytes[3 - zero] != 0
            {
                throw MediaError(
                    .invalidRequest,
                    "the subtitle file \(name) seems to be UTF-16, and its byte order mark is missing",
                    remedy:
                        "convert it to UTF-8: iconv -f UTF-16\(zero == 0 ? "BE" : "LE") -t UTF-8 \(name) > utf8-\(name)"
                )
            }
            throw MediaError(
                .invalidRequest, "\(name) is no file of subtitles: byte \(zero + offset) is NUL",
                remedy: "give a text file: .srt, .ass, .ssa or .vtt")
        }
        guard String(validating: bytes, as: UTF8.self) == nil else { return }
        let wrong = firstWrong(bytes)
        throw MediaError(
            .invalidRequest,
            "the subtitle file \(name) is not UTF-8: line \(line(of: wrong, in: bytes)), byte \(wrong + offset) of the file, is 0x\(String(bytes[wrong], radix: 16, uppercase: true))",
            remedy:
                "convert it from the encoding that it is in, such as iconv -f WINDOWS-1252 -t UTF-8 \(name) > utf8-\(name)"
        )
    }

    /// The index of the first byte that begins no character; of the last one where all do.
    private static func firstWrong(_ bytes: [UInt8]) -> Int {
        var index = 0
        while index < bytes.count {
            let count =
                switch bytes[index] {
                case 0..<0x80: 1
                case 0xC2..<0xE0: 2
                case 0xE0..<0xF0: 3
                case 0xF0..<0xF5: 4
                default: 0
                }
            guard count > 0, index + count <= bytes.count,
                count == 1 || String(validating: bytes[index..<index + count], as: UTF8.self) != nil
            else { return index }
            index += count
        }
        return max(0, bytes.count - 1)
    }

    /// The line of a byte, counted from 1.
    private static func line(of index: Int, in bytes: [UInt8]) -> Int {
        bytes[..<index].reduce(1) { $0 + ($1 == 0x0A ? 1 : 0) }
    }

    private static func utf16(
        _ bytes: [UInt8], isBigEndian: Bool, _ name: String
    ) throws(MediaError) -> [UInt8] {
        let units = stride(from: 2, to: bytes.count - 1, by: 2).map { index in
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            return isBigEndian ? first << 8 | second : second << 8 | first
        }
        guard bytes.count % 2 == 0, !units.contains(0),
            let text = String(validating: units, as: UTF16.self)
        else {
            throw MediaError(
                .invalidRequest,
                "the subtitle file \(name) begins as UTF-16, and \(bytes.count % 2 == 0 ? "holds what is no character" : "ends inside a character")",
                remedy: "save it again as UTF-8")
        }
        return Array(text.utf8)
    }
}
