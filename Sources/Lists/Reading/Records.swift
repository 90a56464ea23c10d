// Separated values as spreadsheets write them (RFC 4180 and close variants): quoted cells may contain the separator, quotes and
// line breaks. It knows no columns.

/// One record.
struct Record {
    /// The line it begins on.
    var line: Int
    var cells: [String]
}

/// Parses records.
struct RecordReader {
    private let bytes: [UInt8]
    private let separator: UInt8
    private var at = 0
    private var line = 1

    init(_ text: ListText, separator: UInt8) {
        bytes = text.bytes
        self.separator = separator
    }

    /// The separator of a text: the most frequent of the three usual ones in its first line, outside quotes.
    static func separator(of text: ListText) -> UInt8 {
        var counts: [UInt8: Int] = [:]
        var isQuoted = false
        for byte in text.bytes {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if !isQuoted, byte == 0x0A || byte == 0x0D, !counts.isEmpty { break }
            if !isQuoted, [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09].contains(byte) {
                counts[byte, default: 0] += 1
            }
        }
        // On a tie the lower byte wins: tab, then comma, then semicolon.
        return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? UInt8(ascii: ",")
    }

    /// The next non-empty record; nil at the end.
    mutating func next() throws(ListFault) -> Record? {
        while at < bytes.count {
            let record = try read()
            if record.cells.contains(where: { !$0.isEmpty }) { return record }
        }
        return nil
    }

    private mutating func read() throws(ListFault) -> Record {
        var record = Record(line: line, cells: [])
        while true {
            record.cells.append(try cell(from: record.line))
            guard at < bytes.count else { return record }
            let byte = bytes[at]
            at += 1
            if byte == separator { continue }
            // A line end; CR LF counts as one.
            if byte == 0x0D, at < bytes.count, bytes[at] == 0x0A { at += 1 }
            line += 1
            return record
        }
    }

    private func isEnd(_ byte: UInt8) -> Bool { byte == separator || byte == 0x0A || byte == 0x0D }

    /// One cell; an unquoted cell is trimmed.
    private mutating func cell(from start: Int) throws(ListFault) -> String {
        var from = at
        while from < bytes.count, bytes[from] == 0x20 { from += 1 }
        guard from < bytes.count, bytes[from] == UInt8(ascii: "\"") else {
            let begin = at
            while at < bytes.count, !isEnd(bytes[at]) { at += 1 }
            return String(decoding: bytes[begin..<at], as: UTF8.self).trimmed
        }
        at = from + 1
        let opened = line
        var value: [UInt8] = []
        while at < bytes.count {
            let byte = bytes[at]
            at += 1
            if byte == UInt8(ascii: "\"") {
                guard at < bytes.count, bytes[at] == UInt8(ascii: "\"") else {
                    // Only blanks should follow; anything else is kept as text.
                    while at < bytes.count, !isEnd(bytes[at]) {
                        if bytes[at] != 0x20 { value.append(bytes[at]) }
                        at += 1
                    }
                    return String(decoding: value, as: UTF8.self)
                }
                at += 1
            } else if byte == 0x0A || (byte == 0x0D && !(at < bytes.count && bytes[at] == 0x0A)) {
                line += 1
            }
            value.append(byte)
        }
        throw ListFault(opened, "a quoted cell is not closed: the quotation mark at its end is missing")
    }
}
