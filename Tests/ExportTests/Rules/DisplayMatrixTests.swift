// The meaning of a display matrix, against pixels moved one by one.
import Testing

@testable import Export
@testable import Source

struct DisplayMatrixTests {
    private static let one: Int32 = 1 << 16
    /// All turns and mirrors: images of the x and the y axis.
    static let orientations: [(Int32, Int32, Int32, Int32)] = [
        (1, 0, 0, 1), (0, 1, -1, 0), (-1, 0, 0, -1), (0, -1, 1, 0),
        (-1, 0, 0, 1), (0, 1, 1, 0), (1, 0, 0, -1), (0, -1, -1, 0),
    ]

    private static func matrix(_ m: (Int32, Int32, Int32, Int32), scale: Int32 = one) -> [Int32] {
        [m.0 * scale, m.1 * scale, 0, m.2 * scale, m.3 * scale, 0, 0, 0, 1 << 30]
    }

    /// The frame (rows of letters) with every pixel moved by the matrix, y downwards.
    private func mapped(_ frame: [[Character]], _ m: (Int32, Int32, Int32, Int32)) -> [[Character]] {
        var points: [(x: Int32, y: Int32, letter: Character)] = []
        for (y, row) in frame.enumerated() {
            for (x, letter) in row.enumerated() {
                let (x, y) = (Int32(x), Int32(y))
                points.append((m.0 * x + m.2 * y, m.1 * x + m.3 * y, letter))
            }
        }
        let rows = Set(points.map(\.y)).sorted()
        return rows.map { y in points.filter { $0.y == y }.sorted { $0.x < $1.x }.map(\.letter) }
    }

    private func turnedClockwise(_ frame: [[Character]]) -> [[Character]] {
        (frame.first ?? []).indices.map { x in frame.reversed().map { $0[x] } }
    }

    @Test(arguments: orientations) func theOrientationDoesWhatTheMatrixDoes(_ m: (Int32, Int32, Int32, Int32))
    {
        let frame: [[Character]] = [["A", "B", "C"], ["D", "E", "F"]]
        let (rotation, isMirrored) = DisplayMatrix.orientation(Self.matrix(m))
        #expect([0, 90, 180, 270].contains(rotation))
        var shown = frame
        for _ in 0..<rotation / 90 { shown = turnedClockwise(shown) }
        if isMirrored { shown = shown.map { $0.reversed() } }
        #expect(shown == mapped(frame, m), "\(rotation), mirrored \(isMirrored)")
    }

    @Test(arguments: orientations) func sizeAndSmallSlantsDoNotCount(_ m: (Int32, Int32, Int32, Int32)) {
        let plain = DisplayMatrix.orientation(Self.matrix(m))
        #expect(DisplayMatrix.orientation(Self.matrix(m, scale: 2 << 16)) == plain)
        #expect(DisplayMatrix.orientation(Self.matrix(m, scale: 100)) == plain)
        var slanted = Self.matrix(m)
        for index in [0, 1, 3, 4] where slanted[index] == 0 { slanted[index] = 300 }
        #expect(DisplayMatrix.orientation(slanted) == plain)
    }

    @Test func noMatrixIsUpright() {
        for none in [nil, [], [1, 2, 3], [Int32](repeating: 0, count: 9)] as [[Int32]?] {
            #expect(DisplayMatrix.orientation(none) == (0, false))
        }
    }

    @Test func extremeNumbersDoNotTrap() {
        for a in [Int32.min, -1, 0, .max] {
            for b in [Int32.min, 1, 0, .max] {
                let (rotation, _) = DisplayMatrix.orientation([a, b, 0, b, a, 0, .min, .max, 0])
                #expect([0, 90, 180, 270].contains(rotation))
            }
        }
    }
}
