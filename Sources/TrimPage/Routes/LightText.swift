// Scripts and styles as they are sent: without comments, indentation, blanks that separate nothing and semicolons that a line's end stands
// for. Each line keeps its number. It knows strings, templates and regular expressions, and changes none of them. Pure; the texts are the
// page's own files.

/// Text of the page without what only its readers need.
enum LightText {
    /// A script.
    static func script(_ script: [UInt8]) -> [UInt8] {
        var text = Text(script)
        // For each template that is open, the braces that are open in its present expression; nil: it is in its text.
        var templates: [Int?] = []
        while let byte = text.next {
            if case .some(.none) = templates.last {
                text.take(byte == ascii("\\") ? 2 : 1)
                if byte == ascii("`") { templates.removeLast() }
                if byte == ascii("$"), text.next == ascii("{") {
                    text.take()
                    templates[templates.count - 1] = 0
                }
                continue
            }
            switch byte {
            case ascii("\""), ascii("'"): text.takeString()
            case ascii("`"):
                text.take()
                templates.append(nil)
            case ascii("{"), ascii("}"):
                text.endStatement()
                text.take()
                guard let open = templates.last ?? nil else { continue }
                let left = open + (byte == ascii("{") ? 1 : -1)
                templates[templates.count - 1] = left < 0 ? nil : left
            case ascii("/"): text.takeSlash()
            case ascii("\n"):
                text.endLine()
                text.take()
            case ascii(" "):
                text.skipBlanks()
                if text.next != ascii("/") || !text.isComment, text.separates { text.out.append(byte) }
            default: text.take()
            }
        }
        return text.out
    }

    /// A style sheet.
    static func style(_ style: [UInt8]) -> [UInt8] {
        var text = Text(style)
        while let byte = text.next {
            switch byte {
            case ascii("\""): text.takeString()
            case ascii("/") where text.isComment: text.skipComment()
            case ascii("}"):
                text.endStatement()
                text.take()
            case ascii(" "):
                text.skipBlanks()
                let around = [text.out.last ?? ascii("\n"), text.next ?? ascii("\n")]
                let needless = "\n{};,".utf8.contains { around.contains($0) } || around[0] == ascii(":")
                if !needless { text.out.append(byte) }
            default: text.take()
            }
        }
        return text.out
    }

    /// A text as far as it is read, and the part of it that is sent.
    private struct Text {
        private let bytes: [UInt8]
        private var at = 0
        var out: [UInt8] = []

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        var next: UInt8? { byte(at) }
        private func byte(_ index: Int) -> UInt8? { index < bytes.count ? bytes[index] : nil }

        mutating func take(_ count: Int = 1) {
            let end = min(at + count, bytes.count)
            out += bytes[at..<end]
            at = end
        }

        /// Leaves out the semicolon before the brace that ends a block. Scripts of the page have no empty statement as the body of another:
        /// there it would be needed.
        mutating func endStatement() { if next == ascii("}"), out.last == ascii(";") { out.removeLast() } }

        /// Leaves out the semicolon before the end of a line where the next statement begins with a word, which continues none, or a block
        /// ends: JavaScript reads the end of the line as one.
        mutating func endLine() {
            guard out.last == ascii(";") else { return }
            var after = at
            var isComment = false
            while let byte = byte(after), isComment || "\n /".utf8.contains(byte) {
                if byte == ascii("\n") { isComment = false }
                if byte == ascii("/"), !isComment {
                    guard self.byte(after + 1) == byte else { return }
                    isComment = true
                }
                after += 1
            }
            guard let first = byte(after) else { return }
            if first == ascii("}") || isWord(first) { out.removeLast() }
        }

        mutating func skipBlanks() { while next == ascii(" ") { at += 1 } }

        var isComment: Bool { byte(at + 1) == ascii("/") || byte(at + 1) == ascii("*") }

        /// Leaves out a comment; of one over several lines their ends stay.
        mutating func skipComment() {
            let isLine = byte(at + 1) == ascii("/")
            at += 2
            while let byte = next, !(isLine && byte == ascii("\n")) {
                if !isLine, byte == ascii("*"), self.byte(at + 1) == ascii("/") {
                    at += 2
                    return
                }
                if byte == ascii("\n") { out.append(byte) }
                at += 1
            }
        }

        mutating func takeString() {
            let quote = next
            take()
            while let byte = next {
                take(byte == ascii("\\") ? 2 : 1)
                if byte == quote { return }
            }
        }

        /// A comment, a division or a regular expression.
        mutating func takeSlash() {
            if isComment { return skipComment() }
            let before = out.last ?? ascii("\n")
            take()
            guard "\n(,=:[!&|?{};>".utf8.contains(before) else { return }
            var isInClass = false
            while let byte = next, byte != ascii("\n") {
                take(byte == ascii("\\") ? 2 : 1)
                if byte == ascii("[") { isInClass = true }
                if byte == ascii("]") { isInClass = false }
                if byte == ascii("/"), !isInClass { return }
            }
        }

        /// Whether a blank here keeps apart what would be read as one.
        var separates: Bool {
            guard let before = out.last, let after = next else { return false }
            if isWord(before), isWord(after) { return true }
            return before == ascii("/") && isWord(after) || before == after && "+-/".utf8.contains(before)
        }
    }
}

/// Whether a byte is one of a name or a number.
private func isWord(_ byte: UInt8) -> Bool {
    byte >= 0x80 || "_$#".utf8.contains(byte) || (ascii("0")...ascii("9")).contains(byte)
        || (ascii("a")...ascii("z")).contains(byte | 0x20)
}

private func ascii(_ character: Unicode.Scalar) -> UInt8 { UInt8(truncatingIfNeeded: character.value) }
