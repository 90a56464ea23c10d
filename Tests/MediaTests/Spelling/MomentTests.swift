// Moments of the calendar: ISO 8601 in UTC, to the millisecond, there and back.
import FoundationEssentials
import Media
import Testing

struct MomentTests {
    /// Moments whose calendar form is known from elsewhere (`date -u`).
    static let known: [(Int64, String)] = [
        (0, "1970-01-01T00:00:00.000Z"),
        (1, "1970-01-01T00:00:00.001Z"),
        (999, "1970-01-01T00:00:00.999Z"),
        (951_827_696_789, "2000-02-29T12:34:56.789Z"),
        (1_767_323_045_678, "2026-01-02T03:04:05.678Z"),
        (4_102_444_799_999, "2099-12-31T23:59:59.999Z"),
    ]

    @Test(arguments: known) func itIsWrittenAsISO8601(_ milliseconds: Int64, _ text: String) throws {
        #expect(Moment(milliseconds: milliseconds).description == text)
        #expect(try encoded([Moment(milliseconds: milliseconds)]) == "[\"\(text)\"]")
    }

    @Test(arguments: known) func itIsReadFromISO8601(_ milliseconds: Int64, _ text: String) throws {
        #expect(try decoded([Moment].self, "[\"\(text)\"]").first?.milliseconds == milliseconds)
    }

    @Test func itComesBackToTheMillisecond() throws {
        var random = Seeded(1)
        let moments = (0..<2000).map { _ in
            Moment(milliseconds: Int64.random(in: 0...4_102_444_799_999, using: &random))
        }
        #expect(try roundTrip(moments) == moments)
    }

    @Test func aNumberOfMillisecondsIsReadToo() throws {
        let read = try decoded([Moment].self, "[1767323045678]")
        #expect(read == [Moment(milliseconds: 1_767_323_045_678)])
    }

    @Test(arguments: ["yesterday", "", "2026-13-02T03:04:05.678Z", "2026-01-02"]) func nothingElseIsRead(
        _ text: String
    ) {
        #expect(throws: DecodingError.self) { try decoded([Moment].self, "[\"\(text)\"]") }
    }

    @Test func nowIsNow() {
        let before = Moment.now
        #expect(abs(Double(before.milliseconds) / 1000 - Date().timeIntervalSince1970) < 60)
        #expect(before <= Moment.now)
    }
}
