// Parses bytes to a JSONValue in one dialect. Written by hand because decoding a tree through Codable costs one failed attempt
// per case: a hostile line of 1 MiB would block its queue for seconds. Pure; linear in the bytes; the dialect's depth limit
// bounds recursion. JSONParser+Strings has strings, JSONParser+Numbers numbers and literals.

extension JSONValue {
    /// Parses a text.
    /// - Parameter line: the number of the text's first line.
    public init(
        parsing text: [UInt8], as dialect: JSONDialect, line: Int = 1
    ) throws(JSONFault) {
        var parser = JSONParser(bytes: text, dialect: dialect, line: line)
        self = try parser.whole()
    }
}

/// Parses one value from bytes.
struct JSONParser {
    let bytes: [UInt8]
    let dialect: JSONDialect
    var at = 0
    var line: Int

    init(bytes: [UInt8], dialect: JSONDialect, line: Int) {
        self.bytes = bytes
        self.dialect = dialect
        self.line = line
    }

    mutating func whole() throws(JSONFault) -> JSONValue {
        if dialect.allowsByteOrderMark, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
        let value = try value(depth: 0)
        try skipSpace()
        guard at == bytes.count else { throw fault(.textAfterValue) }
        return value
    }

    func fault(_ reason: JSONFault.Reason) -> JSONFault {
        JSONFault(reason: reason, offset: at, line: line)
    }

    var next: UInt8? { at < bytes.count ? bytes[at] : nil }

    mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: scalar) else { return false }
        at += 1
        return true
    }

    private mutating func skipSpace() throws(JSONFault) {
        while let byte = next {
            if byte == 0x0A { line += 1 }
            if byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
                at += 1
            } else if dialect.isJSON5 {
                guard try skipJSON5Space(byte) else { return }
            } else {
                return
            }
        }
    }

    /// Skips vertical tabs, form feeds, no-break spaces and comments; returns whether there was one.
    private mutating func skipJSON5Space(_ byte: UInt8) throws(JSONFault) -> Bool {
        let rest = bytes[at...]
        if byte == 0x0B || byte == 0x0C {
            at += 1
        } else if rest.starts(with: [0xC2, 0xA0]) {
            at += 2
        } else if rest.starts(with: "//".utf8) {
            while at < bytes.count, bytes[at] != 0x0A { at += 1 }
        } else if rest.starts(with: "/*".utf8) {
            at += 2
            while at < bytes.count, !bytes[at...].starts(with: "*/".utf8) {
                if bytes[at] == 0x0A { line += 1 }
                at += 1
            }
            guard at < bytes.count else { throw fault(.openComment) }
            at += 2
        } else {
            return false
        }
        return true
    }

    private mutating func value(depth: Int) throws(JSONFault) -> JSONValue {
        try skipSpace()
        // JSON5 may open one more level if it is empty.
        let isTooDeep = dialect.isJSON5 ? depth > dialect.depthLimit : depth >= dialect.depthLimit
        let start = line
        switch next.map(Unicode.Scalar.init) {
        case _ where isTooDeep && dialect.isJSON5, "{" where isTooDeep, "[" where isTooDeep:
            throw fault(.tooDeep(limit: dialect.depthLimit))
        case nil: throw fault(.endOfText)
        case "{": return JSONValue(.object(try members(depth: depth + 1)), line: start)
        case "[": return JSONValue(.array(try elements(depth: depth + 1)), line: start)
        case "\"": return JSONValue(.string(try string()), line: start)
        case "'" where dialect.isJSON5: return JSONValue(.string(try string()), line: start)
        default: return JSONValue(dialect.isJSON5 ? try json5Word() : try wordOrNumber(), line: start)
        }
    }

    private mutating func elements(depth: Int) throws(JSONFault) -> [JSONValue] {
        at += 1
        var values: [JSONValue] = []
        try skipSpace()
        if skip("]") { return values }
        while true {
            values.append(try value(depth: depth))
            try skipSpace()
            if skip("]") { return values }
            guard skip(",") else { throw fault(.arrayWithoutComma) }
            guard dialect.allowsTrailingComma else { continue }
            try skipSpace()
            if skip("]") { return values }
        }
    }

    private mutating func members(depth: Int) throws(JSONFault) -> JSONObject {
        at += 1
        var members = JSONObject()
        try skipSpace()
        if skip("}") { return members }
        while true {
            try skipSpace()
            let name = try name()
            try skipSpace()
            guard skip(":") else { throw fault(.memberWithoutColon(name: name)) }
            members.append(name, try value(depth: depth), firstCounts: dialect.duplicates == .first)
            try skipSpace()
            if skip("}") { return members }
            guard skip(",") else { throw fault(.objectWithoutComma) }
            guard dialect.allowsTrailingComma else { continue }
            try skipSpace()
            if skip("}") { return members }
        }
    }

    private mutating func name() throws(JSONFault) -> String {
        if next == UInt8(ascii: "\"") || dialect.isJSON5 && next == UInt8(ascii: "'") { return try string() }
        guard dialect.isJSON5 else { throw fault(.memberWithoutName) }
        return bareWord()
    }
}
