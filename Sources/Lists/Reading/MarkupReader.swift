// A minimal XML parser for chapter files: tags, text, entities, comments, CDATA. It skips attributes and rejects entity
// declarations; it loads nothing and does not recurse.

/// Reads the pieces of an XML text, in order.
struct MarkupReader {
    enum Piece: Hashable {
        case start(String)
        case end(String)
        case text(String)
    }

    private let bytes: [UInt8]
    private var at = 0
    /// The current line.
    private(set) var line = 1

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    private func fault(_ reason: String) -> ListFault { ListFault(line, "this is no XML: \(reason)") }

    /// The next piece; nil at the end. An empty element yields its start, and at the next call its end.
    mutating func next() throws(ListFault) -> [Piece]? {
        while at < bytes.count {
            guard bytes[at] == UInt8(ascii: "<") else {
                let text = take { $0 != UInt8(ascii: "<") }
                return [.text(try resolved(text))]
            }
            if starts("<!--") {
                try skip(past: "-->")
            } else if starts("<![CDATA[") {
                let begin = at + 9
                try skip(past: "]]>")
                return [.text(String(decoding: bytes[begin..<at - 3], as: UTF8.self))]
            } else if starts("<?") {
                try skip(past: "?>")
            } else if starts("<!") {
                let begin = at
                try skip(past: ">")
                if bytes[begin..<at].contains(UInt8(ascii: "[")) { throw fault("it declares entities") }
            } else {
                return try tag()
            }
        }
        return nil
    }

    private func starts(_ text: StaticString) -> Bool {
        bytes[at...].starts(with: text.description.utf8)
    }

    private mutating func take(while isMeant: (UInt8) -> Bool) -> [UInt8] {
        let start = at
        while at < bytes.count, isMeant(bytes[at]) {
            if bytes[at] == 0x0A { line += 1 }
            at += 1
        }
        return Array(bytes[start..<at])
    }

    private mutating func skip(past end: StaticString) throws(ListFault) {
        while at < bytes.count, !starts(end) {
            if bytes[at] == 0x0A { line += 1 }
            at += 1
        }
        guard at < bytes.count else { throw fault("\(end.description) is missing") }
        at += end.utf8CodeUnitCount
    }

    private mutating func tag() throws(ListFault) -> [Piece] {
        at += 1
        let isEnd = at < bytes.count && bytes[at] == UInt8(ascii: "/")
        if isEnd { at += 1 }
        let name = String(
            decoding: take { !($0 == 0x20 || (0x09...0x0D).contains($0) || $0 == 0x3E || $0 == 0x2F) },
            as: UTF8.self)
        guard !name.isEmpty else { throw fault("a tag has no name") }
        var quote: UInt8 = 0
        var last: UInt8 = 0
        while at < bytes.count, quote != 0 || bytes[at] != UInt8(ascii: ">") {
            let byte = bytes[at]
            if byte == 0x0A { line += 1 }
            if quote == 0, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == quote {
                quote = 0
            }
            last = byte
            at += 1
        }
        guard at < bytes.count else { throw fault("the tag \(name.shown) does not end") }
        at += 1
        if isEnd { return [.end(name)] }
        return last == UInt8(ascii: "/") ? [.start(name), .end(name)] : [.start(name)]
    }

    /// Text with its entities decoded.
    private func resolved(_ raw: [UInt8]) throws(ListFault) -> String {
        guard raw.contains(UInt8(ascii: "&")) else { return String(decoding: raw, as: UTF8.self) }
        var result = ""
        for (index, part) in String(decoding: raw, as: UTF8.self)
            .split(separator: "&", omittingEmptySubsequences: false).enumerated()
        {
            if index == 0 {
                result += part
                continue
            }
            guard let end = part.firstIndex(of: ";") else { throw fault("an entity does not end") }
            let name = part[..<end]
            switch name {
            case "lt": result += "<"
            case "gt": result += ">"
            case "amp": result += "&"
            case "quot": result += "\""
            case "apos": result += "'"
            default:
                let isHex = name.hasPrefix("#x") || name.hasPrefix("#X")
                let number = UInt32(name.dropFirst(isHex ? 2 : 1), radix: isHex ? 16 : 10)
                guard name.hasPrefix("#"), let number, number != 0, let scalar = Unicode.Scalar(number) else {
                    throw fault("the entity \(name.shown) is not known")
                }
                result.unicodeScalars.append(scalar)
            }
            result += part[part.index(after: end)...]
        }
        return result
    }
}
