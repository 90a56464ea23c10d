// Which frames before an in point are decoded though none of them is shown.
import MediaTime
import Testing

@testable import Render

@Suite struct VideoPrerollTests {
    /// A preroll of 25 frames a second before 2 s.
    private let made = VideoPreroll(before: Time(2, 1), length: Time(1, 25))

    private func time(_ frame: Int64) -> Time { Time(frame, 25) }

    @Test func framesJustBeforeTheInPointAreDecoded() {
        var preroll = made
        let skipped = [45, 46, 50, 60].filter { preroll.skips(time($0)) }
        let isUntimedSkipped = preroll.skips(nil)
        #expect(skipped == [45] && !isUntimedSkipped)
    }

    @Test func aFrameOnScreenThatMayHaveBeenSkippedIsNoticed() {
        var preroll = made
        _ = preroll.skips(time(20))
        #expect(!preroll.isKnown)
        let isEarly = preroll.offer(time(12)), isLate = preroll.offer(time(51))
        #expect(isEarly && !isLate)
    }

    @Test func aFrameJustBeforeTheInPointIsTheOneOnScreen() {
        for frame: Int64 in 46...50 {
            var preroll = made
            _ = preroll.skips(time(20))
            let isFirst = preroll.offer(time(frame)), isNext = preroll.offer(time(51))
            #expect(isFirst && isNext && preroll.isKnown)
        }
    }

    @Test func nothingIsInDoubtWhereNothingWasSkipped() {
        var preroll = made
        let isNext = preroll.offer(time(80))
        #expect(isNext && preroll.isKnown && !preroll.suffersFromDamage)
    }

    /// Frames after the in point are shown already: damage there is that of the film.
    @Test func damageMattersUntilTheInPoint() {
        var preroll = made
        _ = preroll.skips(time(20))
        #expect(preroll.suffersFromDamage)
        _ = (preroll.offer(time(49)), preroll.offer(time(50)))
        #expect(preroll.suffersFromDamage)
        _ = preroll.offer(time(51))
        #expect(!preroll.suffersFromDamage)
    }
}
