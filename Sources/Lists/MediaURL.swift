// Media paths in lists: plain, relative or absolute, or file URLs. It opens nothing and uses no network.
internal import Media
internal import Text

/// Parses media paths.
enum MediaURL {
    /// The path of a file URL; any other text is a path.
    static func named(_ text: String, line: Int) throws(ListFault) -> String {
        text.lowercased().hasPrefix("file:/") ? try path(text, line: line) : text
    }

    /// The path of a URL or a path.
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
                throw ListFault(line, "\(text.shown) is on another machine, \(host.shown)")
            }
            rest = rest.dropFirst(host.count)
        }
        guard let path = decoded(String(rest)), !path.isEmpty else {
            throw ListFault(line, "\(text.shown) is no URL of a file")
        }
        return path
    }

    /// A path as `path` reads it: with percent escapes where it holds a percent sign or a colon, or is not UTF-8.
    static func spelled(_ path: String) -> String {
        let text = PathSpelling.spelled(path)
        guard text == path, text.contains("%") || text.contains(":") else { return text }
        return text.map { $0 == "%" ? "%25" : $0 == ":" ? "%3A" : String($0) }.joined()
    }

    private static func isScheme(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "+-.".contains(character))
    }

    /// Decodes percent escapes; nil if an escape is wrong or decodes to a byte that no path may hold.
    private static func decoded(_ text: String) -> String? { PathSpelling.decoded(text).map(PathBytes.text) }
}
