// Which units of an export begin before which others.
import Media
import Testing
import Text

@testable import trimd

@Suite struct UnitOrderTests {
    private func unit(_ number: Int, _ seconds: Double, _ kind: ExportUnit.Kind = .video) -> ExportUnit {
        ExportUnit(number: number, kind: kind, work: .null, seconds: seconds, memory: 1)
    }

    private func order(_ units: [ExportUnit]) -> [Int] { UnitOrder.order(units).map(\.number) }

    @Test func theLastChunksBeginByLength() {
        let lengths: [Double] = [6, 4, 5, 6] + [2, 3, 2, 2, 2, 3, 2, 2] + Array(repeating: 1, count: 8)
        let units = lengths.enumerated().map { unit($0.offset, $0.element) }
        #expect(order(units) == [0, 1, 2, 3, 5, 9, 4, 6, 7, 8, 10, 11] + Array(12..<20))
    }

    @Test func audioBeginsFirst() {
        #expect(order([unit(0, 5), unit(1, 5), unit(2, 10, .audio)]) == [2, 0, 1])
    }

    @Test func eachUnitIsBegunOnce() {
        for count in 0..<40 {
            let units = (0..<count).map { unit($0, Double(($0 * 7) % 5)) }
            #expect(Set(order(units)) == Set(0..<count) && order(units).count == count)
        }
    }
}
