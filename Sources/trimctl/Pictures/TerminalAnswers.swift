// Reads a terminal's answers to questions about pictures. They are untrusted input, and typed keys may lie among them: only the
// four known forms count, each of bounded length, and everything else is skipped. Pure.

/// A terminal's answers.
struct TerminalAnswers: Hashable, Sendable {
    /// It shows pictures by the kitty graphics protocol.
    private(set) var hasKitty = false
    /// It shows Sixel pictures.
    private(set) var hasSixel = false
    /// Its name and version, as XTVERSION says them; printable ASCII.
    private(set) var name: String?
    /// The size of a character cell in pixels.
    private(set) var cell: CellSize?
    /// The last answer has come: that to DA1, which every terminal gives.
    private(set) var isComplete = false

    /// The size of a character cell in pixels.
    struct CellSize: Hashable, Sendable {
        var width: Int, height: Int
    }

    /// The questions: a kitty picture that is not shown, the name, the size of a cell, and, last, the kind of terminal.
    static let questions = "\u{1B}_Gi=\(kittyID),s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\\u{1B}[>q\u{1B}[16t\u{1B}[c"

    /// Answers have fewer bytes than this in all, and one of them fewer than that.
    static let most = 4096, longest = 256
    /// The largest cell in pixels, and the largest number with a meaning.
    private static let largestCell = 256, largestNumber = 65_535
    private static let kittyID = 31

    /// Reads what has come so far; the end may be missing.
    init(_ bytes: some Sequence<UInt8>) {
        var rest = Array(bytes.prefix(TerminalAnswers.most))[...]
        while let start = rest.firstIndex(of: 0x1B) {
            rest = rest[start...].dropFirst()
            let body = rest.dropFirst()
            let taken: Int?
            switch rest.first {
            case UInt8(ascii: "["): taken = readControl(body)
            case UInt8(ascii: "P"): taken = readString(body) { self.take(name: $0) }
            case UInt8(ascii: "_"): taken = readString(body) { self.take(kitty: $0) }
            default: taken = nil
            }
            // Of anything else only the escape is skipped: an answer may follow at once.
            if let taken { rest = body.dropFirst(taken) }
        }
    }

    /// A control sequence: parameters, then a final byte. Returns the bytes read; nil if it is none.
    private mutating func readControl(_ bytes: ArraySlice<UInt8>) -> Int? {
        let parameters = bytes.prefix(TerminalAnswers.longest).prefix { 0x30...0x3F ~= $0 }
        guard let final = bytes.dropFirst(parameters.count).first else { return nil }
        let text = String(decoding: parameters, as: UTF8.self)
        switch final {
        case UInt8(ascii: "c") where text.hasPrefix("?"):
            guard let numbers = TerminalAnswers.numbers(text.dropFirst()) else { return nil }
            // The first is the kind of terminal, the others are what it can do.
            hasSixel = numbers.dropFirst().contains(4)
            isComplete = true
        case UInt8(ascii: "t"):
            guard let numbers = TerminalAnswers.numbers(text[...]), numbers.count == 3, numbers[0] == 6,
                numbers[1...].allSatisfy({ 1...TerminalAnswers.largestCell ~= $0 })
            else { return nil }
            cell = CellSize(width: numbers[2], height: numbers[1])
        default: return nil
        }
        return parameters.count + 1
    }

    /// A string up to its terminator. Returns the bytes read; nil if it is none, or too long.
    private func readString(_ bytes: ArraySlice<UInt8>, _ body: (String) -> Void) -> Int? {
        let text = bytes.prefix(TerminalAnswers.longest).prefix { 0x20...0x7E ~= $0 }
        guard Array(bytes.dropFirst(text.count).prefix(2)) == [0x1B, UInt8(ascii: "\\")] else { return nil }
        body(String(decoding: text, as: UTF8.self))
        return text.count + 2
    }

    private mutating func take(name text: String) {
        if text.hasPrefix(">|"), text.count > 2 { name = String(text.dropFirst(2)) }
    }

    private mutating func take(kitty text: String) {
        let parts = text.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false)
        guard text.hasPrefix("G"), parts.count == 2, parts[1] == "OK" else { return }
        let keys = parts[0].dropFirst().split(separator: ",")
        if keys.contains("i=\(TerminalAnswers.kittyID)") { hasKitty = true }
    }

    /// Numbers with semicolons between them; nil if there is anything else.
    private static func numbers(_ text: Substring) -> [Int]? {
        var numbers: [Int] = []
        for part in text.split(separator: ";", omittingEmptySubsequences: false) {
            guard part.allSatisfy({ $0.isASCII && $0.isNumber }), part.count <= 5 else { return nil }
            guard let number = part.isEmpty ? 0 : Int(part), number <= largestNumber else { return nil }
            numbers.append(number)
        }
        return numbers
    }
}
