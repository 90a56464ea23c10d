// Width of texts in terminal cells, and padding to a width. Estimates width like wcwidth(3), without its locale. Pure.

extension Character {
    /// Its width in columns: 0, 1 or 2.
    var columns: Int {
        guard let first = unicodeScalars.first else { return 0 }
        if unicodeScalars.contains(where: { $0.value == 0xFE0F || $0.properties.isEmojiPresentation }) {
            return 2
        }
        switch first.value {
        case 0..<0x20, 0x7F..<0xA0, 0x200B...0x200F, 0x300...0x36F: return 0
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3,
            0xF900...0xFAFF,
            0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }
}

extension String {
    /// Its width in columns.
    var columns: Int { reduce(0) { $0 + $1.columns } }

    /// An untrusted text in exactly this many columns: truncated or padded with spaces.
    func filling(_ width: Int, isUnicode: Bool) -> String {
        let text = String(printable.map { $0 == "\t" ? " " : $0 }).oneLine
        guard text.columns > width else {
            return text + String(repeating: " ", count: max(0, width - text.columns))
        }
        guard width > 0 else { return "" }
        var cut = ""
        var used = 0
        for character in text {
            guard used + character.columns < width else { break }
            cut.append(character)
            used += character.columns
        }
        return cut + (isUnicode ? "…" : "~") + String(repeating: " ", count: max(0, width - used - 1))
    }
}
