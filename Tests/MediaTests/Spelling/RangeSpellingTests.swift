// Ranges as users write them, and the names that stand for ranges of a playlist.
import FoundationEssentials
import Media
import MediaTime
import Testing
import Text

@Suite struct RangeSpellingTests {
    private func decoded(_ text: String) throws -> RangeSpelling {
        try JSONValue(parsing: Array(text.utf8), as: .message).value(of: RangeSpelling.self)
    }

    @Test func namesAreRanges() throws {
        for named in NamedRanges.allCases {
            let range = try RangeSpelling.parse(named.rawValue)
            #expect(range == RangeSpelling(named) && range.named == named)
            #expect(range.start == nil && range.end == nil)
            #expect("\(range)" == named.rawValue)
            let text = "\"\(named.rawValue)\""
            #expect(try decoded(text) == range)
            #expect(String(decoding: try JSONEncoder().encode(range), as: UTF8.self) == text)
        }
        #expect(RangeSpelling(.program) != RangeSpelling(start: nil, end: nil))
    }

    @Test func timesStayWhatTheyAre() throws {
        for text in ["1..2", "1:10..end", "..-30"] {
            let range = try RangeSpelling.parse(text)
            #expect(range.named == nil && (range.start != nil || range.end != nil))
            #expect(try decoded(String(decoding: try JSONEncoder().encode(range), as: UTF8.self)) == range)
        }
    }

    @Test(arguments: ["", "..", "ads", "Interstitials", "interstitials..", "1-2"]) func anythingElse(
        _ text: String
    ) {
        #expect(throws: TimeError.self) { try RangeSpelling.parse(text) }
    }

    @Test func aRequestKnowsWhetherItNamesRanges() throws {
        var range = RangeRequest()
        #expect(!range.isNamed)
        range.remove = [try .parse("1..2")]
        #expect(!range.isNamed)
        range.remove?.append(RangeSpelling(.interstitials))
        #expect(range.isNamed)
        try range.check()
    }
}
