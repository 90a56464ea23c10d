// Chapters of a range.
import Media
import MediaTime
import Testing

@testable import Export
@testable import Source

struct ChapterTests {
    private let chapters = [
        Chapter(start: .zero, end: Time(2, 1), title: "A"),
        Chapter(start: Time(2, 1), end: Time(6, 1), title: "B"),
        Chapter(start: Time(6, 1), end: Time(10, 1), title: nil),
    ]

    @Test func thoseOutsideAreLeftOutAndThoseAtTheEndsAreShortened() {
        #expect(
            ChapterList.clip(chapters, start: Time(3, 1), end: Time(8, 1)) == [
                Chapter(start: .zero, end: Time(3, 1), title: "B (part)"),
                Chapter(start: Time(3, 1), end: Time(5, 1), title: nil),
            ])
    }

    @Test func theEndIsExclusive() {
        #expect(ChapterList.clip(chapters, start: Time(2, 1), end: Time(6, 1)).map(\.title) == ["B"])
        let late = ChapterList.clip(chapters, start: Time(2, 1), end: Time(6001, 1000))
        #expect(
            late == [
                Chapter(start: .zero, end: Time(4, 1), title: "B"),
                Chapter(start: Time(4, 1), end: Time(4001, 1000), title: nil),
            ])
    }

    /// A frame is more than a container's rounding.
    @Test func oneThatLosesAnythingIsAPart() {
        func titles(_ start: Time, _ end: Time?, of duration: Time? = nil) -> [String?] {
            ChapterList.clip(chapters, start: start, end: end, of: duration).map(\.title)
        }
        let frame = Time(1, 240)
        #expect(titles(frame, Time(2, 1)) == ["A (part)"])
        #expect(titles(.zero, Time(2, 1) - frame) == ["A (part)"])
        #expect(titles(Time(2, 1) + frame, Time(6, 1)) == ["B (part)"])
        for rounding in [Time(1, 1000), Time(1, 90_000)] {
            #expect(titles(rounding, Time(2, 1) - rounding) == ["A"])
        }
        // A chapter that lasts longer than the file loses nothing at its end.
        #expect(titles(Time(2, 1), Time(11, 2), of: Time(11, 2)) == ["B"])
        #expect(titles(Time(2, 1), Time(5, 1), of: Time(11, 2)) == ["B (part)"])
    }

    @Test func withoutAnEndTheyKeepTheirs() {
        #expect(ChapterList.clip(chapters, start: .zero, end: nil) == chapters)
        #expect(ChapterList.clip(chapters, start: Time(10, 1), end: nil).isEmpty)
        #expect(ChapterList.clip([], start: .zero, end: Time(1, 1)).isEmpty)
    }

    @Test func noneIsEmptyOrOutside() {
        var random = Seeded(51)
        for _ in 0..<1000 {
            func time() -> Time { Time(Int64.random(in: -10...110, using: &random), 10) }
            let (a, b, c, d) = (time(), time(), time(), time())
            let (start, end) = (min(a, b), max(a, b))
            for chapter in ChapterList.clip([Chapter(start: c, end: d, title: nil)], start: start, end: end) {
                #expect(chapter.start >= .zero && chapter.start < chapter.end && chapter.end <= end - start)
                #expect(chapter.start + start == max(c, start))
            }
        }
    }
}
