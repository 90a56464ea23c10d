// Dates of metadata: those that exist, in UTC where a moment is meant.
import Testing

@testable import Media

struct DateSpellingTests {
    @Test(arguments: [
        "2026", "2026-01", "2026-01-31", "2024-02-29", "2000-02-29", "2026-01-31T12:00:00Z",
        "2026-01-31 12:00",
        "2026-01-31T23:59:59.999999+14:00", "2026-01-31T12:00:00-0130", "1895-12-28",
        "2026-01-31T12:00:00+02",
    ])
    func whatExistsIsADate(_ text: String) {
        #expect(DateSpelling(text) != nil)
        #expect(MetadataValue.fault("date", text) == nil)
    }

    @Test(arguments: [
        "", "26", "0000", "2026-13", "2026-00", "2026-1-1", "2026-02-29", "1900-02-29", "2026-02-30",
        "2026-04-31",
        "2026-01-01T", "2026-01-01Tx1234", "2026-01-01T25:61:00Z", "2026-01-01T12", "2026-01T12:00:00Z",
        "2026-01-01T12:00:00X", "2026-01-01T12:00:00.Z", "2026-01-01T12:00:00+15:00", "soon", "2026-01-01x",
        "2026-01-01T12:00:00Zz", "2026-01-01T12:60:00", "٢٠٢٦",
    ])
    func whatDoesNotIsNone(_ text: String) {
        #expect(DateSpelling(text) == nil)
        #expect(MetadataValue.fault("date", text) != nil || text.isEmpty)
        #expect(MetadataValue.fault("creation_time", text) != nil || text.isEmpty)
    }

    @Test(arguments: [
        ("2026-01-31T12:00:00Z", "2026-01-31T12:00:00Z"), ("2026-01-31", "2026-01-31T00:00:00Z"),
        ("2026-01-31T12:00:00.25+02:00", "2026-01-31T10:00:00.25Z"),
        ("2026-01-01T00:30:00+01:00", "2025-12-31T23:30:00Z"),
        ("2025-12-31T23:30-01:00", "2026-01-01T00:30:00Z"),
        ("2024-03-01T00:00:00+00:01", "2024-02-29T23:59:00Z"),
        ("2024-02-28T23:59:59-00:01", "2024-02-29T00:00:59Z"),
        ("2026-06-01 12:00:00", "2026-06-01T12:00:00Z"),
    ])
    func aMomentIsOneOfUTC(_ text: String, _ moment: String) {
        #expect(DateSpelling(text)?.moment == moment)
        #expect(MetadataValue.fault("creation_time", text) == nil)
    }

    /// Containers count from a moment: a year is none, and what lies before 1970 is read as another time.
    @Test(arguments: ["2026", "2026-01", "1950-06-01"]) func aYearIsNoMoment(_ text: String) {
        #expect(DateSpelling(text)?.moment == nil)
        #expect(MetadataValue.fault("creation_time", text) != nil)
        #expect(MetadataValue.fault("date", text) == nil)
    }
}
