// Where pieces of a playlist are put on the timeline, by their times alone.
import MediaTime
import Testing

@testable import Libav

@Suite struct PiecePlacementTests {
    /// Times in milliseconds.
    private func piece(
        _ part: Int, _ tracks: [(Int64, Int64)?], wrap: Int64? = nil, gap: Int64 = 0
    ) -> PieceTimes {
        var all: [Int: (first: Time, end: Time)] = [:]
        for (index, track) in tracks.enumerated() {
            if let track { all[index] = (Time(track.0, 1000), Time(track.1, 1000)) }
        }
        return PieceTimes(
            part: part, tracks: all, wrap: wrap.map { Time($0, 1000) }, gap: Time(gap, 1000))
    }

    private func offsets(_ pieces: [PieceTimes]...) -> [[Int64]] {
        PiecePlacement.offsets(pieces).map { file in
            file.map { $0.multiplied(by: Int32(1000)).converted(to: 1).value }
        }
    }

    @Test func tracksThatBeginTogetherFollowTheLongest() {
        #expect(
            offsets([piece(0, [(0, 2000), (0, 2010)]), piece(1, [(100, 2100), (100, 2090)])]) == [[0, 1910]])
    }

    /// Parts of one encode: the audio of each begins where that of the last ended.
    @Test func partsOfOneEncodeHaveNoGap() {
        let parts = (0..<1000).map { number in
            let late = Int64(number % 7) * 3
            let next = Int64((number + 1) % 7) * 3
            return piece(number, [(0, 2000), (late, 2000 + next)])
        }
        #expect(offsets(parts).first == (0..<1000).map { Int64($0) * 2000 })
    }

    @Test func timestampsThatGoOnStay() {
        #expect(
            offsets([piece(0, [(0, 2000), (5, 2015)]), piece(1, [(2000, 4000), (2015, 4002)])]) == [[0, 0]])
    }

    @Test func wrapsWithinAPart() {
        #expect(
            offsets([
                piece(0, [(9000, 9900)], wrap: 10_000), piece(0, [(100, 900)], wrap: 10_000, gap: 200),
                piece(1, [(0, 1000)], wrap: 10_000),
            ]) == [[0, 10_000, 10_900]])
    }

    @Test func piecesThatBeginAnewWithoutADiscontinuity() {
        #expect(offsets([piece(0, [(5000, 9000)]), piece(0, [(0, 2000)])]) == [[0, 9000]])
        // Frames of the last piece may be shown after the first of the next.
        #expect(offsets([piece(0, [(0, 2040)]), piece(0, [(2000, 4000)])]) == [[0, 0]])
    }

    @Test func aTrackThatIsMissing() {
        // It comes again behind where it ended, and behind what was shown meanwhile.
        #expect(
            offsets([
                piece(0, [(0, 2000), (0, 2500)]), piece(1, [(0, 100), nil]),
                piece(2, [(0, 2000), (0, 2000)]),
            ]) == [[0, 2000, 2500]])
        #expect(offsets([piece(0, [(0, 2000), nil]), piece(1, [nil, (50, 1000)])]) == [[0, 1950]])
    }

    @Test func timeWithoutMedia() {
        #expect(offsets([piece(0, [(0, 1000)]), piece(1, [(0, 1000)], gap: 3000)]) == [[0, 4000]])
    }

    /// A file that goes on says exactly where a part begins, and one that has a gap there, about.
    @Test func aGapInOneOfTheFiles() {
        let whole = [piece(0, [(0, 2000)]), piece(1, [(0, 2000)])]
        #expect(
            offsets(whole, [piece(0, [(0, 1000)]), piece(1, [(0, 2000)], gap: 1010)]) == [
                [0, 2000], [0, 2000],
            ])
        // Its segments after the discontinuity are missing.
        #expect(
            offsets(whole, [piece(0, [(0, 2000)]), piece(1, [(1000, 2000)], gap: 990)]) == [
                [0, 2000], [0, 2000],
            ])
        let other = [piece(0, [(0, 2000)]), piece(1, [(1000, 2000)], gap: 990)]
        #expect(offsets(other, whole) == [[0, 2000], [0, 2000]])
    }

    private func ends(_ files: ([PieceTimes], Int64)...) -> [Int64] {
        let all = files.map { pieces, gap in
            JoinedEnds.File(pieces: pieces, offsets: pieces.map { _ in .zero }, gapAtEnd: Time(gap, 1000))
        }
        let ends = JoinedEnds(all)
        return [ends.start, ends.end].map { $0.multiplied(by: Int32(1000)).converted(to: 1).value }
    }

    @Test func timeWithoutMediaAtTheEnds() {
        let (gapped, whole) = (piece(0, [(1000, 2000), (990, 1980)], gap: 900), piece(0, [(50, 3000)]))
        #expect(ends(([gapped], 0)) == [90, 2000])
        #expect(ends(([gapped], 500)) == [90, 2500])
        #expect(ends(([gapped], 500), ([whole], 0)) == [50, 3000])
        // Nothing is cut off.
        #expect(ends(([gapped], 0), ([piece(0, [(1500, 2200)])], 100)) == [990, 2200])
    }

    @Test func filesOfOneFilmHaveOneOffset() {
        #expect(
            offsets(
                [piece(0, [(0, 2000)]), piece(1, [(0, 2000)])],
                [piece(0, [(0, 2005)]), piece(1, [(0, 1990)]), piece(2, [(0, 10)])])
                == [[0, 2005], [0, 2005, 3995]])
    }
}
