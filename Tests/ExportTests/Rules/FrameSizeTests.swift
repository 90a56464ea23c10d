// The frame size of the output.
import Media
import MediaTime
import Testing

@testable import Export

struct FrameSizeTests {
    private func fit(
        _ width: Int, _ height: Int, _ aspect: (Int64, Int64) = (1, 1), isTurned: Bool = false,
        box: (Int, Int) = (1280, 720)
    ) throws -> (width: Int, height: Int) {
        FrameSize.fit(
            width: width, height: height, sampleAspect: try #require(Ratio(aspect.0, aspect.1)),
            isTurned: isTurned,
            maxWidth: box.0, maxHeight: box.1)
    }

    @Test func examples() throws {
        #expect(try fit(1920, 1080) == (1280, 720))
        #expect(try fit(1280, 720) == (1280, 720))
        #expect(try fit(640, 360) == (640, 360), "never larger")
        #expect(try fit(1440, 1080, (4, 3)) == (1280, 720), "square pixels")
        #expect(try fit(720, 576, (16, 15)) == (768, 576))
        #expect(try fit(720, 480, (8, 9)) == (640, 480))
        #expect(try fit(720, 480, (32, 27)) == (852, 480), "853 and a third, and never larger")
        #expect(try fit(1920, 800) == (1280, 534))
        #expect(try fit(1080, 1920) == (720, 1280), "the box turns for portrait")
        #expect(try fit(1920, 1080, isTurned: true) == (720, 1280))
        #expect(try fit(1080, 1920, isTurned: true) == (1280, 720))
        #expect(try fit(1000, 1000) == (720, 720))
        #expect(try fit(1920, 1080, box: (854, 480)) == (854, 480))
        #expect(try fit(2, 2) == (2, 2))
    }

    @Test func anOddSizeBecomesEvenAndNotLarger() throws {
        #expect(try fit(853, 480) == (852, 480))
        #expect(try fit(161, 121) == (160, 120))
        #expect(try fit(641, 361) == (640, 360))
    }

    @Test func theFrameSizeIsEvenFitsTheBoxAndKeepsItsShape() throws {
        var random = Seeded(31)
        let aspects: [(Int64, Int64)] = [(1, 1), (4, 3), (16, 15), (8, 9), (64, 45), (2, 1), (1, 2)]
        for _ in 0..<2000 {
            let (width, height) = (
                Int.random(in: 2...4200, using: &random), Int.random(in: 2...4200, using: &random)
            )
            let aspect = try #require(aspects.randomElement(using: &random))
            let isTurned = Bool.random(using: &random)
            let box =
                [(1280, 720), (1920, 1080), (854, 480), (640, 480)].randomElement(using: &random) ?? (2, 2)
            let made = try fit(width, height, aspect, isTurned: isTurned, box: box)
            var shown = (Double(width) * Double(aspect.0) / Double(aspect.1), Double(height))
            if isTurned { shown = (shown.1, shown.0) }
            let inside = shown.1 > shown.0 ? (box.1, box.0) : box
            let name = "\(width)x\(height) \(aspect) turned \(isTurned) in \(box): \(made)"
            #expect(made.width % 2 == 0 && made.height % 2 == 0, "\(name)")
            #expect(made.width >= 2 && made.height >= 2, "\(name)")
            #expect(made.width <= inside.0 && made.height <= inside.1, "\(name)")
            // A width of 853 1/3 pixels may become 854; one of 853 may not.
            let most = (max(2, shown.0.rounded(.up)), max(2, shown.1.rounded(.up)))
            #expect(Double(made.width) <= most.0 && Double(made.height) <= most.1, "larger: \(name)")
            // Below this, one pixel more or less is more than 2 %.
            if min(made.width, made.height) >= 100 {
                #expect(
                    abs(Double(made.width) / Double(made.height) / (shown.0 / shown.1) - 1) < 0.02, "\(name)")
            }
            // It fills the box, or it is as large as the source.
            let isFull = made.width >= inside.0 - 1 || made.height >= inside.1 - 1
            let isWhole = Double(made.width) > shown.0 - 2 && Double(made.height) > shown.1 - 2
            #expect(isFull || isWhole, "\(name)")
        }
    }
}
