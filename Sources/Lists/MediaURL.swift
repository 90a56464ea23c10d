// Paths of media as lists write them: plain, relative or absolute, or as file URLs. It opens nothing, and knows no network.
internal import Media

/// Reads the places of media.
enum MediaURL {
    /// The path that the URL of a file names; any other text is a path itself.
    static func named(_ text: String, line: Int) throws(ListFault) -> String {
        text.lowercased().hasPrefix("file:/") ? try path(text, line: line) : text
    }

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
                throw ListFault(line, "\(text.shown) is on another machine, \(host.shown)")
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
    private static func decoded(_ text: String) -> String? { PathSpelling.decoded(text).map(PathBytes.text) }
}
