// The samples that are copied and those that are encoded, decided from samples' times and kinds alone.
import Testing

@testable import Render
@testable import Source

struct SmartTrimPlanTests {
    /// Groups of pictures of `length` frames of 10 ticks, with `bframes` B-frames between the others, in decoding order.
    private func samples(
        groups: Int, length: Int, bframes: Int, access: StoredSample.Access = .closed
    ) -> [StoredSample] {
        var list: [StoredSample] = []
        for group in 0..<groups {
            var order: [Int] = [0]
            var last = 0
            while last < length - 1 {
                let next = min(last + bframes + 1, length - 1)
                order += [next] + Array((last + 1)..<next)
                last = next
            }
            for (index, frame) in order.enumerated() {
                list.append(
                    StoredSample(
                        pts: Int64((group * length + frame) * 10), duration: 10, size: 100, isKey: index == 0,
                        access: index == 0 ? access : .none))
            }
        }
        return list
    }

    private func planned(_ samples: [StoredSample], _ start: Int64, _ end: Int64?) -> SmartTrimPlan? {
        SmartTrimPlan(
            opening: SampleWindow(samples: samples, isFromBeginning: true, isToEnd: true), closing: nil,
            start: start, end: end)
    }

    @Test(arguments: [0, 1, 3]) func aCutAtSyncSamplesEncodesNothing(_ bframes: Int) throws {
        let plan = try #require(planned(samples(groups: 5, length: 10, bframes: bframes), 100, 400))
        #expect(plan.head == nil)
        #expect(plan.tail == nil)
        #expect(plan.copy == SmartTrimPlan.Copy(first: 100, stop: 400))
        #expect(!plan.cutsLastFrame)
    }

    /// Every range: nothing lost, nothing twice, and few frames encoded.
    @Test(arguments: [0, 1, 2, 3, 5]) func headCopyAndTailAreTheRange(_ bframes: Int) throws {
        let all = samples(groups: 4, length: 12, bframes: bframes)
        for start in stride(from: Int64(0), to: 400, by: 7) {
            for end in stride(from: start + 3, through: 480, by: 11) {
                let plan = try #require(planned(all, start, end), "\(start) to \(end)")
                var shown: [Int64] = []
                let times = all.map(\.pts).sorted()
                if let head = plan.head {
                    shown += times.filter { $0 >= head.from && $0 < head.to ?? end }
                }
                if let copy = plan.copy {
                    let first = try #require(all.firstIndex { $0.pts == copy.first })
                    let stop = copy.stop.flatMap { stop in all.firstIndex { $0.pts == stop } } ?? all.count
                    let copied = all[first..<stop].map(\.pts).filter { $0 >= copy.first }
                    #expect(copied.allSatisfy { $0 < end })
                    shown += copied.sorted()
                }
                if let tail = plan.tail { shown += times.filter { $0 >= tail.from && $0 < end } }
                let first = times.last { $0 <= start } ?? 0
                #expect(shown == times.filter { $0 >= first && $0 < end }, "\(start) to \(end)")
                if plan.copy != nil {
                    #expect((plan.head?.frames ?? 0) < 12)
                    #expect((plan.tail?.frames ?? 0) <= bframes + 1, "\(start) to \(end)")
                }
            }
        }
    }

    @Test func copyingDoesNotBeginAtRecoveryPoints() throws {
        var all = samples(groups: 4, length: 10, bframes: 2, access: .recovery)
        all[0].access = .closed
        let plan = try #require(planned(all, 55, 350))
        #expect(plan.copy == nil)
        #expect(plan.obstacle == .noSyncSample)
        #expect(plan.head?.frames == 30)
    }

    @Test func equalTimesAreNotDistinguished() throws {
        var all = samples(groups: 2, length: 10, bframes: 0)
        all[5].pts = all[4].pts
        #expect(try #require(planned(all, 15, 150)).obstacle == .sameTimestamps)
    }

    @Test func nothingInTheRangeIsNoPlan() {
        #expect(
            planned(
                samples(groups: 1, length: 10, bframes: 0).map { sample in
                    var late = sample
                    late.pts += 1000
                    return late
                }, 0, 500) == nil)
    }

    @Test func intraFramesAreCopiedFromAnyFrame() throws {
        let all = samples(groups: 30, length: 1, bframes: 0, access: .recovery)
        let plan = try #require(planned(all, 55, 205))
        #expect((plan.head == nil, plan.tail == nil) == (true, true))
        #expect(plan.copy == SmartTrimPlan.Copy(first: 50, stop: 210))
        #expect(plan.cutsLastFrame)
    }

    @Test func leadingPicturesBelongToTheHead() throws {
        // A sync sample at 100, followed by two that are shown before it.
        var all = samples(groups: 1, length: 10, bframes: 0)
        let times: [Int64] = [120, 100, 110, 130, 140, 150]
        for (index, pts) in times.enumerated() {
            all.append(
                StoredSample(
                    pts: pts, duration: 10, size: 1, isKey: index == 0, access: index == 0 ? .open : .none))
        }
        let plan = try #require(planned(all, 35, nil))
        #expect(plan.head == SmartTrimPlan.EncodedSpan(from: 30, to: 120, frames: 9))
        #expect(plan.copy == SmartTrimPlan.Copy(first: 120, stop: nil))
    }
}
