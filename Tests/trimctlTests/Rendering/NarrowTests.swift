// Forty columns are enough for everything that people read, as far as its words are.
import Media
import MediaTime
import Testing
import Wire

@testable import trimctl

@Suite struct NarrowTests {
    /// The longest line; a command stays whole to be copied, and so does a long word.
    private func longest(_ text: String) -> Int {
        text.split(separator: "\n").filter {
            !$0.hasPrefix("  trimctl ") && $0.split(separator: " ").allSatisfy { $0.count < 20 }
        }
        .map(\.count).max() ?? 0
    }

    @Test(arguments: CommandTable.entries) func helpFits(entry: CommandEntry) {
        #expect(longest(Help(width: 40).page(entry)) <= 40)
    }

    @Test func theOverviewFits() { #expect(longest(Help(width: 40).overview()) <= 40) }

    @Test func aTableBecomesBlocks() {
        var job = JobReport.sample(7, .completed)
        job.output = "/films/" + String(repeating: "n", count: 50)
        let text = JobText(now: job.created).table([job, job], width: 40)
        #expect(text.contains("\n\nid "))
        #expect(text.contains(job.output))
        #expect(longest(text) <= 40)
        #expect(!JobText(now: job.created).table([job], width: 80).contains("\nstatus"))
    }

    @Test func aLabelledLineKeepsItsColumn() {
        let line = "  note      the start falls inside a frame: the first is shorter"
        #expect(
            TextWrap.wrapped(line, to: 40) == """
                  note      the start falls inside a
                            frame: the first is shorter
                """)
    }

    @Test(arguments: [20, 33, 40, 79, 200]) func noWordIsLost(width: Int) {
        let text =
            "a  b\n  label  one two three four five six seven eight nine ten /films/\(String(repeating: "x", count: 90)).mp4\n"
        let wrapped = TextWrap.wrapped(text, to: width)
        #expect(wrapped.split(whereSeparator: \.isWhitespace) == text.split(whereSeparator: \.isWhitespace))
        #expect(wrapped.hasSuffix("\n"))
    }

    @Test func theDoctorNeedsNoUnicode() {
        let result = DoctorResult([
            DoctorResult.Check("daemon", ok: true, "it answers"),
            DoctorResult.Check("queue", ok: false, "it does not", remedy: "start it"),
        ])
        let isPlain = DoctorCommand.page(result, isUnicode: false).allSatisfy(\.isASCII)
        #expect(isPlain)
    }
}
