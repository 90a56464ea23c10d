// The spellings of a moment to come.
import Media
import Testing

@testable import trimctl

@Suite struct FutureMomentTests {
    private let now = Moment.now

    @Test(arguments: [
        ("+2h", 7200), ("+90s", 90), ("+1h30m", 5400), ("+1d", 86_400), ("+0s", 0), ("+10m5s", 605),
    ])
    func delays(_ text: String, _ seconds: Int64) {
        #expect(FutureMoment.parse(text, now: now)?.milliseconds == now.milliseconds + seconds * 1000)
    }

    /// Whatever the machine's zone, the next such time of day is within a day, or an hour more where clocks change.
    @Test(arguments: ["18:30", "00:00", "23:59:59", "7:05"]) func timesOfDayAreTheNext(_ text: String) throws
    {
        let moment = try #require(FutureMoment.parse(text, now: now))
        let wait = moment.milliseconds - now.milliseconds
        #expect(0 < wait && wait <= 25 * 3_600_000)
        // Another spelling of that very time, seen from the same moment.
        #expect(moment.milliseconds % 60_000 == (text.hasSuffix(":59:59") ? 59_000 : 0))
    }

    @Test func datesAreLocalUnlessTheySayOtherwise() throws {
        let utc = try #require(FutureMoment.parse("2031-01-02T18:30:00Z", now: now))
        #expect(utc == Moment("2031-01-02T18:30:00Z"))
        let local = try #require(FutureMoment.parse("2031-01-02T18:30", now: now))
        #expect(abs(local.milliseconds - utc.milliseconds) <= 15 * 3_600_000)
        #expect(FutureMoment.parse("2031-01-02 18:30:00", now: now) == local)
        #expect(FutureMoment.parse("2031-01-03T18:30", now: now).map { $0 > local } == true)
    }

    @Test(arguments: [
        "", "+", "+2", "+2y", "2h", "24:00", "18:60", "18", "-1:30", "18:30:99", "2031-02-30T10:00",
        "2031-13-01T10:00", "2031-01-02", "tomorrow", "+99999999d", "18:30 19:30 20:30", "118:30",
    ])
    func othersAreRefused(_ text: String) {
        #expect(FutureMoment.parse(text, now: now) == nil)
        #expect(throws: MediaError.self) { try Arguments.parse(["export", "a.mp4", "--not-before", text]) }
    }
}
