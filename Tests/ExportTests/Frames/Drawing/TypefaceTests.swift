// The typeface of pictures: what it has, how wide it is, and whether its letters look like letters.
import Testing

@testable import Pictures

@Suite struct TypefaceTests {
    @Test func latinOneIsCovered() {
        for code in Array(0x20...0x7E) + Array(0xA1...0xFF) where code != 0xAD {
            let letter = Character(UnicodeScalar(UInt8(code)))
            #expect(Typeface.has(letter), "U+\(String(code, radix: 16))")
            if letter != " " { #expect(!Typeface.glyph(letter).contours.isEmpty, "\(letter)") }
            #expect(Typeface.glyph(letter).advance > 0)
        }
        for letter in "…–—„“”’€łőřşžΑΩαωЖяё−" { #expect(Typeface.has(letter), "\(letter)") }
        #expect(Typeface.has("e\u{301}"), "a letter and its accent are one character")
    }

    @Test func whatIsMissingIsABox() {
        for letter in ["日", "🎬", "\u{202E}"] as [Character] {
            #expect(Typeface.glyph(letter) == Typeface.glyph("本") && !Typeface.has(letter))
        }
        #expect(Typeface.glyph("日").contours.count == 2)
        // Hollow: its border is drawn, its middle is not.
        let box = drawn("日", size: 40)
        #expect(box.pixel(12, 24).red == 0 && (2...22).contains { box.pixel($0, 20).red > 200 })
    }

    private func drawn(_ text: String, size: Double) -> Canvas {
        var canvas = Canvas(width: 60, height: 60, .black)
        canvas.write(text, left: 0, top: 0, size: size, .white)
        return canvas
    }

    /// By their shapes: an I is a bar, an O has a hole, an L stands on the baseline.
    @Test func lettersHaveTheirShapes() {
        let size = 40.0
        let (base, cap) = (38, 8)
        func ink(_ canvas: Canvas, _ columns: Range<Int>, _ rows: Range<Int>) -> Double {
            var sum = 0
            for row in rows { for column in columns { sum += Int(canvas.pixel(column, row).red) } }
            return Double(sum) / 255 / Double(columns.count * rows.count)
        }
        let bar = drawn("I", size: size)
        #expect(ink(bar, 4..<7, (cap + 3)..<(base - 2)) > 0.9 && ink(bar, 14..<60, 0..<60) == 0)
        let round = drawn("O", size: size)
        let middle = (cap + base) / 2
        #expect(ink(round, 12..<20, (middle - 4)..<(middle + 4)) == 0)
        #expect(ink(round, 3..<7, (middle - 2)..<(middle + 2)) > 0.6)
        let angle = drawn("L", size: size)
        #expect(ink(angle, 6..<20, (base - 3)..<base) > 0.8 && ink(angle, 0..<60, (base + 2)..<60) == 0)
        // Antialiased: a slanted line has greys.
        let greys = Set(drawn("/", size: size).bytes)
        #expect(greys.count > 20)
    }

    @Test func widthsAddUp() {
        #expect(Typeface.width(of: "", size: 20) == 0)
        let digits = Set("0123456789".map { Typeface.glyph($0).advance })
        #expect(digits.count == 1, "times below one another line up")
        let one = Typeface.width(of: "mm", size: 20), two = Typeface.width(of: "mmmm", size: 20)
        #expect(abs(two - 2 * one) <= 1)
    }

    @Test func aLongTextIsCutToFit() {
        let name = "a very long name of a film that nobody would give.mp4"
        for width in [0, 3, 12, 40, 100, 200, 300] {
            for isMiddle in [true, false] {
                let text = Typeface.fit(name, width: width, size: 13, inMiddle: isMiddle)
                #expect(Typeface.width(of: text, size: 13) <= width, "\(width): \(text)")
                if width >= 100 { #expect(text.contains("…") && text.hasSuffix(".mp4") == isMiddle) }
            }
        }
        #expect(Typeface.fit("short", width: 100, size: 13) == "short")
        let endless = String(repeating: "x", count: 1_000_000)
        #expect(Typeface.fit(endless, width: 300, size: 13).count < 60)
    }

    @Test func nothingIsDrawnBesideTheCanvas() {
        for (left, top) in [(-500, 0), (0, -500), (59, 59), (1000, 10), (-10, -10)] {
            var canvas = Canvas(width: 60, height: 60, .black)
            canvas.write("Ågj日", left: left, top: top, size: 30, .white)
            #expect(canvas.bytes.count == 3 * 60 * 60)
        }
    }
}

extension Canvas {
    /// A pixel inside the canvas.
    func pixel(_ column: Int, _ row: Int) -> Color {
        let offset = 3 * (row * width + column)
        return Color(red: bytes[offset], green: bytes[offset + 1], blue: bytes[offset + 2])
    }
}
