// The text of a list from any program: with or without a byte order mark, in UTF-8 or UTF-16, with any line ends. It knows no
// format.

/// The bytes of a list, in UTF-8 and without a byte order mark.
struct ListText {
    /// The text.
    let bytes: [UInt8]

    /// A line of the text, without its line end.
    struct Line {
        /// Counted from 1.
        var number: Int
        var text: String
    }

    /// Decodes the text; the fault names the invalid line.
    init(_ raw: [UInt8]) throws(ListFault) {
        if raw.starts(with: [0xFF, 0xFE]) || raw.starts(with: [0xFE, 0xFF]) {
            let isLittle = raw[0] == 0xFF
            let units = stride(from: 2, to: raw.count - 1, by: 2).map { index in
                let (low, high) = isLittle ? (raw[index], raw[index + 1]) : (raw[index + 1], raw[index])
                return UInt16(high) << 8 | UInt16(low)
            }
            guard let text = String(validating: units, as: UTF16.self) else {
                throw ListFault(1, "the list begins as UTF-16 and is none; save it as UTF-8")
            }
            bytes = Array(text.utf8)
        } else {
            bytes = Array(raw.starts(with: [0xEF, 0xBB, 0xBF]) ? raw.dropFirst(3) : raw[...])
            if String(validating: bytes, as: UTF8.self) == nil {
                for line in ListText.split(bytes)
                where String(validating: bytes[line.range], as: UTF8.self) == nil {
                    throw ListFault(
                        line.number,
                        "this is no UTF-8; save the list as UTF-8, and write a file's name that is none as a URL, such as file:///films/caf%E9.mp4"
                    )
                }
            }
        }
        if let nul = bytes.firstIndex(of: 0) {
            let number = ListText.split(Array(bytes[..<nul])).last?.number ?? 1
            throw ListFault(number, "there is a NUL byte; this is no text")
        }
    }

    /// The lines; CR LF, LF and CR end one.
    var lines: [Line] {
        ListText.split(bytes).map {
            Line(number: $0.number, text: String(decoding: bytes[$0.range], as: UTF8.self))
        }
    }

    private static func split(_ bytes: [UInt8]) -> [(number: Int, range: Range<Int>)] {
        var lines: [(number: Int, range: Range<Int>)] = []
        var start = 0
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            guard byte == 0x0A || byte == 0x0D else { continue }
            lines.append((lines.count + 1, start..<index - 1))
            if byte == 0x0D, index < bytes.count, bytes[index] == 0x0A { index += 1 }
            start = index
        }
        lines.append((lines.count + 1, start..<bytes.count))
        return lines
    }
}

extension StringProtocol {
    /// A copy without white space at both ends.
    var trimmed: String {
        let start = drop { $0.isWhitespace }
        return String(String(start.reversed().drop { $0.isWhitespace }).reversed())
    }

    /// In quotes for a message: truncated, without control characters.
    var shown: String {
        let text = String(
            String.UnicodeScalarView(
                prefix(60).unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }))
        return "'\(text)\(count > 60 ? "…" : "")'"
    }
}
