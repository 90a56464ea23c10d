// Where things are on a contact sheet: nothing beside it, nothing over another, sizes as asked for.
import Media
import MediaTime
import Testing

@testable import Pictures

@Suite struct SheetLayoutTests {
    private func layout(
        _ shape: (Int, Int)?, tiles: Int = 20, columns: Int = 5, hasWave: Bool = true,
        widest: String = "00:12.345",
        _ change: (inout SheetOptions) -> Void = { _ in }
    ) throws -> SheetLayout {
        var options = SheetOptions()
        change(&options)
        return try SheetLayout(
            shape.map { (width: $0.0, height: $0.1) }, tiles: tiles, columns: columns, options,
            hasWave: hasWave,
            widest: widest
        ) { width in
            var heading = PictureHeading("a film with quite a long name.mp4", width: width)
            heading.add(["00:12.345", "4.1 MB", "H.264 1920x1080 25 fps", "AAC 48 kHz stereo"])
            return heading
        }
    }

    @Test(arguments: [(1920, 1080), (1080, 1920), (1024, 576), (100, 100), (3000, 100), (853, 480)])
    func thumbnailsHaveTheFilmsShape(_ width: Int, _ height: Int) throws {
        for wide in [nil, 64, 200, 1000] {
            let made = try layout((width, height), tiles: 4, columns: 2) { $0.width = wide }
            if let wide { #expect(made.cell.width == wide) }
            let ratio = Double(made.cell.width) / Double(made.cell.height) / (Double(width) / Double(height))
            let rounding = 1 / Double(min(made.cell.width, made.cell.height))
            #expect(abs(ratio - 1) <= rounding, "\(made.cell)")
            #expect(made.size((width, height)) == made.cell)
        }
        #expect(try max(layout((width, height)).cell.width, layout((width, height)).cell.height) == 240)
    }

    @Test func aSlimFilmMakesNoTower() throws {
        let made = try layout((10, 4000), tiles: 1, columns: 1)
        #expect(made.cell.height == 4 * made.cell.width)
        let size = made.size((10, 4000))
        #expect(size.height == made.cell.height && size.width <= made.cell.width && size.width > 0)
    }

    @Test func nothingOverlapsAndNothingIsBeside() throws {
        for (tiles, columns) in [(1, 1), (7, 3), (20, 5), (24, 8)] {
            for wide in [64, 135, 240, 640] {
                let made = try layout((1080, 1920), tiles: tiles, columns: columns) { $0.width = wide }
                let line = Typeface.height(made.label)
                var seen: [(Range<Int>, Range<Int>)] = []
                for index in 0..<tiles {
                    let (left, top) = made.corner(index)
                    let own = (left..<(left + made.cell.width), top..<(top + made.cell.height + line))
                    #expect(top >= 8 + made.heading.height && left >= 8)
                    #expect(own.0.upperBound <= made.width - 8 && own.1.upperBound <= made.caption)
                    #expect(!seen.contains { $0.0.overlaps(own.0) && $0.1.overlaps(own.1) })
                    seen.append(own)
                }
                #expect(made.caption + 2 * line + made.wave <= made.height)
                #expect(Typeface.width(of: "00:12.345", size: made.label) <= made.cell.width)
            }
        }
        let hours = try layout((16, 9), widest: "12:34:56.789") { $0.width = 64 }
        #expect(Typeface.width(of: "12:34:56.789", size: hours.label) <= 64)
    }

    @Test(arguments: [(1280, nil), (800, 600), (1921, 1080), (640, 4000), (3000, 500)] as [(Int, Int?)])
    func aSheetIsAsLargeAsAskedFor(_ width: Int, _ height: Int?) throws {
        for shape in [(1920, 1080), (1080, 1920)] {
            let made = try layout(shape) { ($0.sheetWidth, $0.sheetHeight) = (width, height) }
            #expect(made.width <= width && made.height <= height ?? .max, "\(made.width)x\(made.height)")
            // One of both is used up, but for less than a pixel of each thumbnail.
            let isWide = made.width == width
            let isHigh = height.map { made.height > $0 - made.rows * 4 - 40 } ?? false
            #expect(isWide || isHigh, "\(made.width)x\(made.height) of \(width)x\(height ?? 0)")
        }
    }

    @Test func whatDoesNotFitIsRefused() throws {
        let small = #expect(throws: MediaError.self) {
            try layout((16, 9), tiles: 400, columns: 20) { ($0.sheetWidth, $0.sheetHeight) = (400, 300) }
        }
        #expect(small?.code == .invalidRequest)
        let large = #expect(throws: MediaError.self) {
            try layout((9, 16), tiles: 1000, columns: 20) { $0.width = 1024 }
        }
        #expect(large?.code == .limitReached)
    }

    @Test func audioAloneHasALargeWaveform() throws {
        let made = try layout(nil, tiles: 0, columns: 1)
        #expect(made.rows == 0 && made.wave > 200 && made.width == 1248)
        #expect(try layout(nil, tiles: 0, columns: 1) { $0.sheetWidth = 640 }.width == 640)
    }
}

@Suite struct TimeRulerTests {
    private func clock(_ time: Time, _ digits: Int) -> String { time.clock(digits: digits) }

    /// However many ranges there are, and however short they are.
    @Test(arguments: [1, 2, 3, 7, 40, 200]) func labelsNeverOverlap(_ count: Int) {
        for width in [48, 200, 800, 1240] {
            let spans = (0..<count).map { index in
                let length = Time([1, 30, 400, 5, 90][index % 5], 10)
                return TimeSpan(start: Time(Int64(index * 100), 1), end: Time(Int64(index * 100), 1) + length)
            }
            let labels = TimeRuler(spans, width: width).labels(size: 13, clock)
            var taken: [Range<Int>] = []
            for label in labels {
                let own = label.left..<(label.left + Typeface.width(of: label.text, size: 13))
                #expect(own.lowerBound >= 0 && own.upperBound <= width)
                #expect(!taken.contains { $0.overlaps(own) }, "\(label.text) of \(count) in \(width)")
                taken.append(own)
            }
            if width >= 800 {
                #expect(labels.first?.text == spans.first.map { clock($0.start, 3) })
                #expect(labels.contains { $0.text == spans.last.map { clock($0.end, 3) } })
            }
        }
    }

    @Test(arguments: [Time(1, 25), Time(3, 1), Time(61, 1), Time(7300, 1), Time(200_000, 1)])
    func roundTimesAreWhereTheyBelong(_ length: Time) {
        let span = TimeSpan(start: Time(7, 2), end: Time(7, 2) + length)
        let ruler = TimeRuler([span], width: 1240)
        let ticks = ruler.labels(size: 13, clock).filter(\.isTick)
        #expect(ticks.count >= (length < Time(1, 10) ? 1 : 3) && ticks.count <= 14, "\(ticks.map(\.text))")
        for tick in ticks { #expect(0..<1240 ~= tick.at) }
    }
}
