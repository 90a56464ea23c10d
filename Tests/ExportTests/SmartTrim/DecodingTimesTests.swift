// Decoding times made from presentation times: never later than these, always rising.
import Testing

@testable import Render

struct DecodingTimesTests {
    @Test func theyRiseAndAreNeverTooLate() throws {
        var random = Seeded(11)
        for depth in 0...6 {
            var order: [Int64] = []
            var next: Int64 = 0
            while order.count < 200 {
                let count = Int.random(in: 1...(depth + 1), using: &random)
                let group = (0..<count).map { _ -> Int64 in
                    next += Int64.random(in: 1...50, using: &random)
                    return next
                }
                // The last of a group is decoded first, as with B-frames.
                order += [group[count - 1]] + group.dropLast()
            }
            let delay = DecodingTimes.delay(of: order)
            #expect(delay <= depth)
            let first = order.min() ?? 0
            var times = DecodingTimes(delay: delay, step: 10, first: first)
            var last = Int64.min
            for pts in order {
                let dts = try times.next(pts: pts)
                #expect(dts <= pts)
                #expect(dts > last)
                last = dts
            }
        }
    }

    @Test func aDelayThatIsTooSmallIsSaid() throws {
        var times = DecodingTimes(delay: 0, step: 10, first: 0)
        _ = try times.next(pts: 0)
        _ = try times.next(pts: 30)
        #expect(throws: DecodingTimes.DelayTooSmall.self) { _ = try times.next(pts: 10) }
    }
}
