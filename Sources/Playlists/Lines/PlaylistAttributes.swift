// The attribute list of a tag (RFC 8216, 4.2): NAME=VALUE, separated by commas, a value in quotes or not. Pure.

/// The attributes of one tag.
struct PlaylistAttributes: Hashable, Sendable {
    private var values: [String: String] = [:]
    /// The line of the tag.
    let line: Int

    /// Parses the text behind the tag's colon.
    init(_ text: Substring, line: Int) throws(PlaylistError) {
        self.line = line
        func malformed(_ why: String) -> PlaylistError { PlaylistError(.malformed, line: line, why) }
        var rest = text.drop { $0 == " " }
        while !rest.isEmpty {
            guard values.count < PlaylistLimits.attributes else {
                throw PlaylistError(
                    .tooLarge, line: line, "a tag has over \(PlaylistLimits.attributes) attributes")
            }
            guard let equals = rest.firstIndex(of: "=") else {
                throw malformed("the attribute '\(RelativeName.shown(rest))' has no value")
            }
            let name = String(rest[..<equals])
            guard !name.isEmpty, name.utf8.allSatisfy(PlaylistAttributes.isNameByte) else {
                throw malformed("'\(RelativeName.shown(name))' is not the name of an attribute")
            }
            rest = rest[rest.index(after: equals)...]
            let value: Substring
            if rest.first == "\"" {
                rest = rest.dropFirst()
                guard let end = rest.firstIndex(of: "\"") else {
                    throw malformed("the value of \(name) has no closing quote")
                }
                value = rest[..<end]
                rest = rest[rest.index(after: end)...]
                guard rest.isEmpty || rest.first == "," else {
                    throw malformed("text follows the value of \(name)")
                }
            } else {
                let end = rest.firstIndex(of: ",") ?? rest.endIndex
                value = rest[..<end]
                rest = rest[end...]
            }
            guard values.updateValue(String(value), forKey: name) == nil else {
                throw malformed("it gives \(name) twice")
            }
            if rest.first == "," { rest = rest.dropFirst().drop { $0 == " " } }
        }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
        default: false
        }
    }

    /// The value of an attribute; nil if it is not given.
    subscript(_ name: String) -> String? { values[name] }

    /// The value of an attribute whose name may be in small letters too, as in tags of no standard.
    subscript(anyCase name: String) -> String? {
        values[name] ?? values.first { $0.key.uppercased() == name }?.value
    }

    /// The value of an attribute that the tag must have.
    func required(_ name: String, of tag: String) throws(PlaylistError) -> String {
        guard let value = values[name] else {
            throw PlaylistError(.malformed, line: line, "\(tag) lacks \(name)")
        }
        return value
    }
}
