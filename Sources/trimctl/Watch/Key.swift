// Parses terminal keys from input bytes. Pure.

/// A key of the live view.
enum Key: Hashable, Sendable {
    case up, down, pageUp, pageDown, first, last, enter
    case letter(Character)

    /// The keys in some bytes; skips everything else.
    static func read(_ bytes: [UInt8]) -> [Key] {
        var keys: [Key] = []
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            guard byte == 0x1B else {
                if byte == 0x0D || byte == 0x0A { keys.append(.enter) }
                if 0x20..<0x7F ~= byte { keys.append(.letter(Character(Unicode.Scalar(byte)))) }
                continue
            }
            // ESC [ A and ESC O A are the same key; ESC [ 5 ~ has a number.
            guard let kind = rest.first, kind == UInt8(ascii: "[") || kind == UInt8(ascii: "O") else {
                continue
            }
            rest.removeFirst()
            let parameters = rest.prefix { 0x20..<0x40 ~= $0 }
            rest = rest.dropFirst(parameters.count)
            guard let final = rest.popFirst() else { break }
            if let key = named(final, String(decoding: parameters, as: UTF8.self)) { keys.append(key) }
        }
        return keys
    }

    private static func named(_ final: UInt8, _ parameters: String) -> Key? {
        switch (Character(Unicode.Scalar(final)), parameters) {
        case ("A", _): .up
        case ("B", _): .down
        case ("H", _), ("~", "1"), ("~", "7"): .first
        case ("F", _), ("~", "4"), ("~", "8"): .last
        case ("~", "5"): .pageUp
        case ("~", "6"): .pageDown
        default: nil
        }
    }
}
