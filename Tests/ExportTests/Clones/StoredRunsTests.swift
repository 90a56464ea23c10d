// Which samples of a source lie one after another, and how long.
import Libav
import Testing

@Suite struct StoredRunsTests {
    private func places(_ bytes: [Range<Int64>], times: [Double]? = nil) -> [StoredPlace] {
        bytes.enumerated().map { StoredPlace(bytes: $1, time: times?[$0] ?? Double($0)) }
    }

    @Test func samplesThatFollowEachOtherAreOneRun() throws {
        let runs = try StoredRuns(
            places([0..<100, 200..<300, 100..<200, 310..<500], times: [0, 2, 1, 3]), block: 4096, least: 150)
        #expect(runs.runs == [0..<300, 310..<500])
        #expect(runs.bytes == 490)
        #expect(runs.run(of: 100..<200) == 0)
        #expect(runs.run(of: 310..<500) == 1)
        for other in [Int64(250)..<320, 300..<310, 500..<600] { #expect(runs.run(of: other) == nil) }
    }

    @Test func whatIsShortIsLeftOut() throws {
        let runs = try StoredRuns(places([0..<100, 110..<300, 310..<400]), block: 4096, least: 150)
        #expect(runs.runs == [110..<300])
        #expect(throws: StoredRuns.Obstacle.short) {
            try StoredRuns(places([0..<100, 110..<200]), block: 4096, least: 150)
        }
        #expect(throws: StoredRuns.Obstacle.short) { try StoredRuns([], block: 4096) }
    }

    @Test func samplesThatShareBytesAreNoRun() {
        #expect(throws: StoredRuns.Obstacle.overlapping) {
            try StoredRuns(places([0..<100, 99..<300]), block: 4096, least: 1)
        }
    }

    @Test func tracksThatAreFarApartAreInterleavedAnew() throws {
        #expect(throws: StoredRuns.Obstacle.apart) {
            try StoredRuns(places([0..<100, 100..<200], times: [6, 0]), block: 4096, least: 1)
        }
        _ = try StoredRuns(places([0..<100, 100..<200], times: [4, 0]), block: 4096, least: 1)
    }
}
