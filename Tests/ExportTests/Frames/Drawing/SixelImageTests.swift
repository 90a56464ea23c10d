// Sixel data of images: read back here, it is the image, and it holds nothing but Sixel data.
import Media
import Testing

@testable import Pictures

@Suite struct SixelImageTests {
    /// An image of noise, or of few colours.
    private func image(_ width: Int, _ height: Int, colors: Int?) -> Canvas {
        var seed: UInt64 = 7
        var bytes: [UInt8] = []
        for index in 0..<(width * height) {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let value = colors.map { index / 5 % $0 * 255 / max(1, $0 - 1) } ?? Int(seed >> 56)
            bytes += [
                UInt8(value), UInt8(255 - value),
                UInt8(truncatingIfNeeded: colors == nil ? Int(seed >> 40) : 40),
            ]
        }
        return Canvas(width: width, height: height, bytes: bytes) ?? Canvas(width: 1, height: 1)
    }

    /// The picture that a terminal makes of it: an independent reader.
    private func read(_ data: String) throws -> Canvas {
        let numbers = data.dropFirst().prefix { $0 != "#" }.split(separator: ";").compactMap { Int($0) }
        try #require(data.first == "\"" && numbers.count == 4 && numbers[0] == 1 && numbers[1] == 1)
        let (width, height) = (numbers[2], numbers[3])
        var bytes = [UInt8](repeating: 0, count: 3 * width * height)
        var colors: [Int: [UInt8]] = [:]
        var (color, x, y, count) = (0, 0, 0, 1)
        var rest = data.drop { $0 != "#" }
        func number() -> Int {
            let digits = rest.prefix { $0.isNumber }
            rest = rest.dropFirst(digits.count)
            return Int(digits) ?? -1
        }
        while let sign = rest.popFirst() {
            switch sign {
            case "#":
                color = number()
                guard rest.first == ";" else { break }
                var parts: [Int] = []
                while rest.first == ";" {
                    rest.removeFirst()
                    parts.append(number())
                }
                colors[color] = parts.dropFirst().map { UInt8($0 * 255 / 100) }
            case "!": count = number()
            case "$": x = 0
            case "-": (x, y) = (0, y + 6)
            default:
                let mask = try #require(sign.asciiValue) - 63
                let paint = try #require(colors[color])
                for _ in 0..<count {
                    for bit in 0..<6 where mask >> UInt8(bit) & 1 == 1 {
                        try #require(x < width && y + bit < height, "a pixel beside the image")
                        bytes.replaceSubrange(
                            (3 * ((y + bit) * width + x))..<(3 * ((y + bit) * width + x) + 3), with: paint)
                    }
                    x += 1
                }
                count = 1
            }
        }
        return try #require(Canvas(width: width, height: height, bytes: bytes))
    }

    private func error(_ a: Canvas, _ b: Canvas) -> Double {
        zip(a.bytes, b.bytes).reduce(0.0) { $0 + abs(Double($1.0) - Double($1.1)) } / Double(a.bytes.count)
    }

    @Test(arguments: [(1, 1), (3, 5), (7, 6), (40, 13), (61, 48)]) func itIsTheImage(
        _ width: Int, _ height: Int
    ) throws {
        for colors in [1, 2, 17] {
            let image = image(width, height, colors: colors)
            let again = try read(SixelImage.data(image))
            #expect(again.width == width && again.height == height)
            #expect(error(image, again) < 4, "\(colors) colours: \(error(image, again))")
        }
        let noise = image(width, height, colors: nil)
        #expect(error(noise, try read(SixelImage.data(noise))) < 20)
    }

    @Test func itHoldsSixelDataAlone() {
        let allowed = Set("0123456789;\"#!$-".utf8)
        for colors in [nil, 1, 5] {
            let data = SixelImage.data(image(37, 29, colors: colors))
            #expect(data.utf8.allSatisfy { 0x3F...0x7E ~= $0 || allowed.contains($0) })
        }
    }

    @Test func noMoreThan256Colours() {
        #expect(Palette(image(64, 64, colors: nil)).colors.count == 256)
        #expect(Palette(image(64, 64, colors: 3)).colors.count == 3)
    }

    @Test func aPreviewFitsItsBoundsAndALine() throws {
        let noise = image(1500, 1100, colors: nil)
        for format in PreviewRequest.Format.allCases {
            let small = try PicturePreview.make(noise, PreviewRequest(format, width: 300, height: 100))
            if format == .sixel { #expect(try read(small).height == 100 && read(small).width == 136) }
            let whole = try PicturePreview.make(noise, PreviewRequest(format, width: 4096, height: 4096))
            #expect(whole.utf8.count <= PicturePreview.most && whole.utf8.count > PicturePreview.most / 4)
        }
    }
}
