// Paths of media as lists write them: plain, relative or absolute, or as file URLs. It opens nothing, and knows no network.

/// Reads the places of media.
enum MediaURL {
    /// The path that a URL or a path names.
    static func path(_ text: String, line: Int) throws(ListFault) -> String {
        guard let colon = text.firstRange(of: ":"), text.prefix(upTo: colon.lowerBound).allSatisfy(isScheme),
            text.distance(from: text.startIndex, to: colon.lowerBound) > 1
        else { return text.contains("%") ? decoded(text) ?? text : text }
        guard text.lowercased().hasPrefix("file:") else {
            throw ListFault(line, "\(text.shown) is no file of this machine; get it first, and name the file")
        }
        var rest = text[colon.upperBound...]
        if rest.hasPrefix("//") {
            rest = rest.dropFirst(2)
            let host = rest.prefix { $0 != "/" }
            guard host.isEmpty || host.lowercased() == "localhost" else {
                throw ListFault(line, "\(text.shown) lies on another machine, \(host.shown)")
            }
            rest = rest.dropFirst(host.count)
        }
        guard let path = decoded(String(rest)), !path.isEmpty else {
            throw ListFault(line, "\(text.shown) is no URL of a file")
        }
        return path
    }

    private static func isScheme(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "+-.".contains(character))
    }

    /// With `%20` and its like resolved; nil where an escape is wrong, or says what no path may hold.
    private static func decoded(_ text: String) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2,
                digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16), value != 0
            else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
