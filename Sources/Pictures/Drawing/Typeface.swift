// The typeface of pictures: outlines, since the sandboxed worker can open no font file. Any size is drawn from them, antialiased.
// Pure; the outlines themselves are in Typeface+Latin.swift and its neighbours.

/// The typeface of pictures.
package enum Typeface {
    /// A point of a contour, in units of 1/512 em, y upwards from the baseline.
    struct Point: Hashable, Sendable {
        var x: Int, y: Int
        /// False: a control point of a quadratic curve.
        var isOnCurve: Bool
    }

    /// The outline of a character.
    struct Glyph: Hashable, Sendable {
        /// From this character's origin to the next one's, in units of 1/512 em.
        var advance: Int
        var contours: [[Point]]
    }

    /// Units per em.
    static let em = 512
    /// Height of a line, its part above the baseline, and that of capital letters, in em.
    static let line = 1.2, ascent = 0.94, capital = 0.73

    /// The outline of a character; a hollow box for one that the typeface does not have.
    static func glyph(_ character: Character) -> Glyph {
        // A space that must not break is as wide as any.
        let character: Character = character == "\u{A0}" ? " " : character
        return lines[character].flatMap(read) ?? replacement
    }

    /// Whether the typeface has a character.
    static func has(_ character: Character) -> Bool { lines[character] != nil }

    /// The width of a text in pixels at a size in pixels per em.
    static func width(of text: String, size: Double) -> Int {
        let units = text.reduce(0) { $0 + glyph($1).advance }
        return Int((Double(units) * size / Double(em)).rounded(.up))
    }

    /// Height of a line in pixels at a size.
    package static func height(_ size: Double) -> Int { Int((line * size).rounded(.up)) }

    /// A text that is no wider than a number of pixels: the rest is left out at its end, or in its middle.
    package static func fit(_ text: String, width most: Int, size: Double, inMiddle: Bool = false) -> String {
        // A line of the narrowest letters has at most this many; a longer text need not be measured.
        let text = text.count > 4096 ? String(text.prefix(2048) + text.suffix(2048)) : text
        guard width(of: text, size: size) > most else { return text }
        let letters = Array(text)
        var (low, high) = (0, letters.count)
        func cut(_ count: Int) -> String {
            let tail = inMiddle ? count / 2 : 0
            return String(letters.prefix(count - tail)) + "…" + String(letters.suffix(tail))
        }
        while low < high {
            let middle = (low + high + 1) / 2
            if width(of: cut(middle), size: size) <= most { low = middle } else { high = middle - 1 }
        }
        return low == 0 && width(of: "…", size: size) > most ? "" : cut(low)
    }

    private static let replacement = Glyph(
        advance: 307,
        contours: [
            box(31, 0, 276, 365), box(61, 30, 246, 335).reversed(),
        ])

    private static func box(_ left: Int, _ bottom: Int, _ right: Int, _ top: Int) -> [Point] {
        [(left, bottom), (left, top), (right, top), (right, bottom)].map {
            Point(x: $0.0, y: $0.1, isOnCurve: true)
        }
    }

    /// Each character's line without itself.
    private static let lines: [Character: Substring] = {
        var lines: [Character: Substring] = [:]
        for text in [latin, latinExtended, greekCyrillic] {
            for line in text.split(separator: "\n") {
                if let character = line.first { lines[character] = line.dropFirst() }
            }
        }
        return lines
    }()

    /// Reads a line, as Tests/Scripts/make-typeface describes it; nil if it breaks off.
    private static func read(_ line: Substring) -> Glyph? {
        var digits = line.utf8.makeIterator()
        func number() -> Int? {
            var (value, shift) = (0, 0)
            while let digit = digits.next(), shift < 30 {
                let bits = Int(digit) - 48
                value |= (bits & 31) << shift
                shift += 5
                if bits < 32 { return value }
            }
            return nil
        }
        func signed(_ number: Int) -> Int { number & 1 == 0 ? number / 2 : -(number + 1) / 2 }
        guard let advance = number(), let count = number() else { return nil }
        var glyph = Glyph(advance: advance, contours: [])
        var (x, y) = (0, 0)
        for _ in 0..<count {
            guard let points = number() else { return nil }
            var contour: [Point] = []
            for _ in 0..<points {
                guard let across = number(), let up = number() else { return nil }
                x += signed(across >> 1)
                y += signed(up)
                contour.append(Point(x: x, y: y, isOnCurve: across & 1 == 1))
            }
            glyph.contours.append(contour)
        }
        return glyph
    }
}
