// The names of units for people: their kind and number, whatever number the queue has for them.
import Foundation
import Testing
import Text

@testable import Media

@Suite struct UnitNameTests {
    private func unit(_ kind: ExportUnit.Kind, _ number: Int, index: Int? = nil) -> ExportUnit {
        ExportUnit(number: number, kind: kind, index: index, work: .null, seconds: 1, memory: 0)
    }

    @Test func eachKindHasItsName() {
        #expect("\(unit(.video, 3).name)" == "chunk 3")
        #expect("\(unit(.statistics, 1039, index: 3).name)" == "first pass of chunk 3")
        #expect("\(unit(.audio, 37, index: 1).name)" == "audio track 1")
        #expect(ExportUnit.Kind.allCases.count == 3)
    }

    @Test func kindsAreCounted() {
        let names = (0..<2).flatMap { [UnitName(.statistics, $0), UnitName(.video, $0)] }
        #expect(UnitName.count(names + [UnitName(.audio, 1)]) == "2 chunks, 2 first passes, 1 audio track")
        #expect(UnitName.count([UnitName(.video, 7)]) == "1 chunk")
        #expect(UnitName.count([]) == "")
    }

    /// A unit on record from a version that stored no index has its number as its name.
    @Test func aUnitWithoutAnIndexIsRead() throws {
        let stored = #"{"number":5,"kind":"video","work":null,"seconds":1,"memory":0,"mayUseThreads":false}"#
        let read = try JSONDecoder().decode(ExportUnit.self, from: Data(stored.utf8))
        #expect(read == unit(.video, 5) && "\(read.name)" == "chunk 5")
        let new = unit(.audio, 37, index: 2)
        #expect(try JSONDecoder().decode(ExportUnit.self, from: JSONEncoder().encode(new)) == new)
    }
}
